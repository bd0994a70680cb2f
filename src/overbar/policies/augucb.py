"""AugUCB: Algorithm 1 of Mukherjee et al., "Thresholding Bandits with Augmented UCB" (2017)."""

import warnings
from dataclasses import dataclass
from math import ceil, e, floor, log, log2, sqrt

from overbar.errors import InvalidInput, OverbarWarning, a_number
from overbar.policies.policy import Game, Policy, Round


def s(n: int, v: float, rho: float, psi: float, log_T_epsilon: float) -> float:
    """s_i = sqrt(ρ ψ_m (v̂_i + 1) log(T ε_m) / (4 n_i))."""
    return sqrt(rho * psi * (v + 1) * log_T_epsilon / (4 * n))


@dataclass(frozen=True)
class AugUCB(Policy):
    """Knows T. Pulls the active arm of lowest |r̂ − τ| − 2 s and deletes arms that are clear.

    `rho` is the arm elimination parameter ρ; Theorem 1 takes 1/3.
    """

    rho: float = 1 / 3

    def __post_init__(self) -> None:
        a_number("rho", self.rho, above=0, do="Theorem 1 takes 1/3.")

    def check(self, game: Game) -> None:
        """Theorem 1 asks for K ≥ 4, and a small K makes for near uniform allocation."""
        if game.K < 4:
            raise InvalidInput(
                "the number of arms", game.K, "at least 4 for AugUCB", "Use APT for fewer arms."
            )
        if game.K <= 6:
            warnings.warn(
                f"With {game.K} arms, log(3/16 K log K) is near 0, which makes AugUCB's ψ_0 large:"
                " its confidence term outweighs the distances from the threshold, and its first"
                " round hardly ever ends. It behaves much as uniform allocation does: almost"
                " entirely with 4 arms, less with 5 and 6. APT uses so few arms better.",
                OverbarWarning,
                stacklevel=4,
            )

    def rounds(self, game: Game) -> list[Round]:
        """ε_m, ψ_m and ℓ_m for m = 0, …, M + 1. Past M no round ends."""
        K, T = game.K, game.T
        M = floor(log2(T / e) / 2)
        rounds = []
        epsilon = 1.0
        for m in range(M + 2):
            psi = T * epsilon / (128 * log(3 / 16 * K * log(K)) ** 2)
            ell = ceil(2 * psi * log(T * epsilon) / epsilon)
            constants = (self.rho, psi, log(T * epsilon))
            rounds.append(Round(constants, length=ell if m <= M else T))
            epsilon = epsilon / 2
        return rounds

    @staticmethod
    def index(
        n: int, r: float, v: float, tau: float, rho: float, psi: float, log_T_epsilon: float
    ) -> float:
        """|r̂_i − τ| − 2 s_i."""
        return abs(r - tau) - 2 * s(n, v, rho, psi, log_T_epsilon)

    @staticmethod
    def deleted(
        n: int, r: float, v: float, tau: float, rho: float, psi: float, log_T_epsilon: float
    ) -> bool:
        """r̂_i + s_i < τ − s_i or r̂_i − s_i > τ + s_i, which is |r̂_i − τ| > 2 s_i."""
        return abs(r - tau) > 2 * s(n, v, rho, psi, log_T_epsilon)
