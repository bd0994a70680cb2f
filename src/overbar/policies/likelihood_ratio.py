"""The likelihood-ratio index: pull the arm for whose verdict the rewards speak least.

How much likelier an arm's rewards are under the best of all means than under the mean τ: the
statistic of Garivier and Kaufmann (COLT 2016), of one arm and a bar. Its logarithm is n d(r̂, τ).
"""

from dataclasses import dataclass
from math import inf, log

from overbar.policies.policy import Policy
from overbar.theory import d


@dataclass(frozen=True)
class BernoulliLR(Policy):
    """Knows nothing. Takes rewards for passes and failures; means beyond [0, 1] for its ends."""

    @staticmethod
    def index(n: int, r: float, v: float, tau: float) -> float:
        """n_i d(r̂_i, τ)."""
        return n * d(min(max(r, 0.0), 1.0), min(max(tau, 0.0), 1.0))


@dataclass(frozen=True)
class GaussianLR(Policy):
    """Knows nothing. Takes rewards for Gaussian, of a variance that is not known.

    An arm whose rewards were all alike is beyond doubt to it, and is pulled no more.
    """

    first_pulls = 2  # a variance takes two

    @staticmethod
    def index(n: int, r: float, v: float, tau: float) -> float:
        """(n_i / 2) ln(1 + Δ̂_i² / v̂_i), with Δ̂_i = |r̂_i − τ|."""
        if v == 0.0:
            return inf if r != tau else 0.0
        distance = r - tau
        return n / 2 * log(1 + distance * distance / v)
