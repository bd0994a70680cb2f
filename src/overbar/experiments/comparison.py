"""Which of several policies does best on a problem, and whether its lead is more than chance.

Policies are compared by how often an answer had a wrong verdict, which is the paper's loss, or by
how many verdicts were wrong. All see the same noise, so a pair of them is compared repetition by
repetition (`overbar.experiments.significance`).

- *The winner* of a problem is the policy of least mean, and its lead is tested against the
  runner-up. Both are found by looking, for which it is enough that the test has two sides (Hung and
  Fithian, "Rank verification for exponential families", 2019; proved where the policies' counts are
  independent). Holm's method adjusts the leads for their number, one a problem and time step.
- *Against the baseline* every other policy is tested, in a family of p-values of its own.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from overbar.errors import InvalidInput, a_whole_number
from overbar.experiments.entrants import Entered
from overbar.experiments.significance import LEVEL, holm, paired
from overbar.simulate.result import Result
from overbar.simulate.wilson import wilson

MEASURES: Mapping[str, Callable[[Result, str, int], NDArray[np.generic]]] = {
    "error": Result.wrong,
    "verdicts": Result.misjudged,
}


class Beside(NamedTuple):
    """One policy beside another."""

    other: str
    fewer: int  # repetitions in which it did better
    more: int  # and worse
    less: bool  # whether its mean is less
    p: float
    p_holm: float

    @property
    def better(self) -> bool:
        """Whether it is better by more than chance."""
        return self.p_holm < LEVEL and self.fewer > self.more and self.less

    @property
    def worse(self) -> bool:
        """Whether it is worse by more than chance."""
        return self.p_holm < LEVEL and self.fewer < self.more and not self.less

    @property
    def seems_worse(self) -> bool:
        """Whether it would be worse by more than chance if it were the only pair."""
        return self._replace(p_holm=self.p).worse


class Score(NamedTuple):
    """How a policy did on a problem, up to a time step."""

    policy: str
    errors: int  # repetitions whose answer had a wrong verdict
    repetitions: int
    misjudged: float  # wrong verdicts a repetition
    misjudged_half: float  # half of the 95 % interval of that mean
    tries: float  # a repetition
    ns: float  # a step, in one thread
    against: Beside | None = None  # the baseline, if there is one that played

    @property
    def rate(self) -> float:
        """The share of repetitions whose answer had a wrong verdict."""
        return self.errors / self.repetitions

    @property
    def half(self) -> float:
        """Half of the width of Wilson's 95 % interval of that."""
        low, high = wilson(self.errors, self.repetitions)
        return float(high - low) / 2


@dataclass(frozen=True)
class Standing:
    """How the policies stand on a problem, at a time step."""

    entered: Entered
    K: int
    at: int
    scores: Mapping[str, Score]
    best: tuple[str, ...]  # the winner; or those that share the least mean
    lead: Beside | None  # of the winner over the runner-up

    @property
    def clear(self) -> bool:
        """Whether the winner's lead is more than chance."""
        return self.lead is not None and self.lead.better

    @property
    def lost(self) -> bool:
        """Whether a policy is worse than the baseline by more than chance."""
        return any(score.against and score.against.worse for score in self.scores.values())


def steps(said: Sequence[str], budget: int) -> tuple[int, ...]:
    """Read time steps: numbers, or shares of the budget.

    >>> steps(["50", "25%", "100%"], budget=1000)
    (50, 250, 1000)
    """
    found = set()
    for each in said:
        number = each.removesuffix("%")
        if not number.isdecimal():
            raise InvalidInput(
                "a time step", each, "a whole number, or a share of the budget", "Such as 500, 50%."
            )
        step = max(1, round(budget * int(number) / 100)) if "%" in each else int(number)
        found.add(a_whole_number("a time step", step, least=1, most=budget))
    return tuple(sorted(found))


class Match(NamedTuple):
    """An experiment that was played."""

    entered: Entered
    result: Result
    ns: Mapping[str, float]  # a step of each policy, in one thread

    @property
    def steps(self) -> Sequence[int]:
        """The time steps at which it is judged: those asked for, or its end."""
        return self.entered.experiment.at or (self.result.budget,)


def standings(
    matches: Sequence[Match], by: str = "error", baseline: str | None = None
) -> list[Standing]:
    """Compare the policies of each experiment, at each of its time steps."""
    found = [_standing(each, at, by, baseline) for each in matches for at in each.steps]
    leads = iter(_adjusted([each.lead for each in found]))
    against = iter(_adjusted([s.against for each in found for s in each.scores.values()]))
    return [
        replace(
            each,
            lead=next(leads),
            scores={n: s._replace(against=next(against)) for n, s in each.scores.items()},
        )
        for each in found
    ]


def _standing(match: Match, at: int, by: str, baseline: str | None) -> Standing:
    result = match.result
    counts = {policy: MEASURES[by](result, policy, at) for policy in result.policies}
    means = {policy: float(each.mean()) for policy, each in counts.items()}

    def beside(one: str, other: str) -> Beside:
        found = paired(counts[one], counts[other])
        less = means[one] < means[other]
        return Beside(other, found.fewer, found.more, less, found.p, found.p)

    scores = {policy: _score(match, policy, at) for policy in means}
    if baseline is not None and baseline in means:
        for policy in means.keys() - {baseline}:
            scores[policy] = scores[policy]._replace(against=beside(policy, baseline))
    least = sorted(set(means.values()))[:2]
    ranks = [tuple(policy for policy in means if means[policy] == mean) for mean in least]
    first, second, *_ = [*ranks, (), ()]
    lead = None
    if len(first) == 1 and second:
        lead = max((beside(first[0], other) for other in second), key=lambda each: each.p)
    return Standing(match.entered, result.problem.K, at, scores, first, lead)


def _score(match: Match, policy: str, at: int) -> Score:
    result = match.result
    misjudged = result.misjudged(policy, at)
    return Score(
        policy=policy,
        errors=int(result.wrong(policy, at).sum()),
        repetitions=result.repetitions,
        misjudged=float(misjudged.mean()),
        misjudged_half=1.96 * float(misjudged.std()) / sqrt(result.repetitions),
        tries=float(np.minimum(result.tries(policy), at).mean()),
        ns=match.ns[policy],
    )


def _adjusted(pairs: Sequence[Beside | None]) -> list[Beside | None]:
    """Return the pairs with their p-values adjusted for how many there are."""
    adjusted = iter(holm([each.p for each in pairs if each is not None]))
    return [None if each is None else each._replace(p_holm=next(adjusted)) for each in pairs]
