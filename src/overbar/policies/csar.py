"""CSAR: Combinatorial Successive Accept Reject of Chen et al. (NIPS 2014), as the paper sets it."""

from dataclasses import dataclass
from math import ceil

from overbar.errors import InvalidInput
from overbar.policies.policy import Game, Policy, Round
from overbar.theory import log_bar


@dataclass(frozen=True)
class CSAR(Policy):
    """Knows T. K − 1 phases; after each, the surviving arm farthest from τ is settled.

    Within a phase the survivors are pulled one after the other, each as often as the phase asks.
    The published curves show that order: at time step 1000, when each of 100 arms would have been
    pulled ten times in turn, some of the 500 repetitions are right already, because the arms that
    were not reached yet count as under. After the last phase it stops.
    """

    first_pulls = 0

    def check(self, game: Game) -> None:
        """It needs two arms, and a budget from which its phases get something."""
        if game.K < 2:
            raise InvalidInput(
                "the number of arms", game.K, "at least 2 for CSAR", "Use APT for a single arm."
            )
        if game.T <= game.K:
            raise InvalidInput("the budget", game.T, f"more than K = {game.K} for CSAR")

    def rounds(self, game: Game) -> list[Round]:
        """n_k = ceil((T − K) / (lōg(K) (K + 1 − k))); phase k pulls each n_k − n_{k−1} times."""
        K, T = game.K, game.T
        log_bar_K = log_bar(K)
        rounds = []
        n_before = 0
        for k in range(1, K):
            n_k = ceil((T - K) / (log_bar_K * (K + 1 - k)))
            rounds.append(Round((float(n_k),), length=n_k - n_before, settles=1))
            n_before = n_k
        return rounds

    @staticmethod
    def index(n: int, r: float, v: float, tau: float, n_k: float) -> float:
        """Of the arms short of n_k, the one begun; then the next. With none short, the least."""
        return float(-n if n < n_k else n)
