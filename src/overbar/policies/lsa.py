"""LSA: the Logarithmic-Sample Algorithm of Tao, Blanco, Peng and Zhou (NeurIPS 2019)."""

from dataclasses import dataclass
from math import log

from overbar.errors import a_number
from overbar.policies.policy import Game, Policy


@dataclass(frozen=True)
class LSA(Policy):
    """Knows nothing. Made for few wrong verdicts rather than for none.

    `alpha` weighs the distance against the pulls. With 1/(4 σ²), which is 1 for rewards in [0, 1],
    it is the index that Ouhamma et al. (2021) write as n Δ̂²/(2 σ²) + ln n, halved.
    """

    alpha: float = 1.0

    def __post_init__(self) -> None:
        a_number("alpha", self.alpha, above=0)

    def constants(self, game: Game) -> tuple[float, ...]:
        """α."""
        return (self.alpha,)

    @staticmethod
    def index(n: int, r: float, v: float, tau: float, alpha: float) -> float:
        """α n_i Δ̂_i² + ½ ln n_i, with Δ̂_i = |r̂_i − τ|."""
        distance = r - tau
        return alpha * n * distance * distance + 0.5 * log(n)
