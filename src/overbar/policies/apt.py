"""APT: the Anytime Parameter-free Thresholding algorithm of Locatelli et al. (ICML 2016)."""

from dataclasses import dataclass
from math import sqrt

from overbar.errors import a_number
from overbar.policies.policy import Game, Policy


@dataclass(frozen=True)
class APT(Policy):
    """Knows nothing. `epsilon` is the margin ε within which either answer is fine."""

    epsilon: float = 0.05

    def __post_init__(self) -> None:
        a_number("epsilon", self.epsilon, least=0)

    def constants(self, game: Game) -> tuple[float, ...]:
        """Return ε."""
        return (self.epsilon,)

    @staticmethod
    def index(n: int, r: float, v: float, tau: float, epsilon: float) -> float:
        """sqrt(n_i) (|r̂_i − τ| + ε)."""
        return sqrt(n) * (abs(r - tau) + epsilon)
