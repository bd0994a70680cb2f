"""A guess: what is thought of the arms before they are tried.

Problem number i of a guess is a pure function of (guess, seed, i). Each has arms of its own, so
that many problems tell how much depends on which arms one gets. Guesses are made on the user's
scale of rewards, and arms on the scale of 0 to 1 that the policies are made for.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from overbar.errors import InvalidInput, a_number
from overbar.experiments.experiment import Experiment
from overbar.problem import Arm, Bernoulli, Beta, Empirical, Gaussian

Chance = np.random.Generator
Scale = tuple[float, float]

FAR = 5.0  # standard deviations of a normal: one mean in 1.7 million lies farther off
SHARPEST = 1e-9  # a beta of rewards has no arms whose mean is nearer to 0 or 1


class Guess(Protocol):
    """What is thought of the arms."""

    @property
    def count(self) -> int:
        """K, the number of arms."""

    def arms(self, chance: Chance) -> list[Arm]:
        """Draw the arms of a problem."""


class Means(Protocol):
    """Where the means of arms come from."""

    def ends(self, scale: Scale) -> Scale:
        """Return the least and the greatest mean."""

    def drawn(self, count: int, scale: Scale, chance: Chance) -> NDArray[np.float64]:
        """Draw so many means."""


@dataclass(frozen=True)
class BetaMeans:
    """Means from Beta(a, b), stretched over the scale."""

    a: float
    b: float

    def __post_init__(self) -> None:
        a_number("a", self.a, above=0)
        a_number("b", self.b, above=0)

    def ends(self, scale: Scale) -> Scale:
        """Return the ends of the scale."""
        return scale

    def drawn(self, count: int, scale: Scale, chance: Chance) -> NDArray[np.float64]:
        """Draw so many means."""
        return scale[0] + (scale[1] - scale[0]) * chance.beta(self.a, self.b, count)


@dataclass(frozen=True)
class UniformMeans:
    """Any mean between two."""

    low: float
    high: float

    def __post_init__(self) -> None:
        a_number("low", self.low)
        a_number("high", self.high, above=self.low)
        a_number("high - low", self.high - self.low)

    def ends(self, scale: Scale) -> Scale:
        """Return low and high."""
        return self.low, self.high

    def drawn(self, count: int, scale: Scale, chance: Chance) -> NDArray[np.float64]:
        """Draw so many means."""
        return chance.uniform(self.low, self.high, count)


@dataclass(frozen=True)
class NormalMeans:
    """Means about one value."""

    mean: float
    sd: float

    def __post_init__(self) -> None:
        a_number("mean", self.mean)
        a_number("sd", self.sd, above=0)

    def ends(self, scale: Scale) -> Scale:
        """Return what hardly a mean lies beyond."""
        return self.mean - FAR * self.sd, self.mean + FAR * self.sd

    def drawn(self, count: int, scale: Scale, chance: Chance) -> NDArray[np.float64]:
        """Draw so many means."""
        return chance.normal(self.mean, self.sd, count)


class Rewards(Protocol):
    """What arms pay."""

    bounded: ClassVar[bool]  # whether by the ends of the scale, and so are the means

    def arm(self, mean: float, width: float) -> Arm:
        """Return an arm of that mean, between 0 and 1; the scale was so wide."""


@dataclass(frozen=True)
class PassFailRewards:
    """One end of the scale or the other."""

    bounded: ClassVar[bool] = True

    def arm(self, mean: float, width: float) -> Arm:
        """Return an arm of that mean."""
        return Bernoulli(mean)


@dataclass(frozen=True)
class GaussianRewards:
    """Normal rewards."""

    sd: float
    bounded: ClassVar[bool] = False

    def __post_init__(self) -> None:
        a_number("sd", self.sd, above=0)

    def arm(self, mean: float, width: float) -> Arm:
        """Return an arm of that mean."""
        return Gaussian(mean, self.sd / width)


@dataclass(frozen=True)
class BetaRewards:
    """Rewards between the ends of the scale, the closer to the mean the larger the size a + b."""

    size: float
    bounded: ClassVar[bool] = True

    def __post_init__(self) -> None:
        a_number("size", self.size, above=0)

    def arm(self, mean: float, width: float) -> Arm:
        """Return an arm of that mean."""
        inside = min(max(mean, SHARPEST), 1 - SHARPEST)
        return Beta(self.size * inside, self.size * (1 - inside))


@dataclass(frozen=True)
class Drawn:
    """Arms whose means are drawn."""

    means: Means
    rewards: Rewards
    count: int
    scale: Scale = (0.0, 1.0)

    def __post_init__(self) -> None:
        least, greatest = self.means.ends(self.scale)
        low, high = self.scale
        if self.rewards.bounded and not low <= least < greatest <= high:
            raise InvalidInput(
                "the range of the guess's means",
                f"{least:g} to {greatest:g}",
                f"within {low:g} to {high:g}, where such rewards lie",
                f"{_beta_like(self.means, self.scale)} --rewards gaussian:SD has no such ends.",
            )

    def arms(self, chance: Chance) -> list[Arm]:
        """Draw the means, and return the arms."""
        low, width = self.scale[0], self.scale[1] - self.scale[0]
        means = (self.means.drawn(self.count, self.scale, chance) - low) / width
        if self.rewards.bounded:
            means = np.clip(means, 0, 1)
        return [self.rewards.arm(mean, width) for mean in means.tolist()]


def _beta_like(means: Means, scale: Scale) -> str:
    """Say which beta has the mean and the spread of a normal, if one has."""
    width = scale[1] - scale[0]
    if isinstance(means, NormalMeans):
        m, s = (means.mean - scale[0]) / width, means.sd / width
        if s * s < m * (1 - m):
            size = m * (1 - m) / (s * s) - 1
            return f"beta:{m * size:.3g},{(1 - m) * size:.3g} has that mean and sd."
    return "Give another, such as a beta."


@dataclass(frozen=True)
class OfExperiment:
    """The arms of an experiment; what it gives as a range is drawn anew for each problem."""

    experiment: Experiment

    @property
    def count(self) -> int:
        """The number of its arms."""
        return sum(group.count for group in self.experiment.groups)

    def arms(self, chance: Chance) -> list[Arm]:
        """Make the arms."""
        return list(replace(self.experiment, seed=(int(chance.integers(2**62)),)).problem().arms)


class Logged:
    """Arms that resample logged rewards, whose means are taken for the truth."""

    def __init__(self, rewards: Mapping[str, Sequence[float]], scale: Scale = (0.0, 1.0)) -> None:
        check_on_scale(rewards, scale)
        low, high = scale
        self._arms: list[Arm] = [
            Empirical([(reward - low) / (high - low) for reward in each])
            for each in rewards.values()
        ]

    @property
    def count(self) -> int:
        """The number of logged arms."""
        return len(self._arms)

    def arms(self, chance: Chance) -> list[Arm]:
        """Return the arms: there is no chance in them."""
        return self._arms


def check_on_scale(rewards: Mapping[str, Sequence[float]], scale: Scale) -> None:
    """Raise `InvalidInput` where a logged reward lies beyond the scale."""
    low, high = scale
    for arm, each in rewards.items():
        for reward in (min(each), max(each)):
            a_number(f"a reward of {arm!r}", reward, least=low, most=high, do="See --scale.")


@dataclass(frozen=True)
class Resampled:
    """So many arms, each of them one of another guess's, taken by chance."""

    guess: Guess
    count: int

    def arms(self, chance: Chance) -> list[Arm]:
        """Draw the arms."""
        from_these = self.guess.arms(chance)
        return [from_these[i] for i in chance.integers(len(from_these), size=self.count).tolist()]
