"""Rules that meet published curves which the reading *released* does not; see reproduction.md.

    python docs/rules_that_fit.py FILE.csv [REPETITIONS]

FILE.csv holds published points, as for `overbar paper --published`. Both rules are played on the
experiments as released, and compared with the points as the command does.

AugUCB: the released script has two confidence terms, L = log(ψ T ε_m²), ψ = T / log K:
sqrt(ρ L / (2 n)) with ρ = 1/8, and sqrt(ρ_v (v̂ + 1) L / (4 n)) with ρ_v = 2/3. Here both stand
under one root, s = sqrt(ρ_v v̂ L / (4 n) + ρ L / (2 n)), and the arm of lowest |r̂ − τ| − 2 s is
pulled, as printed. This form is inferred: no script that we know of has it.

CSAR: as the released script has it. lōg(K) sums from i = 1, not 2; the phases are k = 0, …, K − 1;
and what is settled after a phase is the lowest surviving arm below τ, not the farthest from it.
"""

import sys
from dataclasses import dataclass, replace
from math import ceil, e, floor, log, log2, sqrt
from pathlib import Path
from typing import ClassVar

import numba
import numpy as np

import overbar as ob
from overbar.experiments import paper
from overbar.experiments.experiment import Experiment
from overbar.report import published
from overbar.simulate.blocks import Played


@dataclass(frozen=True)
class OneRootAugUCB(ob.Policy):
    """The released AugUCB, but for s and for the number of s in the index."""

    rho: float = 1 / 8
    rho_v: float = 2 / 3
    name: ClassVar[str] = "AugUCB"

    def rounds(self, game: ob.Game) -> list[ob.Round]:
        """ε_m and ℓ_m as released."""
        K, T = game.K, game.T
        M = floor(log2(T / e) / 2)
        rounds = []
        for m in range(M + 2):
            epsilon = 2.0**-m
            L = log(T / log(K) * T * epsilon**2)
            constants = (self.rho_v * L / 4, self.rho * L / 2)
            rounds.append(ob.Round(constants, length=ceil(2 * L / epsilon) if m <= M else T))
        return rounds

    @staticmethod
    def index(n: int, r: float, v: float, tau: float, of_v: float, flat: float) -> float:
        """|r̂ − τ| − 2 s."""
        return abs(r - tau) - 2 * sqrt((of_v * v + flat) / n)

    @staticmethod
    def deleted(n: int, r: float, v: float, tau: float, of_v: float, flat: float) -> bool:
        """|r̂ − τ| > 2 s."""
        return abs(r - tau) > 2 * sqrt((of_v * v + flat) / n)


@numba.njit
def csar_of_the_script(means, sds, tau, T, repetitions, seed):  # type: ignore[no-untyped-def]
    """Return the error counts at each time step; and, a repetition, wrong verdicts and tries."""
    np.random.seed(seed)
    K = len(means)
    log_K = 0.5
    for i in range(1, K + 1):
        log_K += 1 / i
    errors = np.zeros(T, np.int64)
    ended, tries = np.zeros(repetitions, np.int64), np.zeros(repetitions, np.int64)
    for repetition in range(repetitions):
        total, n, r, settled = np.zeros(K), np.zeros(K), np.zeros(K), np.zeros(K, np.bool_)
        misjudged = np.sum(means >= tau)
        t, before = 0, 0
        for k in range(K):
            n_k = ceil((T - K) / (log_K * (K + 1 - k)))
            for i in range(K):
                for _ in range(0 if settled[i] else min(n_k - before, T - t)):
                    misjudged -= (r[i] >= tau) != (means[i] >= tau)
                    total[i] += np.random.normal(means[i], sds[i])
                    n[i] += 1
                    r[i] = total[i] / n[i]
                    misjudged += (r[i] >= tau) != (means[i] >= tau)
                    errors[t] += misjudged > 0
                    t += 1
            before = n_k
            lowest = -1
            for i in range(K):
                if not settled[i] and r[i] < tau and (lowest < 0 or r[i] < r[lowest]):
                    lowest = i
            if lowest >= 0:
                settled[lowest] = True
        errors[t:] += misjudged > 0
        ended[repetition], tries[repetition] = misjudged, t
    return errors, ended, tries


def play(experiment: Experiment) -> ob.Result:
    """Play both rules on an experiment."""
    problem, T, repetitions = experiment.problem(), experiment.budget, experiment.repetitions
    result = ob.simulate(problem, [OneRootAugUCB()], T, repetitions, seed=experiment.seed)
    spreads = np.sqrt(problem.variances)
    seed, tau = sum(experiment.seed), problem.threshold
    counted = csar_of_the_script(problem.means, spreads, tau, T, repetitions, seed)
    errors, misjudged, tries = counted
    csar = Played(errors, np.zeros(problem.K, np.int64), misjudged[:, None], tries)
    return replace(result, played={**result.played, "CSAR": csar})


def main(path: str, repetitions: str = "500") -> None:
    """Play, compare, and print a line a curve."""
    points = published.read(Path(path))
    ran = []
    for number in sorted({point.experiment for point in points}):
        released = paper.experiment(number, "released")
        experiment = replace(released, repetitions=int(repetitions))
        ran.append((experiment, play(experiment)))
    compared = published.compare(
        ran, [point for point in points if point.policy in ("AugUCB", "CSAR")]
    )
    print(
        "experiment policy points near met | farthest: t there ours off p p-adjusted | at T: ours"
    )
    for curve in published.curves(compared):
        far = curve.farthest
        print(
            *(curve.experiment, curve.policy, len(curve.points), curve.near, curve.met, "|"),
            *(far.point.time_step, far.point.percent, f"{far.percent:.1f} {far.difference:+.1f}"),
            f"{far.p:.2g} {far.p_holm:.2g} | {curve.points[-1].percent:.1f} {curve.verdict}",
        )


if __name__ == "__main__":
    main(*sys.argv[1:])
