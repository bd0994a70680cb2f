"""A guess: what is thought of the arms before they are tried.

Problem number i of a guess is a pure function of (guess, seed, i). Each has arms of its own, so
that many problems tell how much depends on which arms one gets. All is on the scale of 0 to 1 that
the policies are made for.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from overbar.errors import InvalidInput, a_number
from overbar.experiments.experiment import Experiment
from overbar.problem import Arm, Bernoulli, Beta, Empirical, Gaussian

Means = NDArray[np.float64]
Numbers = Mapping[str, float]

FAR = 5.0  # standard deviations of a normal: one mean in 1.7 million lies farther off
SHARPEST = 1e-9  # a beta of rewards has no arms whose mean is nearer to 0 or 1

MEANS: Mapping[str, tuple[str, ...]] = {
    "beta": ("a", "b"),
    "uniform": ("low", "high"),
    "normal": ("mean", "sd"),
}
POSITIVE = ("a", "b", "sd", "size")
REWARDS: Mapping[str, tuple[str, ...]] = {"pass-fail": (), "gaussian": ("sd",), "beta": ("size",)}


class Guess(Protocol):
    """What is thought of the arms."""

    @property
    def count(self) -> int:
        """K, the number of arms."""

    def arms(self, chance: np.random.Generator) -> list[Arm]:
        """Draw the arms of a problem."""


@dataclass(frozen=True)
class Spelled:
    """A distribution as it is typed: a name, a colon, and numbers with commas between them.

    >>> Spelled.read("the guess", "beta:20,1", MEANS)
    Spelled(name='beta', numbers={'a': 20.0, 'b': 1.0})
    """

    name: str
    numbers: Numbers

    @classmethod
    def read(
        cls, what: str, text: str, known: Mapping[str, tuple[str, ...]], do: str = ""
    ) -> "Spelled":
        """Read what was typed, or raise `InvalidInput`."""
        name, _, rest = text.partition(":")
        forms = {each: f"{each}:{','.join(needs).upper()}" for each, needs in known.items()}
        forms = {each: form.removesuffix(":") for each, form in forms.items()}
        if name not in known:
            raise InvalidInput(what, text, f"one of {', '.join(forms.values())}", do)
        given = rest.split(",") if rest else []
        if len(given) != len(known[name]):
            count = ("alone", "with a number", "with two numbers")[len(known[name])]
            raise InvalidInput(what, text, f"{forms[name]}, {count}")
        numbers = {}
        for key, each in zip(known[name], given, strict=True):
            try:
                numbers[key] = float(each)
            except ValueError:
                raise InvalidInput(f"{key} of {what} {text}", each, "a number") from None
            above = 0.0 if key in POSITIVE else -inf
            a_number(f"{key} of {what} {text}", numbers[key], above=above)
        if "low" in numbers and numbers["high"] <= numbers["low"]:
            raise InvalidInput(f"high of {what} {text}", numbers["high"], "above low")
        return cls(name, numbers)


@dataclass(frozen=True)
class Drawn:
    """Arms whose means are drawn from a distribution, and what they pay around it."""

    means: Spelled
    rewards: Spelled
    count: int
    scale: tuple[float, float] = (0.0, 1.0)

    def __post_init__(self) -> None:
        low, high = self.scale
        if self.rewards.name == "gaussian" or self.means.name == "beta":
            return
        given = self.means.numbers
        if self.means.name == "uniform":
            if low <= given["low"] and given["high"] <= high:
                return
            do = "Give ends that lie there, or --rewards gaussian:SD."
        else:
            if (
                low <= given["mean"] - FAR * given["sd"]
                and given["mean"] + FAR * given["sd"] <= high
            ):
                return
            do = _beta_like(given["mean"], given["sd"], self.scale)
        numbers = ",".join(f"{each:g}" for each in given.values())
        raise InvalidInput(
            "the guess",
            f"{self.means.name}:{numbers}",
            f"one whose means lie in [{low:g}, {high:g}], as {self.rewards.name} rewards ask",
            do,
        )

    def arms(self, chance: np.random.Generator) -> list[Arm]:
        """Draw the means, and return the arms."""
        low, width = self.scale[0], self.scale[1] - self.scale[0]
        given, K = self.means.numbers, self.count
        match self.means.name:
            case "beta":
                means = chance.beta(given["a"], given["b"], K)
            case "uniform":
                means = (chance.uniform(given["low"], given["high"], K) - low) / width
            case _:
                means = (chance.normal(given["mean"], given["sd"], K) - low) / width
        return self._paying(means, width)

    def _paying(self, means: Means, width: float) -> list[Arm]:
        match self.rewards.name:
            case "pass-fail":
                return [Bernoulli(p) for p in np.clip(means, 0, 1).tolist()]
            case "beta":
                size = self.rewards.numbers["size"]
                inside = np.clip(means, SHARPEST, 1 - SHARPEST).tolist()
                return [Beta(size * mean, size * (1 - mean)) for mean in inside]
        return [Gaussian(mean, self.rewards.numbers["sd"] / width) for mean in means.tolist()]


def _beta_like(mean: float, sd: float, scale: tuple[float, float]) -> str:
    """Say which beta has that mean and that spread, if one has."""
    low, high = scale
    m, s = (mean - low) / (high - low), sd / (high - low)
    if not 0 < s * s < m * (1 - m):
        return "Give a beta, or --rewards gaussian:SD."
    size = m * (1 - m) / (s * s) - 1
    return f"beta:{m * size:.3g},{(1 - m) * size:.3g} has that mean and sd."


@dataclass(frozen=True)
class OfExperiment:
    """The arms of an experiment; what it gives as a range is drawn anew for each problem."""

    experiment: Experiment

    @property
    def count(self) -> int:
        """The number of its arms."""
        return sum(group.count for group in self.experiment.groups)

    def arms(self, chance: np.random.Generator) -> list[Arm]:
        """Make the arms."""
        return list(replace(self.experiment, seed=(int(chance.integers(2**62)),)).problem().arms)


class Logged:
    """Arms that resample logged rewards, whose means are taken for the truth."""

    def __init__(
        self, rewards: Mapping[str, Sequence[float]], scale: tuple[float, float] = (0.0, 1.0)
    ) -> None:
        low, high = scale
        self._arms: list[Arm] = []
        for arm, each in rewards.items():
            for reward in (min(each), max(each)):
                a_number(f"a reward of {arm!r}", reward, least=low, most=high, do="See --scale.")
            self._arms.append(Empirical([(reward - low) / (high - low) for reward in each]))

    @property
    def count(self) -> int:
        """The number of logged arms."""
        return len(self._arms)

    def arms(self, chance: np.random.Generator) -> list[Arm]:
        """Return the arms: there is no chance in them."""
        return self._arms


@dataclass(frozen=True)
class Resampled:
    """So many arms, each of them one of another guess's, taken by chance."""

    guess: Guess
    count: int

    def arms(self, chance: np.random.Generator) -> list[Arm]:
        """Draw the arms."""
        from_these = self.guess.arms(chance)
        return [from_these[i] for i in chance.integers(len(from_these), size=self.count).tolist()]
