"""Wilson's score interval."""

from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from overbar.errors import a_number


def wilson(
    successes: ArrayLike, tries: ArrayLike, confidence: float = 0.95
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return Wilson's score interval (1927) for `successes` in `tries`: its ends."""
    a_number("the confidence", confidence, above=0, most=1 - 1e-12)
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    n = np.asarray(tries)
    p = np.asarray(successes) / n
    middle = (p + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    return np.maximum(0.0, middle - half), np.minimum(1.0, middle + half)
