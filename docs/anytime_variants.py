"""What each part of AnytimeAugUCB's index is worth: the tables of anytime.md.

    python docs/anytime_variants.py

prints the error in % for the index as it is, and with one part changed at a time: at the end of
experiments 1 to 5 in both readings, and of random problems of each kind.
"""

from collections.abc import Callable, Mapping
from math import log, sqrt
from statistics import mean

import overbar as ob
from overbar.experiments.families import Family
from overbar.experiments.paper import READINGS, experiment
from overbar.policies.anytime import gaussian, x
from overbar.theory import d

REPETITIONS = 2000  # of an experiment
KINDS = ("bernoulli", "beta", "uniform", "gaussian", "exponential", "empirical")
PROBLEMS, REPETITIONS_OF_EACH = 30, 100  # of a kind

VARIANTS: dict[str, ob.Policy] = {"x + ln n: AnytimeAugUCB": ob.AnytimeAugUCB()}


def variant(name: str) -> Callable[[Callable[..., float]], None]:
    """Make a policy of an index, and list it."""

    def make(index: Callable[..., float]) -> None:
        VARIANTS[name] = type(name, (ob.Policy,), {"index": staticmethod(index)})()

    return make


@variant("x")
def _(n: int, r: float, v: float, tau: float) -> float:
    return x(n, r, v, tau)


@variant("x + ½ ln n")
def _(n: int, r: float, v: float, tau: float) -> float:
    return x(n, r, v, tau) + 0.5 * log(n)


@variant("x + 2 ln n")
def _(n: int, r: float, v: float, tau: float) -> float:
    return x(n, r, v, tau) + 2 * log(n)


@variant("max(x, 1) − ln max(x, 1) + ln n, as FWT")
def _(n: int, r: float, v: float, tau: float) -> float:
    capped = max(x(n, r, v, tau), 1.0)
    return capped - log(capped) + log(n)


@variant("x of a mean one standard error nearer")
def _(n: int, r: float, v: float, tau: float) -> float:
    z = max(sqrt(2 * x(n, r, v, tau)) - 1, 0.0)
    return z * z / 2 + log(n)


@variant("n − 1 replaced by n")
def _(n: int, r: float, v: float, tau: float) -> float:
    return x(n, r, v, tau) * n / (n - 1) + log(n) if n > 1 else 0.0


@variant("always Gaussian evidence")
def _(n: int, r: float, v: float, tau: float) -> float:
    return gaussian(n, r, v, tau) + log(n)


@variant("always of passes and failures: φ̂ = 1")
def _(n: int, r: float, v: float, tau: float) -> float:
    return n * d(min(max(r, 0.0), 1.0), tau) + log(n)


@variant("of one spread: 2 n Δ̂² + ln n")
def _(n: int, r: float, v: float, tau: float) -> float:
    distance = r - tau
    return 2 * n * distance * distance + log(n)


def of_experiment(number: int, reading: str) -> dict[str, str]:
    """Return the error of each variant, ± half of Wilson's 95 % interval."""
    given = experiment(number, reading)
    result = ob.simulate(given.problem(), VARIANTS, 10_000, REPETITIONS, seed=given.seed)
    cells = {}
    for name in VARIANTS:
        low, high = (end[-1] for end in result.interval(name))
        cells[name] = f"{100 * result.error_rate(name)[-1]:.1f} ± {50 * (high - low):.1f}"
    return cells


def of_random(kind: str) -> dict[str, str]:
    """Return the mean error of each variant, ± 1.96 standard errors of its repetitions."""
    errors: dict[str, list[float]] = {name: [] for name in VARIANTS}
    for i in range(1, PROBLEMS + 1):
        given = Family(distributions=(kind,)).experiment(i)
        repetitions = REPETITIONS_OF_EACH
        result = ob.simulate(given.problem(), VARIANTS, given.budget, repetitions, seed=given.seed)
        for name in VARIANTS:
            errors[name].append(result.error_rate(name)[-1])
    n = PROBLEMS**2 * REPETITIONS_OF_EACH
    return {
        name: f"{100 * mean(each):.1f} ± {196 * sqrt(sum(e * (1 - e) for e in each) / n):.1f}"
        for name, each in errors.items()
    }


def print_table(title: str, columns: Mapping[str, Mapping[str, str]]) -> None:
    """Print a row a variant."""
    print(f"| {title} | " + " | ".join(columns) + " |")
    print("| --- |" + " ---: |" * len(columns))
    for name in VARIANTS:
        print(f"| {name} | " + " | ".join(cells[name] for cells in columns.values()) + " |")
    print()


def main() -> None:
    """Print the three tables."""
    for reading in READINGS:
        columns = {f"exp. {number}": of_experiment(number, reading) for number in range(1, 6)}
        print_table(reading, columns)
    print_table("random", {kind: of_random(kind) for kind in KINDS})


if __name__ == "__main__":
    main()
