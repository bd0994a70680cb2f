"""FWT: Frank-Wolfe for Thresholding bandits, of Ouhamma, Maillard and Perchet (NeurIPS 2021)."""

from dataclasses import dataclass
from math import log

from overbar.errors import a_number
from overbar.policies.policy import Game, Policy


@dataclass(frozen=True)
class FWT(Policy):
    """Knows nothing but σ: rewards are σ-sub-Gaussian, as those in [0, 1] are with σ = 1/2.

    A pull goes where it lowers Σ exp(−n_i Δ̂_i²/(2 σ²)), a bound of the wrong verdicts, the most.
    The authors answer by the means of the step at which the lowest index was greatest; here, as
    with every other policy, the answer is by the means of now.
    """

    sigma: float = 0.5

    def __post_init__(self) -> None:
        a_number("sigma", self.sigma, above=0)

    def constants(self, game: Game) -> tuple[float, ...]:
        """σ."""
        return (self.sigma,)

    @staticmethod
    def index(n: int, r: float, v: float, tau: float, sigma: float) -> float:
        """max(x, 1) − ln max(x, 1) + ln n_i, with x = n_i Δ̂_i²/(2 σ²)."""
        distance = r - tau
        x = max(n * distance * distance / (2 * sigma * sigma), 1.0)
        return x - log(x) + log(n)
