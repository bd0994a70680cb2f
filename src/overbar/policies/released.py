"""AugUCB, UCBE and UCBEV as the authors' released simulation ran them, which is not as printed.

The published Figure 1 comes from that simulation. What differs, beside the printed ones:

========  ==================================  ====================================================
policy    printed                             released
========  ==================================  ====================================================
AugUCB    ψ_m = T ε_m / (128 log²(…)),        ψ = T / log K in every round,
          log(T ε_m) in s and ℓ               log(ψ T ε_m²) in s and ℓ
          ψ_m under the root of s, and in ℓ   no ψ there
          ρ = 1/3                             ρ = 2/3
          pulls the lowest |r̂ − τ| − 2 s      pulls the lowest |r̂ − τ| − s; deletes by 2 s
UCBE      H_1 sums over all arms              H_1 sums over the first ten arms, not the 90 fillers
UCBEV     bonus sqrt(a / n)                   bonus sqrt(2 a v̂ / n) + 7 a / (3 n − 1)
          a = (T − 2K) / H_σ,1                a = (8/9) (T − 2K) / H, the first ten arms alone:
          H_σ,1 as printed                    H = Σ (σ + sqrt(σ² + (16/3) Δ))² / Δ²
========  ==================================  ====================================================

APT, CSAR and UA have no released variant here: as printed they come closest to their curves.
"""

from dataclasses import dataclass
from math import ceil, e, floor, log, log2, sqrt
from typing import ClassVar

import numpy as np

from overbar.errors import InvalidInput, a_number, a_whole_number
from overbar.policies.policy import Game, Policy, Round
from overbar.policies.ucbe import UCBE
from overbar.problem import Problem
from overbar.theory import H_1


def s(n: int, v: float, rho: float, log_psi_T_epsilon2: float) -> float:
    """s_i = sqrt(ρ (v̂_i + 1) log(ψ T ε_m²) / (4 n_i))."""
    return sqrt(rho * (v + 1) * log_psi_T_epsilon2 / (4 * n))


@dataclass(frozen=True)
class ReleasedAugUCB(Policy):
    """Knows T."""

    rho: float = 2 / 3
    name: ClassVar[str] = "AugUCB"

    def __post_init__(self) -> None:
        a_number("rho", self.rho, above=0)

    def check(self, game: Game) -> None:
        """ψ is T / log K."""
        if game.K < 2:
            raise InvalidInput("the number of arms", game.K, "at least 2", "Use APT for one arm.")

    def rounds(self, game: Game) -> list[Round]:
        """ε_m and ℓ_m for m = 0, …, M + 1. Past M no round ends."""
        T = game.T
        psi = T / log(game.K)
        M = floor(log2(T / e) / 2)
        rounds = []
        epsilon = 1.0
        for m in range(M + 2):
            log_psi_T_epsilon2 = log(psi * T * epsilon**2)
            ell = ceil(2 * log_psi_T_epsilon2 / epsilon)
            rounds.append(Round((self.rho, log_psi_T_epsilon2), length=ell if m <= M else T))
            epsilon = epsilon / 2
        return rounds

    @staticmethod
    def index(
        n: int, r: float, v: float, tau: float, rho: float, log_psi_T_epsilon2: float
    ) -> float:
        """|r̂_i − τ| − s_i, with one s."""
        return abs(r - tau) - s(n, v, rho, log_psi_T_epsilon2)

    @staticmethod
    def deleted(
        n: int, r: float, v: float, tau: float, rho: float, log_psi_T_epsilon2: float
    ) -> bool:
        """|r̂_i − τ| > 2 s_i."""
        return abs(r - tau) > 2 * s(n, v, rho, log_psi_T_epsilon2)


def first(problem: Problem, arms: int) -> Problem:
    """Return the problem of the first arms alone."""
    return Problem(problem.arms[:arms], problem.threshold)


@dataclass(frozen=True)
class ReleasedUCBE(Policy):
    """Knows H_1, of the first `arms` arms alone."""

    arms: int = 10
    name: ClassVar[str] = "UCBE"

    def __post_init__(self) -> None:
        a_whole_number("arms", self.arms, least=1)

    def check(self, game: Game) -> None:
        """It needs the problem's complexity."""
        _known(game, self.name)

    def constants(self, game: Game) -> tuple[float, ...]:
        """a = (T − K) / H_1."""
        return ((game.T - game.K) / H_1(first(_known(game, self.name), self.arms)),)

    index = staticmethod(UCBE.index)


@dataclass(frozen=True)
class ReleasedUCBEV(Policy):
    """Knows the complexity of GapE-V, of the first `arms` arms alone; `factor` multiplies a.

    The released script takes the value that the paper lists as a variance for σ² here, and for the
    standard deviation of the rewards. So σ² is the arm's standard deviation.
    """

    factor: float = 1.0
    arms: int = 10
    name: ClassVar[str] = "UCBEV"

    def __post_init__(self) -> None:
        a_number("factor", self.factor, least=0)
        a_whole_number("arms", self.arms, least=1)

    def check(self, game: Game) -> None:
        """It needs the problem's complexity, and T ≥ 2K."""
        _known(game, self.name)
        if game.T < 2 * game.K:
            raise InvalidInput("the budget", game.T, f"at least 2K = {2 * game.K} for UCBEV")

    def constants(self, game: Game) -> tuple[float, ...]:
        """a = factor (8/9) (T − 2K) / H, H = Σ_i (σ_i + sqrt(σ_i² + (16/3) Δ_i))² / Δ_i²."""
        counted = first(_known(game, self.name), self.arms)
        sigma2, delta = np.sqrt(counted.variances), counted.gaps
        with np.errstate(divide="ignore"):
            H = np.sum((np.sqrt(sigma2) + np.sqrt(sigma2 + 16 / 3 * delta)) ** 2 / delta**2)
        return (float(self.factor * 8 / 9 * (game.T - 2 * game.K) / H),)

    @staticmethod
    def index(n: int, r: float, v: float, tau: float, a: float) -> float:
        """|r̂_i − τ| − sqrt(2 a v̂_i / n_i) − 7 a / (3 n_i − 1)."""
        return abs(r - tau) - sqrt(2 * a * v / n) - 7 * a / (3 * n - 1)


def _known(game: Game, name: str) -> Problem:
    if game.problem is None:
        raise InvalidInput(f"the problem of {name}", None, "known, as it is in simulation")
    return game.problem
