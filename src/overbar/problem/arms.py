"""Arms and what they pay. Each tells the mean and the variance of its rewards.

How a reward is drawn from a word of random bits is in `overbar.simulate.rewards`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np

from overbar.errors import InvalidInput, a_number

# Which formula draws the reward: the numbers by which the compiled simulator knows the classes.
GAUSSIAN, BERNOULLI, BETA, UNIFORM, EXPONENTIAL, EMPIRICAL = range(6)

WIDEST = 1e150  # the greatest sd: its square is a number still


@runtime_checkable
class Arm(Protocol):
    """What an arm pays: the common face of all distributions."""

    kind: ClassVar[int]

    @property
    def mean(self) -> float:
        """r_i, the mean of the rewards."""

    @property
    def variance(self) -> float:
        """σ_i², the variance of the rewards."""

    @property
    def parameters(self) -> tuple[float, float]:
        """The two numbers that the formula of its kind takes."""


@dataclass(frozen=True)
class Gaussian:
    """Normal rewards, given by mean and *standard deviation*.

    >>> Gaussian(0.45, 0.6).variance
    0.36
    """

    mean: float
    sd: float
    kind: ClassVar[int] = GAUSSIAN

    def __post_init__(self) -> None:
        a_number("the mean of a Gaussian arm", self.mean)
        a_number("the sd of a Gaussian arm", self.sd, least=0, most=WIDEST)

    @property
    def variance(self) -> float:
        """The square of `sd`."""
        return self.sd**2

    @property
    def parameters(self) -> tuple[float, float]:
        """Mean and standard deviation."""
        return self.mean, self.sd


@dataclass(frozen=True)
class Bernoulli:
    """1 with probability `p`, else 0.

    >>> Bernoulli(0.9).mean
    0.9
    """

    p: float
    kind: ClassVar[int] = BERNOULLI

    def __post_init__(self) -> None:
        a_number("the p of a Bernoulli arm", self.p, least=0, most=1)

    @property
    def mean(self) -> float:
        """The probability p."""
        return self.p

    @property
    def variance(self) -> float:
        """The variance p (1 − p)."""
        return self.p * (1 - self.p)

    @property
    def parameters(self) -> tuple[float, float]:
        """The probability p."""
        return self.p, 0.0


@dataclass(frozen=True)
class Beta:
    """Beta(a, b) on [0, 1].

    >>> Beta(2, 2).variance
    0.05
    """

    a: float
    b: float
    kind: ClassVar[int] = BETA

    def __post_init__(self) -> None:
        a_number("the a of a Beta arm", self.a, above=0)
        a_number("the b of a Beta arm", self.b, above=0)

    @property
    def mean(self) -> float:
        """The mean a / (a + b)."""
        return self.a / (self.a + self.b)

    @property
    def variance(self) -> float:
        """The variance r (1 − r) / (a + b + 1)."""
        return self.mean * (1 - self.mean) / (self.a + self.b + 1)

    @property
    def parameters(self) -> tuple[float, float]:
        """The two shapes."""
        return self.a, self.b


@dataclass(frozen=True)
class Uniform:
    """Uniform on [low, high].

    >>> Uniform(0, 1).mean
    0.5
    """

    low: float
    high: float
    kind: ClassVar[int] = UNIFORM

    def __post_init__(self) -> None:
        a_number("the low end of a Uniform arm", self.low)
        a_number("the high end of a Uniform arm", self.high, least=self.low)

    @property
    def mean(self) -> float:
        """The middle."""
        return self.low + (self.high - self.low) / 2

    @property
    def variance(self) -> float:
        """The variance (high − low)² / 12."""
        return (self.high - self.low) ** 2 / 12

    @property
    def parameters(self) -> tuple[float, float]:
        """Low end and width."""
        return self.low, self.high - self.low


@dataclass(frozen=True)
class Exponential:
    """Exponential rewards, given by their mean.

    >>> Exponential(0.5).variance
    0.25
    """

    mean: float
    kind: ClassVar[int] = EXPONENTIAL

    def __post_init__(self) -> None:
        a_number("the mean of an Exponential arm", self.mean, above=0)

    @property
    def variance(self) -> float:
        """The square of the mean."""
        return self.mean**2

    @property
    def parameters(self) -> tuple[float, float]:
        """The mean."""
        return self.mean, 0.0


@dataclass(frozen=True)
class Empirical:
    """Resamples rewards that were logged, each with equal probability.

    >>> Empirical([0.2, 0.4, 0.9]).mean
    0.5
    """

    rewards: Sequence[float]
    _mean: float = field(init=False, repr=False, compare=False)
    _variance: float = field(init=False, repr=False, compare=False)
    kind: ClassVar[int] = EMPIRICAL

    def __post_init__(self) -> None:
        what = "a reward of an Empirical arm"
        rewards = tuple(a_number(what, reward) for reward in np.ravel(self.rewards).tolist())
        if not rewards:
            raise InvalidInput("the log of an Empirical arm", self.rewards, "one reward or more")
        object.__setattr__(self, "rewards", rewards)
        object.__setattr__(self, "_mean", float(np.mean(rewards)))
        object.__setattr__(self, "_variance", float(np.var(rewards)))

    @property
    def mean(self) -> float:
        """The mean of the log."""
        return self._mean

    @property
    def variance(self) -> float:
        """The variance of the log."""
        return self._variance

    @property
    def parameters(self) -> tuple[float, float]:
        """None: it draws from the log."""
        return 0.0, 0.0
