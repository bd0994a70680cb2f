"""What the page sure.md says, measured.

    python docs/sure.py coverage [CAMPAIGNS [POLICY…]]    intervals under adaptive play
    python docs/sure.py widths                  beside an interval of a fixed number of tries
    python docs/sure.py stopped [REPETITIONS]   campaigns that end when they are sure
    python docs/sure.py order [CAMPAIGNS]       what is settled when a budget ends too soon
    python docs/sure.py needed                  the fewest passes, or failures, that settle an arm

A campaign misses when, after any of its tries, the interval of any of its arms leaves out the arm's
mean. Seeds are fixed; the uncertainty of a share is Wilson's 95 % interval.
"""

import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from itertools import count
from math import log, sqrt
from typing import NamedTuple

import numpy as np
from scipy.stats import t as student

import overbar as ob
from overbar.live.record import NOTHING
from overbar.policies import BUILT_IN
from overbar.sequences import Noise, bounded, log_evidence
from overbar.simulate.wilson import wilson
from overbar.theory import fewest_tries

DELTA = 0.05
MEANS = (0.2, 0.5, 0.7, 0.75, 0.8, 0.85, 0.9, 0.99)  # of the arms that are covered; the bar is 0.8
BAR = 0.8
TRIES = 400

ARMS: dict[str, list[ob.Bernoulli] | list[ob.Beta] | list[ob.Gaussian]] = {
    "pass or fail": [ob.Bernoulli(mean) for mean in MEANS],
    "shares (Beta)": [ob.Beta(30 * mean, 30 - 30 * mean) for mean in MEANS],
    "normal": [ob.Gaussian(mean, 0.1 + 0.4 * i / 7) for i, mean in enumerate(MEANS)],
}
COVERED = [  # arms, and what is said of their noise
    ("pass or fail", "bounded"),
    ("shares (Beta)", "bounded"),
    ("pass or fail", "sub-gaussian:0.5"),
    ("normal", "sub-gaussian:0.5"),
    ("normal", "normal"),
]


class Seen(NamedTuple):
    """What a campaign showed, at any time."""

    miss: bool  # whether an interval left out a mean
    wrong: bool  # whether a verdict was wrong
    fixed: bool  # whether Wilson's 95 % interval left out a mean


def watched(arms: str, noise: str, policy: ob.Policy, campaign: int) -> Seen:
    """Play one campaign, and look at it after each try."""
    problem = ob.Problem(ARMS[arms], BAR)
    known, level = Noise.read(noise), log(problem.K / DELTA)
    seen = np.zeros(3, bool)
    estimates = [NOTHING] * problem.K
    trace = ob.trace(problem, policy, TRIES, seed=7, repetition=campaign)
    for arm, reward in zip(trace.arms.tolist(), trace.rewards.tolist(), strict=True):
        now = estimates[arm] = estimates[arm].plus(reward)
        results, truth = (now.n, now.mean, now.variance), MEANS[arm]
        misjudged = (now.mean >= BAR) != (truth >= BAR)
        seen[0] |= log_evidence(*results, truth, known.model, known.sigma) >= level
        seen[1] |= misjudged and log_evidence(*results, BAR, known.model, known.sigma) >= level
        seen[2] |= leaves_out(*results, truth)
    return Seen(*seen.tolist())


def leaves_out(n: int, r: float, v: float, mean: float) -> bool:
    """Return whether Wilson's 95 % interval of n tries leaves out the mean."""
    return n * (r - mean) ** 2 > 1.959964**2 * mean * (1 - mean)


def coverage(arms: str, noise: str, policy: ob.Policy, campaigns: int) -> Seen:
    """Return how many campaigns missed, were wrong, and would have missed with Wilson's."""
    return Seen(*np.sum([watched(arms, noise, policy, i) for i in range(campaigns)], axis=0))


