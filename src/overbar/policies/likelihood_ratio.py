"""The likelihood-ratio index: pull the arm for whose verdict the rewards speak least.

How much likelier an arm's rewards are under the best of all means than under the mean τ: the
statistic of Garivier and Kaufmann (COLT 2016), of one arm and a bar. Its logarithm is n d(r̂, τ).
"""

from dataclasses import dataclass
from math import inf, log

from overbar.policies.policy import Policy


def d(p: float, q: float) -> float:
    """d(p, q) = p ln(p/q) + (1 − p) ln((1 − p)/(1 − q)), between Bernoulli distributions."""
    divergence = 0.0
    if p > 0.0:
        divergence += p * log(p / q) if q > 0.0 else inf
    if p < 1.0:
        divergence += (1.0 - p) * log((1.0 - p) / (1.0 - q)) if q < 1.0 else inf
    return max(divergence, 0.0)  # rounding may leave less


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
