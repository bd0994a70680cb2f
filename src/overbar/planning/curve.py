"""The error of a policy over the budget, and the budget that an error takes."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import pairwise
from math import ceil, inf, pow
from typing import NamedTuple

from overbar.errors import InvalidInput
from overbar.planning.forecast import PLAYS, Forecast, Forecaster, Measure
from overbar.policies import Game, Policy
from overbar.policies.policy import opened
from overbar.problem import Problem

TRIES_EACH = tuple(10**e * each for e in range(5) for each in (1, 1.5, 2, 3, 5, 7))
RUNS = (30, 200, 1000)  # tries an arm: a policy that needs not know the budget is played so far
REACH = 1000  # tries an arm that are looked at, and not more
STEPS = 100_000_000  # of a policy at one budget: about a second on two threads
VERDICTS = 10_000  # that are judged at a budget: of so many, 5 % come out as 5 % ± 0.4 %
PROBLEMS = {"share": (8, 400), "any": (200, 400)}  # the fewest and the most
FARTHEST = {"share": 4_000_000, "any": 400_000}  # tries that are looked at if nothing else is said
SETTLED = 3  # budgets in a row that are no worse than the error asked for end a curve

Progress = Callable[[str, int], None]  # the policy that is played, and its budget


class Needed(NamedTuple):
    """The budget that an error takes; None is more than was looked at."""

    error: float
    budget: int | None
    low: int | None  # the 95 % interval
    high: int | None


@dataclass(frozen=True)
class Curve:
    """The error of a policy over the budget, at the budgets that were played."""

    policy: str
    forecasts: tuple[Forecast, ...]
    closer: tuple[Forecast, ...] = ()  # where it comes down to an error, played once more

    @property
    def budgets(self) -> set[int]:
        """The budgets that were played."""
        return {each.budget for each in (*self.forecasts, *self.closer)}

    def ends(self, errors: Iterable[float], measure: Measure) -> set[int]:
        """Return the budgets that the errors take, and the ends of their intervals."""
        needs = [self.needed(error, measure) for error in errors]
        return {each for need in needs for each in need[1:] if each is not None}

    def needed(self, error: float, measure: Measure) -> Needed:
        """Return the budget from which on the error is no more than `error`.

        Between two budgets that were played, the error is taken as straight in log budget. The ends
        of the interval are where the ends of the error's intervals cross `error`.
        """
        played = sorted((*self.forecasts, *self.closer), key=lambda each: each.budget)
        points = [(each.budget, each.of(measure)) for each in played]
        budget, low, high = (crossing([(at, e[i]) for at, e in points], error) for i in range(3))
        return Needed(error, budget, low, high)


def crossing(points: Sequence[tuple[int, float]], error: float) -> int | None:
    """Return the budget from which on no point is above `error`, or None if the last one is.

    >>> crossing([(10, 0.1), (20, 0.3), (40, 0.1)], error=0.2)
    29
    """
    if points[-1][1] > error:
        return None
    for (one, before), (two, after) in reversed(list(pairwise(points))):
        if before > error:
            part = (before - error) / (before - after)
            return ceil(one * pow(two / one, part))
    return points[0][0]


def problems_for(K: int, measure: Measure, budget: int) -> int:
    """Return how many problems are enough for about a point, and few enough for a second."""
    fewest, most = PROBLEMS[measure]
    enough = most if measure == "any" else min(most, VERDICTS // K)
    return max(fewest, min(enough, STEPS // (PLAYS * budget)))


def reach_of(K: int, measure: Measure) -> int:
    """Return the largest budget that is looked at if nothing else is said."""
    return max(K, min(REACH * K, FARTHEST[measure]))


def curve(
    forecaster: Forecaster,
    policy: Policy,
    reach: int,
    errors: Sequence[float],
    measure: Measure,
    problems: int | None = None,
    progress: Progress = lambda policy, budget: None,
) -> Curve:
    """Return the error over budgets up to where it stays below all `errors`, or up to `reach`.

    A policy that knows the budget is played with each budget by itself. Of another, a run tells of
    all budgets that it passes.
    """
    K, [problem] = forecaster.guess.count, forecaster.problems(1)
    grid = sorted({ceil(K * each) for each in TRIES_EACH if K * each < reach} | {reach})
    grid, knows_budget = _played_by(policy, problem, grid)

    def played(budgets: Sequence[int]) -> Iterator[list[Forecast]]:
        for run in [[each] for each in budgets] if knows_budget else _runs(budgets, K):
            progress(policy.name, run[-1])
            count = problems or problems_for(K, measure, run[-1])
            yield forecaster.forecasts(policy, run, count)

    forecasts: list[Forecast] = []
    for some in played(grid):
        forecasts += some
        last = [each.of(measure).high for each in forecasts[-SETTLED:]]
        enough = forecasts[-1].budget >= K * tries_that_tell(forecaster.threshold)
        if enough and len(last) == SETTLED and max(last) <= min(errors):
            break
    found = Curve(policy.name, tuple(forecasts))
    for _ in range(1 + knows_budget):  # twice, since curves of rounds are jagged
        between = sorted(found.ends(errors, measure) - found.budgets)
        more = [each for some in played(between) for each in some]
        found = replace(found, closer=(*found.closer, *more))
    return found


def tries_that_tell(threshold: float) -> float:
    """Return how many tries an arm it takes until a single failure is no verdict.

    With fewer than 1 / (1 − τ), an arm is over a high bar only if it never failed, so the error may
    be low at first and grow with the budget.
    """
    to_the_end = min(threshold, 1 - threshold)
    return 1 / to_the_end if to_the_end > 0 else 1


def _played_by(policy: Policy, problem: Problem, grid: Sequence[int]) -> tuple[list[int], bool]:
    """Return the budgets with which the policy can play, and whether it makes use of knowing them.

    It does if it has rounds, or one whose constants change with the budget.
    """
    rounds = {}
    for budget in grid:
        with suppress(InvalidInput):  # it is too small for some
            rounds[budget] = opened(policy, Game(problem.K, budget, problem))
    if not rounds:
        opened(policy, Game(problem.K, grid[-1], problem))  # which says why
    several = any(len(each) > 1 for each in rounds.values())
    return list(rounds), several or len({each[0].constants for each in rounds.values()}) > 1


def _runs(budgets: Sequence[int], K: int) -> Iterator[list[int]]:
    """Yield the budgets that a run passes; the policy is played with the last of them."""
    for few, many in pairwise((0, *RUNS, inf)):
        if run := [each for each in budgets if few * K < each <= many * K]:
            yield run
