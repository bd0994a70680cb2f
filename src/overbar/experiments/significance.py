"""Whether two policies differ by more than chance.

Both see the same noise, so repetition by repetition one may do better than the other. If they were
equally good each would be the better one equally often, which the sign test tells exactly. Where
repetitions are just right or wrong it is McNemar's test (1947), of the repetitions in which one
policy erred and the other did not.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

LEVEL = 0.05


class Paired(NamedTuple):
    """One policy beside another, over the same repetitions."""

    fewer: int  # repetitions in which the first had fewer wrong verdicts
    more: int
    p_less: float  # how often `fewer` is as large, or larger, by chance
    p_greater: float  # how often `more` is

    @property
    def p(self) -> float:
        """How often the two lie as far apart, either way."""
        return min(1.0, 2 * min(self.p_less, self.p_greater))


def paired(one: ArrayLike, other: ArrayLike) -> Paired:
    """Compare two policies by what each did in every repetition: wrong or not, or how often.

    >>> paired([0, 0, 0, 0, 1], [1, 1, 1, 1, 1])
    Paired(fewer=4, more=0, p_less=0.0625, p_greater=1.0)
    """
    from scipy.stats import binom

    a, b = np.asarray(one), np.asarray(other)
    fewer, more = int((a < b).sum()), int((a > b).sum())
    p_less, p_greater = (float(binom.cdf(k, fewer + more, 0.5)) for k in (more, fewer))
    return Paired(fewer, more, p_less, p_greater)


def holm(p: list[float]) -> list[float]:
    """Return p-values adjusted for their number (Holm, 1979).

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    adjusted = [0.0] * len(p)
    worst = 0.0
    for rank, i in enumerate(sorted(range(len(p)), key=p.__getitem__)):
        worst = max(worst, min(1.0, (len(p) - rank) * p[i]))
        adjusted[i] = worst
    return adjusted
