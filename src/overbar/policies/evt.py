"""EVT: the parameter-free Empirical Variance guided Thresholding of Zhong, Huang and Liu (2017).

"Asynchronous Parallel Empirical Variance Guided Algorithms for the Thresholding Bandit Problem",
arXiv 1704.04567.
"""

from dataclasses import dataclass
from math import sqrt

from overbar.errors import a_number
from overbar.policies.policy import Game, Policy


@dataclass(frozen=True)
class EVT(Policy):
    """Knows nothing. `epsilon` is the margin ε within which either answer is fine."""

    epsilon: float = 0.05
    first_pulls = 2  # a variance takes two

    def __post_init__(self) -> None:
        a_number("epsilon", self.epsilon, least=0)

    def constants(self, game: Game) -> tuple[float, ...]:
        """ε."""
        return (self.epsilon,)

    @staticmethod
    def index(n: int, r: float, v: float, tau: float, epsilon: float) -> float:
        """sqrt(n_i) (sqrt(v̂_i + Δ̂_i + ε) − sqrt(v̂_i)), with Δ̂_i = |r̂_i − τ|."""
        return sqrt(n) * (sqrt(v + abs(r - tau) + epsilon) - sqrt(v))
