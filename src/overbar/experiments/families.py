"""Families of random problems. Problem i of a family depends on its seed and on i alone."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import exp, log

import numpy as np

from overbar.errors import InvalidInput, a_number, a_whole_number
from overbar.experiments.experiment import SPREADS, Experiment, Listed
from overbar.problem import (
    Arm,
    Bernoulli,
    Beta,
    Empirical,
    Exponential,
    Gaussian,
    Problem,
    Uniform,
)

Chance = np.random.Generator


def _gaussian(mean: float, chance: Chance) -> Arm:
    return Gaussian(mean, _log_uniform(0.05, 0.5, chance))


def _bernoulli(mean: float, chance: Chance) -> Arm:
    return Bernoulli(mean)


def _beta(mean: float, chance: Chance) -> Arm:
    size = _log_uniform(0.5, 50, chance)  # a + b: from nearly all or nothing to nearly the mean
    return Beta(mean * size, (1 - mean) * size)


def _uniform(mean: float, chance: Chance) -> Arm:
    half = min(mean, 1 - mean) * chance.random()
    return Uniform(mean - half, mean + half)


def _exponential(mean: float, chance: Chance) -> Arm:
    return Exponential(mean)


def _empirical(mean: float, chance: Chance) -> Arm:
    """A log of 2 to 50 rewards, which were a Beta arm's once."""
    size, rewards = _log_uniform(0.5, 50, chance), int(chance.integers(2, 51))
    return Empirical(chance.beta(mean * size, (1 - mean) * size, rewards).tolist())


DISTRIBUTIONS: Mapping[str, Callable[[float, Chance], Arm]] = {
    "gaussian": _gaussian,
    "bernoulli": _bernoulli,
    "beta": _beta,
    "uniform": _uniform,
    "exponential": _exponential,
    "empirical": _empirical,
}


@dataclass(frozen=True)
class Family:
    """Problems of all sizes, with arms whose means lie in [0, 1] and τ anywhere among them.

    A problem has from `fewest` to `most` arms, small numbers as likely as large ones (log-uniform).
    The means are drawn from a Beta law whose two shapes are log-uniform in [1/2, 5], so that they
    crowd in the middle, at an end or at both; each arm is of one of the distributions, with a
    spread of its own; τ is uniform between the lowest mean and the highest.

    >>> Family(fewest=40, most=40).problem(3, seed=0).K
    40
    """

    fewest: int = 5
    most: int = 500
    distributions: tuple[str, ...] = tuple(DISTRIBUTIONS)

    def __post_init__(self) -> None:
        a_whole_number("the least number of arms", self.fewest, least=1)
        a_whole_number("the greatest number of arms", self.most, least=self.fewest)
        for each in self.distributions or (None,):
            if each not in DISTRIBUTIONS:
                raise InvalidInput("the distribution", each, f"one of {', '.join(DISTRIBUTIONS)}")

    def problem(self, number: int, seed: int = 0) -> Problem:
        """Return a problem of the family."""
        chance = np.random.default_rng(np.random.SeedSequence((seed, number), spawn_key=(SPREADS,)))
        K = int(_log_uniform(self.fewest, self.most + 1, chance))
        shapes = _log_uniform(0.5, 5, chance), _log_uniform(0.5, 5, chance)
        means = np.clip(chance.beta(*shapes, K), 0.01, 0.99)
        kinds = chance.integers(len(self.distributions), size=K)
        arms = [
            DISTRIBUTIONS[self.distributions[kind]](float(mean), chance)
            for mean, kind in zip(means, kinds, strict=True)
        ]
        low, high = (float(end([arm.mean for arm in arms])) for end in (np.min, np.max))
        return Problem(arms, chance.uniform(low, high))

    def experiment(self, number: int, seed: int = 0, tries_each: float = 50) -> Experiment:
        """Return a problem of the family as an experiment without policies yet."""
        a_number("the tries for each arm", tries_each, least=1)
        problem = self.problem(number, seed)
        kind = self.distributions[0] if len(self.distributions) == 1 else "mixed"
        return Experiment(
            name=f"random {number}",
            title=f"{kind} arms, threshold {problem.threshold:.3g}",
            groups=(Listed(problem.arms),),
            threshold=problem.threshold,
            policies={},
            budget=round(tries_each * problem.K),
            seed=(seed, number),
        )


def _log_uniform(low: float, high: float, chance: Chance) -> float:
    return exp(chance.uniform(log(low), log(high)))
