"""An experiment is data: groups of arms, a threshold, policies, a budget, repetitions, a seed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

import numpy as np

from overbar.errors import InvalidInput
from overbar.policies import Policy
from overbar.problem import (
    Arm,
    Bernoulli,
    Beta,
    Exponential,
    Gaussian,
    Problem,
    Uniform,
)

DISTRIBUTIONS: Mapping[str, type] = {
    "gaussian": Gaussian,
    "bernoulli": Bernoulli,
    "beta": Beta,
    "uniform": Uniform,
    "exponential": Exponential,
}
SPREADS = 2  # the stream from which ranges are drawn, beside those of noise and chance


class Range(NamedTuple):
    """A value drawn for each arm, independently and uniformly."""

    low: float
    high: float


Value = float | tuple[float, ...] | Range  # the same for all arms, one an arm, or drawn


@dataclass(frozen=True)
class Group:
    """Arms of one distribution."""

    distribution: str
    values: Mapping[str, Value]
    count: int
    names: tuple[str, ...] | None = None

    def arms(self, chance: np.random.Generator) -> list[Arm]:
        """Make the arms, drawing what is given as a range."""
        columns = {key: self._column(value, chance) for key, value in self.values.items()}
        if "variance" in columns:
            columns["sd"] = [sqrt(variance) for variance in columns.pop("variance")]
        make = DISTRIBUTIONS[self.distribution]
        return [
            make(**{key: column[i] for key, column in columns.items()}) for i in range(self.count)
        ]

    def _column(self, value: Value, chance: np.random.Generator) -> Sequence[float]:
        if isinstance(value, Range):
            return [float(drawn) for drawn in chance.uniform(*value, size=self.count)]
        return value if isinstance(value, tuple) else [value] * self.count


@dataclass(frozen=True)
class Listed:
    """Arms that are given one by one."""

    given: tuple[Arm, ...]
    names: tuple[str, ...] | None = None

    @property
    def count(self) -> int:
        """The number of arms."""
        return len(self.given)

    def arms(self, chance: np.random.Generator) -> list[Arm]:
        """Return the arms; nothing is left to chance."""
        return list(self.given)


@dataclass(frozen=True)
class Experiment:
    """What to play, how long, and how often."""

    name: str | int
    title: str
    groups: tuple[Group | Listed, ...]
    threshold: float
    policies: Mapping[str, Policy]
    budget: int
    repetitions: int = 500
    seed: tuple[int, ...] = (0,)
    reading: str = "given"
    indifference: float = 0.0
    at: tuple[int, ...] = ()  # time steps at which wrong verdicts are counted, beside the last

    def problem(self) -> Problem:
        """Make the arms; ranges are drawn once, from the seed."""
        sequence = np.random.SeedSequence(self.seed, spawn_key=(SPREADS,))
        chance = np.random.default_rng(sequence)
        arms: list[Arm] = []
        names: list[str] = []
        for number, group in enumerate(self.groups, start=1):
            first = len(arms) + 1
            try:
                arms += group.arms(chance)
            except InvalidInput as error:
                error.args = (f"arms[{number}]: {error}",)
                raise
            names += group.names or [str(first + i) for i in range(group.count)]
        return Problem(arms, self.threshold, names, self.indifference)
