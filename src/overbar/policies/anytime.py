"""AnytimeAugUCB: the anytime successor of AugUCB that its paper asks for. Ours.

As AugUCB it heeds the variance of an arm; unlike it, it needs neither T nor a parameter, and
deletes nothing. docs/anytime.md derives the index and measures it.
"""

from dataclasses import dataclass
from math import log

from overbar.policies.policy import Policy
from overbar.theory import d

PRIOR = 2  # how many pulls the variance that is expected before the first one counts for
ROUNDING = 1e-9  # by which r̂ of passes alone may exceed 1, and v̂ of some r̂ (1 − r̂)


def bounded(n: int, r: float, v: float, tau: float) -> float:
    """(n − 1) d(r̂, τ) / φ̂, where φ̂ is the share of the greatest variance that the arm has.

    A reward in [0, 1] of mean r has a variance of at most r (1 − r), as passes and failures do.
    φ̂ is shrunk towards 1, by pulls with a variance of τ (1 − τ).
    """
    expected = PRIOR * tau * (1 - tau)
    phi = (n * v + expected) / (n * r * (1 - r) + expected)
    return (n - 1) * d(r, tau) / phi


def gaussian(n: int, r: float, v: float, tau: float) -> float:
    """(n − 1)/2 ln(1 + Δ̂²/ŵ), where ŵ is the sample variance, n v̂/(n − 1), shrunk as φ̂ is."""
    expected = PRIOR * (tau * (1 - tau) if 0 < tau < 1 else 0.25)
    w = (n * v + expected) / (n - 1 + PRIOR)
    return (n - 1) / 2 * log(1 + (r - tau) * (r - tau) / w)


def x(n: int, r: float, v: float, tau: float) -> float:
    """The evidence for an arm's verdict: of rewards that may lie in [0, 1], or of others."""
    if 0 < tau < 1 and -ROUNDING <= r <= 1 + ROUNDING and v <= r * (1 - r) + ROUNDING:
        return bounded(n, min(max(r, 0.0), 1.0), v, tau)
    return gaussian(n, r, v, tau)


@dataclass(frozen=True)
class AnytimeAugUCB(Policy):
    """Knows nothing. Pulls the arm of least evidence, the less often pulled the sooner."""

    @staticmethod
    def index(n: int, r: float, v: float, tau: float) -> float:
        """x_i + ln n_i."""
        return x(n, r, v, tau) + log(n)