def print_coverage(campaigns: int, names: tuple[str, ...]) -> None:
    """Print a row for each policy and what is said of the noise."""
    print(f"{campaigns} campaigns a row, {len(MEANS)} arms, {TRIES} tries; in % of campaigns")
    print("| arms | noise | policy | missed | wrong | Wilson's missed |")
    print("| --- | --- | --- | ---: | ---: | ---: |")
    with ProcessPoolExecutor(2) as pool:
        rows = []
        for arms, noise in COVERED:
            for kind in BUILT_IN:
                if names and kind.name not in names:
                    continue
                policy = kind()
                if isinstance(policy, ob.UntilSure):
                    policy = replace(policy, noise=noise)
                played = pool.submit(coverage, arms, noise, policy, campaigns)
                rows.append((arms, noise, policy.name, played))
        for *row, played in rows:
            counts = played.result()
            cells = [share(counts.miss, campaigns), share(counts.wrong, campaigns)]
            fixed = f"{100 * counts.fixed / campaigns:.0f}" if row[0] == "pass or fail" else ""
            print("|", " | ".join([*row, *cells, fixed]), "|", flush=True)


def share(count: int, of: int) -> str:
    """Return a share in %, with its uncertainty."""
    low, high = wilson(count, of)
    return f"{100 * count / of:.2f} ({100 * float(low):.2f} to {100 * float(high):.2f})"


def print_widths() -> None:
    """Print how much wider our intervals are, at results that are just what is expected."""
    print("times as wide as the 95 % interval of so many tries, fixed beforehand")
    print("| noise | arms | n = 10 | 100 | 1000 | 10 000 | 100 000 |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for named, noise, r, v in [
        ("pass or fail, mean 0.5", "bounded", 0.5, 0.25),
        ("pass or fail, mean 0.9", "bounded", 0.9, 0.09),
        ("shares of sd 0.1, mean 0.8", "bounded", 0.8, 0.01),
        ("normal, σ known", "sub-gaussian:0.5", 0.5, 0.25),
        ("normal, σ not known", "normal", 0.5, 0.25),
    ]:
        for K in (1, 100):
            ratios = []
            for n in (10, 100, 1000, 10_000, 100_000):
                low, high = Noise.read(noise).interval(n, r, v, log(K / DELTA))
                if noise == "bounded" and v > 0.05:
                    fixed_low, fixed_high = wilson(r * n, n)
                    fixed = float(fixed_high - fixed_low)
                elif noise == "sub-gaussian:0.5":
                    fixed = 2 * 1.959964 * sqrt(v / n)
                else:
                    fixed = 2 * float(student.ppf(0.975, n - 1)) * sqrt(v / (n - 1))
                ratios.append(f"{(high - low) / fixed:.2f}")
            print("|", " | ".join([named, str(K), *ratios]), "|")


@dataclass(frozen=True)
class Ended:
    """What came of a problem whose campaigns ended when they were sure."""

    wrong: int
    tries: float
    fewest: float  # what any policy needs


def random_problem(noise: str, chance: np.random.Generator) -> ob.Problem:
    """Return 2 to 12 arms with means anywhere, but 0.04 from a bar between 0.1 and 0.9."""
    bar = float(chance.uniform(0.1, 0.9))
    means = [mean for mean in chance.uniform(size=100).tolist() if abs(mean - bar) >= 0.04]
    means = means[: int(chance.integers(2, 13))]
    if noise == "bounded":
        return ob.Problem([ob.Bernoulli(mean) for mean in means], bar)
    sigma = 0.25 if ":" in noise else float(chance.uniform(0.1, 0.5))
    return ob.Problem([ob.Gaussian(mean, sigma) for mean in means], bar)


def stopped(noise: str, problems: int, repetitions: int, seed: int) -> Iterator[Ended]:
    """Yield what came of random problems."""
    chance = np.random.default_rng(seed)
    policy = ob.UntilSure(1 - DELTA, noise)
    for number in range(problems):
        problem = random_problem(noise, chance)
        budget = 20_000 * problem.K
        result = ob.simulate(problem, [policy], budget, repetitions, seed=[seed, number])
        tries = result.tries(policy.name)
        assert tries.max() < budget  # which none needed
        fewest = fewest_tries(problem, 1 - DELTA)
        yield Ended(int(result.wrong(policy.name).sum()), float(tries.mean()), fewest)


