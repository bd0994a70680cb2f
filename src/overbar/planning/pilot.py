"""A pilot: what a few results of each arm tell of the arms.

The means of few tries are too spread out: some of their spread is the arms', the rest is luck. So
the arms are taken as drawn from a distribution that is fitted to all of them, and a problem is a
draw from what is then known: first of the distribution, then of each arm, given its own results
(Gelman et al., Bayesian Data Analysis, 3rd ed., 2013: section 5.3 for passes and failures, 5.4 for
other rewards). That holds however the policy of the pilot spread its tries, for its choices depend
on nothing but the results. All is on the scale of 0 to 1.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from math import log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from overbar.errors import InvalidInput
from overbar.problem import Arm, Bernoulli, Gaussian

Floats = NDArray[np.float64]

FEWEST = 3  # arms that were tried twice: with fewer, nothing tells their spread from luck
TRIED = 2
DRAWS = 20  # from which the spread of the arms is told
COARSE = np.linspace(-12, 12, 97), np.linspace(-2, 12, 57)  # the grid of log a/b and log (a + b)
FINER = 3  # grids, each about the density of the one before
POINTS = 60  # of a finer grid, a side
SPREADS = 1200  # that the arms may have
LEAST = 1e-9  # the sd of rewards that never vary
NEGLIGIBLE = 1e-7  # of the greatest density


class Results(NamedTuple):
    """What is known of each arm: how many results, their mean, and their variance around it."""

    n: Floats
    mean: Floats
    variance: Floats
    pass_fail: bool  # whether all are 0 or 1

    @classmethod
    def of(cls, rewards: Mapping[str, Sequence[float]], scale: tuple[float, float]) -> "Results":
        """Sum up the rewards of each arm, brought to the scale of 0 to 1."""
        low, width = scale[0], scale[1] - scale[0]
        each = [(np.array(x, np.float64) - low) / width for x in rewards.values()]
        return cls(
            np.array([len(x) for x in each], np.float64),
            np.array([x.mean() if len(x) else 0.0 for x in each]),
            np.array([x.var() if len(x) else 0.0 for x in each]),
            bool(np.isin(np.concatenate(each), (0.0, 1.0)).all()),
        )

    def check(self, name: str) -> None:
        """Raise `InvalidInput` where they do not tell how the arms differ."""
        twice = int((self.n >= TRIED).sum())
        if twice < FEWEST:
            raise InvalidInput(
                f"the pilot {name!r}",
                f"{twice} of {len(self.n)} arms with two results or more",
                f"one with {FEWEST} such arms or more",
                "One result an arm tells the mean of all of them"
                + (f", {self.n @ self.mean / self.n.sum():.3g} here," if self.n.any() else "")
                + " but not how they differ. Try them again, or give a --guess of that mean.",
            )
        if np.ptp(self.mean[self.n > 0]) == 0 and not self.variance.any():
            raise InvalidInput(
                f"the pilot {name!r}",
                f"{self.mean[self.n > 0][0]:g} in every result",
                "one whose results differ",
                "All that it tells is that the arms are alike. Try them more often, or give a"
                " --guess.",
            )


class Pilot(ABC):
    """The arms of a pilot, each given its results; with a count, so many others like them."""

    def __init__(self, results: Results, count: int | None = None) -> None:
        self.results, self._own = results, count is None
        self.count = len(results.n) if count is None else count
        self._fit()

    @abstractmethod
    def _fit(self) -> None:
        """Fit the distribution of the arms."""

    @abstractmethod
    def arms(self, chance: np.random.Generator) -> list[Arm]:
        """Draw the arms of a problem."""

    def in_words(self, width: float = 1.0) -> str:
        """Say how far the means lie apart, as they came and as fitted."""
        n, chance = self.results.n, np.random.default_rng(0)
        came = width * np.std(self.results.mean[n > 0])
        draws = [np.std([arm.mean for arm in self.arms(chance)]) for _ in range(DRAWS)]
        return (
            f"{n.sum():g} results of {len(n)} arms, whose means spread by {came:.2g} (sd); the arms"
            f" themselves, as fitted, by {width * np.mean(draws):.2g}. The rest is luck."
        )


class PassFail(Pilot):
    """Arms that pass or fail, fitted by a beta distribution of their chances.

    The density of (log a/b, log (a + b)) is kept on a grid, with the prior ∝ (a + b)^(−5/2) of
    (a, b) (equations 5.8 to 5.10).
    """

    def _fit(self) -> None:
        self._passes = np.rint(self.results.n * self.results.mean)
        sides, peak = COARSE, self._peak()
        for _ in range(FINER):  # a density of much data lies between the points of a coarse grid
            log_density = self._log_density(*sides)
            most = max(log_density.max(), self._log_density(*peak).max())
            logits, log_sizes = np.nonzero(log_density - most > log(NEGLIGIBLE))
            sides = _around(sides[0], logits, peak[0]), _around(sides[1], log_sizes, peak[1])
        log_density = self._log_density(*sides)
        density = np.exp(log_density - log_density.max())
        self._sides, self._density_of = sides, density / density.sum()

    def _peak(self) -> tuple[Floats, Floats]:
        """Return where the density is greatest."""
        from scipy.optimize import minimize

        def lacking(at: Floats) -> float:
            return -float(self._log_density(at[:1], at[1:])[0, 0])

        passes, n = self._passes.sum() + 0.5, self.results.n.sum() + 1
        (least, most), _ = ends = [(float(side[0]), float(side[-1])) for side in COARSE]
        logit = min(max(float(np.log(passes / (n - passes))), least), most)
        found = minimize(lacking, [logit, 3.0], method="Nelder-Mead", bounds=ends)
        return found.x[:1], found.x[1:]

    def _log_density(self, logit: Floats, log_size: Floats) -> Floats:
        from scipy.special import betaln

        size = np.exp(log_size)[None, :]
        a = size / (1 + np.exp(-logit[:, None]))
        b = size / (1 + np.exp(logit[:, None]))
        log_density: Floats = np.log(a) + np.log(b) - 2.5 * np.log(size)
        alike, many = np.unique([self._passes, self.results.n], axis=1, return_counts=True)
        for passes, n, times in zip(*alike, many, strict=True):
            if n:
                log_density += times * (betaln(a + passes, b + n - passes) - betaln(a, b))
        return log_density

    def _drawn(self, chance: np.random.Generator) -> tuple[float, float]:
        """Draw a and b: a cell of the grid, and a point in it."""
        cell = chance.choice(self._density_of.size, p=self._density_of.ravel())
        at = np.unravel_index(cell, self._density_of.shape)
        logit, log_size = (
            side[i] + (side[1] - side[0]) * chance.uniform(-0.5, 0.5)
            for side, i in zip(self._sides, at, strict=True)
        )
        size = np.exp(log_size)
        return float(size / (1 + np.exp(-logit))), float(size / (1 + np.exp(logit)))

    def arms(self, chance: np.random.Generator) -> list[Arm]:
        """Draw the distribution, then the arms."""
        a, b = self._drawn(chance)
        if self._own:
            means = chance.beta(a + self._passes, b + self.results.n - self._passes)
        else:
            means = chance.beta(a, b, self.count)
        return [Bernoulli(p) for p in means.tolist()]


class Scattered(Pilot):
    """Arms whose rewards scatter about their means, all as much, fitted by a normal distribution.

    The density of the sd of the means, τ in equation 5.21, is kept on a grid, with a flat prior.
    """

    def _fit(self) -> None:
        results = self.results
        n, free = results.n, results.n.sum() - np.count_nonzero(results.n)
        self.sd = max(LEAST, float(np.sqrt(n @ results.variance / free)))
        self._precision, self._mean = n / self.sd**2, results.mean
        most = 10 * max(float(np.std(results.mean[n > 0])), self.sd)
        least = self.sd / np.sqrt(n.max()) / 100  # a hundredth of the best-known mean's error
        self._spreads = np.geomspace(least, most, SPREADS)
        density = np.array([self._log_density(spread) for spread in self._spreads])
        density = np.exp(density - density.max()) * self._spreads  # so far is it to the next
        self._density = density / density.sum()

    def _centre(self, spread: float) -> tuple[float, float]:
        """Return the mean of the arms' means, and its variance, given their sd (5.20)."""
        weights = 1 / (spread**2 + 1 / self._precision[self._precision > 0])
        return float(weights @ self._mean[self._precision > 0] / weights.sum()), 1 / weights.sum()

    def _log_density(self, spread: float) -> float:
        centre, variance = self._centre(spread)
        tried = self._precision > 0
        variances = spread**2 + 1 / self._precision[tried]
        off = (self._mean[tried] - centre) ** 2 / variances
        return float(0.5 * np.log(variance) - 0.5 * (np.log(variances) + off).sum())

    def arms(self, chance: np.random.Generator) -> list[Arm]:
        """Draw the distribution, then the arms."""
        spread = float(chance.choice(self._spreads, p=self._density))
        centre, variance = self._centre(spread)
        centre = chance.normal(centre, np.sqrt(variance))
        if self._own:
            known = self._precision + 1 / spread**2  # 5.17
            means = (self._precision * self._mean + centre / spread**2) / known
            means = chance.normal(means, 1 / np.sqrt(known))
        else:
            means = chance.normal(centre, spread, self.count)
        return [Gaussian(mean, self.sd) for mean in means.tolist()]


def _around(side: Floats, places: NDArray[np.int64], peak: Floats) -> Floats:
    """Return a finer side, over the places, the peak, and one more place on either end."""
    after = np.searchsorted(side, peak)
    near = np.concatenate([places, after - 1, after])
    return np.linspace(
        side[max(near.min() - 1, 0)], side[min(near.max() + 1, len(side) - 1)], POINTS
    )


def fitted(name: str, results: Results, count: int | None = None) -> Pilot:
    """Return the arms of a pilot as a guess; with a count, so many others like them."""
    results.check(name)
    return (PassFail if results.pass_fail else Scattered)(results, count)
