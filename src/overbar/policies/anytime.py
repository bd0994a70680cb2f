"""AnytimeAugUCB: the anytime successor of AugUCB that its paper asks for. Ours.

As AugUCB it heeds the variance of an arm; unlike it, it needs neither T nor a parameter, and
deletes nothing. docs/anytime.md derives the index and measures it.
"""

from dataclasses import dataclass
from math import log

from overbar.policies.policy import Policy

PRIOR = 2  # how many pulls the variance that is expected before the first one counts for


def w(n: int, v: float, tau: float) -> float:
    """ŵ_i: the sample variance, n v̂ / (n − 1), shrunk towards what is expected before any pull.

    That is τ (1 − τ), the greatest variance that a reward in [0, 1] of mean τ can have; or 1/4,
    the greatest of all, where τ is not between 0 and 1.
    """
    expected = tau * (1 - tau) if 0 < tau < 1 else 0.25
    return (n * v + PRIOR * expected) / (n - 1 + PRIOR)


@dataclass(frozen=True)
class AnytimeAugUCB(Policy):
    """Knows nothing. Pulls the arm of least evidence, the less often pulled the sooner."""

    @staticmethod
    def index(n: int, r: float, v: float, tau: float) -> float:
        """(n_i − 1)/2 ln(1 + Δ̂_i² / ŵ_i) + ln n_i, with Δ̂_i = |r̂_i − τ|."""
        distance = r - tau
        return (n - 1) / 2 * log(1 + distance * distance / w(n, v, tau)) + log(n)