def print_stopped(repetitions: int) -> None:
    """Print wrong verdicts and tries, over a hundred random problems for each kind of noise."""
    print(f"100 random problems a row, {repetitions} campaigns each, confidence {1 - DELTA}")
    print(
        "| noise | campaigns with a wrong verdict, % | worst problem, % | tries on average |"
        " fewest of any policy | times as many: least, median, most |"
    )
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for noise in ("bounded", "sub-gaussian:0.25", "normal"):
        ended = list(stopped(noise, 100, repetitions, seed=5))
        wrong = sum(each.wrong for each in ended)
        times = np.quantile([each.tries / each.fewest for each in ended], (0, 0.5, 1))
        cells = [
            noise,
            share(wrong, 100 * repetitions),
            f"{100 * max(each.wrong for each in ended) / repetitions:.1f}",
            f"{np.mean([each.tries for each in ended]):.0f}",
            f"{np.mean([each.fewest for each in ended]):.0f}",
            ", ".join(f"{each:.1f}" for each in times),
        ]
        print("|", " | ".join(cells), "|", flush=True)


@dataclass(frozen=True)
class LeastEvidenceFirst(ob.UntilSure):
    """Pulls the arm of which the least is known, as the likelihood-ratio index does."""

    @staticmethod
    def index(n: int, r: float, v: float, tau: float, *constants: float) -> float:
        """Return the logarithm of the evidence."""
        _, model, sigma, _ = constants
        return log_evidence(n, r, v, tau, model, sigma)


def settled(policy: ob.Policy, problem: ob.Problem, tries: int, campaign: int) -> tuple[int, int]:
    """Return how many arms are settled when the budget ends, and on how many the mean errs."""
    level = log(problem.K / DELTA)
    estimates, sure = [NOTHING] * problem.K, np.zeros(problem.K, bool)
    trace = ob.trace(problem, policy, tries, seed=9, repetition=campaign)
    for arm, reward in zip(trace.arms.tolist(), trace.rewards.tolist(), strict=True):
        now = estimates[arm] = estimates[arm].plus(reward)
        sure[arm] |= bounded(now.n, now.mean, now.variance, problem.threshold) >= level
    over = np.array([now.n > 0 and now.mean >= problem.threshold for now in estimates])
    return int(sure.sum()), int(np.sum(over != problem.truth))


def print_order(campaigns: int) -> None:
    """Print how many of 30 arms are settled, and how many are wrong by their means alone."""
    problem = ob.Problem([ob.Bernoulli((i + 0.5) / 30) for i in range(30)], BAR)
    print(f"{campaigns} campaigns of 30 arms, means evenly from 0 to 1, bar {BAR}: arms, averages")
    print("| policy | settled in 500 tries | 2000 | 8000 | wrong by the mean, 500 | 2000 | 8000 |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for policy in (
        *(ob.UntilSure(), LeastEvidenceFirst(), ob.AnytimeAugUCB(), ob.AugUCB(), ob.APT()),
        ob.UniformAllocation(),
    ):
        ends = [
            np.mean([settled(policy, problem, tries, i) for i in range(campaigns)], axis=0)
            for tries in (500, 2000, 8000)
        ]
        cells = [f"{end[which]:.1f}" for which in (0, 1) for end in ends]
        print("|", " | ".join([policy.name, *cells]), "|", flush=True)


def needed(bar: float, K: int, result: float) -> int:
    """Return how many equal results in a row settle one of K arms with 95 %."""
    return next(n for n in count(1) if bounded(n, result, 0.0, bar) >= log(K / DELTA))


def print_needed() -> None:
    """Print them for several bars, and numbers of arms."""
    arms = (1, 10, 100, 1000)
    print("| bar |", " | ".join(f"passes, K = {K}" for K in arms), end=" | ")
    print(" | ".join(f"failures, {K}" for K in arms), "|")
    print("|", " | ".join(["---:"] * 9), "|")
    for bar in (0.5, 0.8, 0.9, 0.95, 0.99):
        cells = [str(needed(bar, K, result)) for result in (1.0, 0.0) for K in arms]
        print("|", " | ".join([str(bar), *cells]), "|")


def main(what: str, size: str = "", *names: str) -> None:
    """Measure, and print."""
    if what == "needed":
        print_needed()
    elif what == "coverage":
        print_coverage(int(size or 10_000), names)
    elif what == "widths":
        print_widths()
    elif what == "stopped":
        print_stopped(int(size or 100))
    else:
        print_order(int(size or 100))


if __name__ == "__main__":
    main(*sys.argv[1:])
