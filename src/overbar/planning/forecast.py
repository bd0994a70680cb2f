"""What a policy does with a budget, forecast by playing problems that a guess draws."""

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from overbar.planning.guess import Guess
from overbar.policies import Policy
from overbar.problem import Problem
from overbar.simulate.blocks import LANES, Block, play
from overbar.simulate.simulation import opening_block
from overbar.simulate.wilson import wilson

ARMS = 3  # the stream that draws the arms, beside those of noise, chance and ranges
PLAYS = LANES  # of each problem: as many as the kernel plays at once, in little more time than one

Measure = Literal["share", "any"]


class Estimate(NamedTuple):
    """A value, and its 95 % interval over problems."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Forecast:
    """How many verdicts of a campaign with that budget are wrong."""

    budget: int
    arms: int
    wrong: NDArray[np.int64]  # a problem, a play of it: wrong verdicts
    tries: float  # used, on average

    @property
    def share(self) -> Estimate:
        """The share of wrong verdicts."""
        return over_problems(self.wrong / self.arms, PLAYS * self.arms)

    @property
    def any(self) -> Estimate:
        """The chance that there is a wrong verdict at all."""
        return over_problems(self.wrong > 0, PLAYS)

    def of(self, measure: Measure) -> Estimate:
        """Return the error by that measure."""
        return self.share if measure == "share" else self.any

    @property
    def nine_in_ten(self) -> int:
        """The number of wrong verdicts that nine campaigns in ten do not exceed."""
        return int(np.quantile(self.wrong, 0.9, method="inverted_cdf"))


def over_problems(wrong: NDArray[np.generic], most: int) -> Estimate:
    """Return the mean with Wilson's interval, at the number of tries that it is worth.

    Plays of a problem are alike, and so are its arms not quite: the mean varies as a share of so
    many independent tries would (Kish's effective sample size, 1965; in Wilson's interval: Dean and
    Pagano 2015), which lies between the number of problems and `most` times that. The quantile is
    Student's, as the variance is estimated.
    """
    from scipy.special import ndtri, stdtrit

    problems = len(wrong)
    means = wrong.mean(axis=1)
    p = float(means.mean())
    variance = float(means.var(ddof=1)) / problems
    worth = p * (1 - p) / variance if variance > 0 else problems
    worth = min(max(worth, problems), most * problems)
    worth *= (ndtri(0.975) / stdtrit(problems - 1, 0.975)) ** 2
    low, high = wilson(p * worth, worth)
    return Estimate(p, float(low), float(high))


class Forecaster:
    """Plays problems of a guess. The same seed gives the same bits, whatever the executor."""

    def __init__(
        self,
        guess: Guess,
        threshold: float,
        executor: Executor,
        seed: int = 0,
        indifference: float = 0.0,
    ) -> None:
        self.guess, self.threshold, self.indifference = guess, threshold, indifference
        self.seed, self._executor = seed, executor
        self._problems: list[Problem] = []

    def problems(self, count: int) -> Sequence[Problem]:
        """Return the first problems of the guess."""
        for number in range(len(self._problems), count):
            sequence = np.random.SeedSequence((self.seed, number), spawn_key=(ARMS,))
            arms = self.guess.arms(np.random.default_rng(sequence))
            self._problems.append(Problem(arms, self.threshold, indifference=self.indifference))
        return self._problems[:count]

    @property
    def drawn(self) -> Sequence[Problem]:
        """The problems that were drawn so far."""
        return self._problems

    def indifferent(self, indifference: float) -> "Forecaster":
        """Return a forecaster of the same problems, with another zone in which all is right."""
        other = Forecaster(self.guess, self.threshold, self._executor, self.seed, indifference)
        other._problems = [
            Problem(each.arms, each.threshold, indifference=indifference) for each in self._problems
        ]
        return other

    def forecasts(self, policy: Policy, budgets: Sequence[int], count: int) -> list[Forecast]:
        """Play the policy on so many problems with the last of the budgets, judged at each."""
        K = self.guess.count
        played = list(self._executor.map(_judged, self._blocks(policy, budgets, count)))
        wrong, tries = (np.array(each) for each in zip(*played, strict=True))
        return [
            Forecast(budget, K, wrong[:, :, i], float(np.minimum(tries, budget).mean()))
            for i, budget in enumerate(budgets)
        ]

    def _blocks(self, policy: Policy, budgets: Sequence[int], count: int) -> list[Block]:
        return [
            replace(
                opening_block(problem, policy, budgets[-1], (self.seed, number), budgets),
                repetitions=range(PLAYS),
            )
            for number, problem in enumerate(self.problems(count))
        ]


def _judged(block: Block) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Play a block, and return its wrong verdicts and its tries: the rest is large."""
    played = play(block)
    return played.misjudged, played.tries
