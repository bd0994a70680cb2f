"""Games that the tests play: problems that bring out what a policy can do."""

from collections.abc import Callable
from random import Random

import numpy as np

import overbar as ob
from overbar.policies.policy import Policy
from overbar.theory import H_1, H_sigma_1
from tests import reference

#: name, problem, budget
GAMES: dict[str, tuple[ob.Problem, int]] = {
    "near the bar": (
        ob.Problem([ob.Gaussian(m, 0.5) for m in (0.3, 0.45, 0.48, 0.52, 0.6, 0.9, 0.1)], 0.5),
        600,
    ),
    "twenty, rounds change": (
        ob.Problem([ob.Gaussian(0.4 + 0.01 * i, 0.3 + 0.02 * i) for i in range(20)], 0.5),
        14_000,
    ),
    "some deleted in the middle": (
        ob.Problem(
            [ob.Gaussian(m, 0.4) for m in (-3, 4.0, 0.45, 0.5, 0.55, 2.0, -1.0, 0.4, 0.7, 5)], 0.5
        ),
        3000,
    ),
    "all deleted": (
        ob.Problem([ob.Gaussian(m, 0.2) for m in (4, -4, 5, -5, 3, -3, 6, -6, 7)], 0.5),
        1000,
    ),
    "ties": (
        ob.Problem([ob.Bernoulli(p) for p in (0.5, 0.4, 0.6, 0.5, 0.3, 0.7, 0.5, 0.5)], 0.5),
        2500,
    ),
    "certain": (ob.Problem([ob.Bernoulli(i % 2) for i in range(12)], 0.5), 400),
    "ties at nine tenths": (
        ob.Problem([ob.Bernoulli(p) for p in (0.9, 0.8, 0.95, 1, 0.9, 0.9, 0.85)], 0.9),
        1500,
    ),
    "every distribution": (
        ob.Problem(
            [
                ob.Gaussian(0.45, 0.6),
                ob.Bernoulli(0.6),
                ob.Beta(0.5, 0.5),
                ob.Uniform(0, 0.9),
                ob.Exponential(0.6),
                ob.Empirical([0.1, 0.5, 0.5, 0.8]),
                ob.Beta(3, 2),
            ],
            0.5,
        ),
        1200,
    ),
    "budget just enough": (ob.Problem([ob.Gaussian(0.5, 1.0)] * 9, 0.5), 18),
    "a hundred": (
        ob.Problem(
            [ob.Gaussian(0.45, 0.7)] * 5
            + [ob.Gaussian(0.55, 0.8)] * 5
            + [ob.Gaussian(0.4, 0.6)] * 90,
            0.5,
        ),
        8000,
    ),
}

Rival = tuple[Policy, Callable[[reference.Pull], None]]


def rivals(problem: ob.Problem, T: int, rewards_chance: Random) -> list[Rival]:
    """Each policy beside its reference, for use on the problem."""
    K, tau = problem.K, problem.threshold
    a_1, a_sigma = (T - K) / H_1(problem), (T - 2 * K) / H_sigma_1(problem)
    return [
        (ob.AugUCB(), lambda pull: reference.augucb(pull, K, T, tau)),
        (ob.AugUCB(rho=0.02), lambda pull: reference.augucb(pull, K, T, tau, rho=0.02)),
        (ob.APT(), lambda pull: reference.apt(pull, K, T, tau)),
        (ob.APT(epsilon=0), lambda pull: reference.apt(pull, K, T, tau, epsilon=0)),
        (ob.UCBE(), lambda pull: reference.ucbe(pull, K, T, tau, a_1)),
        (ob.UCBE(a=3), lambda pull: reference.ucbe(pull, K, T, tau, 3)),
        (ob.UCBEV(), lambda pull: reference.ucbev(pull, K, T, tau, a_sigma)),
        (ob.UCBEV(factor=256), lambda pull: reference.ucbev(pull, K, T, tau, 256 * a_sigma)),
        (ob.CSAR(), lambda pull: reference.csar(pull, K, T, tau)),
        (
            ob.UniformAllocation(),
            lambda pull: reference.uniform(pull, K, T, rewards_chance),
        ),
        (ob.LSA(), lambda pull: reference.lsa(pull, K, T, tau, alpha=1)),
        (ob.FWT(), lambda pull: reference.fwt(pull, K, T, tau, sigma=0.5)),
        (ob.EVT(), lambda pull: reference.evt(pull, K, T, tau, epsilon=0.05)),
        (ob.BernoulliLR(), lambda pull: reference.bernoulli_lr(pull, K, T, tau)),
        (ob.GaussianLR(), lambda pull: reference.gaussian_lr(pull, K, T, tau)),
        (ob.AnytimeAugUCB(), lambda pull: reference.anytime_augucb(pull, K, T, tau)),
        (ob.UntilSure(), lambda pull: reference.until_sure(pull, K, T, tau)),
        (
            ob.UntilSure(0.8, indifference=0.1),
            lambda pull: reference.until_sure(pull, K, T, tau, 0.8, epsilon=0.1),
        ),
        (
            ob.UntilSure(0.9, "normal"),
            lambda pull: reference.until_sure(pull, K, T, tau, 0.9, "normal"),
        ),
        (
            ob.UntilSure(0.5, "sub-gaussian:0.5"),
            lambda pull: reference.until_sure(pull, K, T, tau, 0.5, "sub-gaussian:0.5"),
        ),
    ]


class Tape:
    """Plays given rewards, one a pull, and keeps which arms were pulled."""

    def __init__(self, rewards: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> None:
        self.rewards = rewards
        self.arms: list[int] = []

    def pull(self, i: int) -> float:
        self.arms.append(i)
        t = len(self.arms) - 1
        # A policy that goes on after the package stopped is found out by its longer list.
        return float(self.rewards[t]) if t < len(self.rewards) else 0.0


class Words(Random):
    """The words of a repetition's stream of chance, drawn by numpy itself, as random()."""

    def __init__(self, seed: int, repetition: int = 0) -> None:
        super().__init__(0)
        sequence = np.random.SeedSequence(seed, spawn_key=(1, repetition))
        self.generator = np.random.Generator(np.random.SFC64(sequence))

    def random(self) -> float:
        return float(self.generator.random())
