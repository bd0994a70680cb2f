"""What one word of random bits pays: the formula of each distribution. Compiled.

A reward is a function of one word and of the arm. Where a formula needs more bits (a rejected
normal, a gamma variate) it goes on from the word itself by splitmix64, so that the stream of words
stays in step whatever arm is pulled.
"""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from overbar.problem.arms import BERNOULLI, BETA, EMPIRICAL, EXPONENTIAL, GAUSSIAN

U = np.uint64  # numba makes a float of a uint64 that meets a signed integer
GOLDEN, MIX_1, MIX_2 = U(0x9E3779B97F4A7C15), U(0xBF58476D1CE4E5B9), U(0x94D049BB133111EB)


@njit
def following(word: int) -> int:
    """Return another word, drawn from this one: a step of splitmix64 (Steele et al. 2014)."""
    z = U(word) + GOLDEN
    z = (z ^ (z >> U(30))) * MIX_1
    z = (z ^ (z >> U(27))) * MIX_2
    return z ^ (z >> U(31))


@njit
def uniform(word: int) -> float:
    """Return a float in [0, 1)."""
    return float(U(word) >> U(11)) * 2.0**-53


# The ziggurat of Marsaglia and Tsang (2000), with the tables and the tail of Doornik (2005):
# 256 layers of equal area AREA under exp(−x²/2), the lowest with the tail beyond RIGHT.
LAYERS, RIGHT, AREA = 256, 3.6541528853610088, 4.92867323399e-3


def _ziggurat() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the right edge of each layer, and the height of the curve there."""
    x = np.zeros(LAYERS + 1)
    x[0] = AREA / math.exp(-(RIGHT**2) / 2)  # as wide as if the lowest layer were a rectangle
    x[1] = RIGHT
    for i in range(2, LAYERS):
        x[i] = math.sqrt(-2 * math.log(AREA / x[i - 1] + math.exp(-(x[i - 1] ** 2) / 2)))
    return x, np.exp(-(x**2) / 2)


EDGE, HEIGHT = _ziggurat()


@njit
def normal(word: int) -> float:
    """Return a standard normal."""
    while True:
        layer = int(U(word) & U(LAYERS - 1))
        x = (2.0 * uniform(word) - 1.0) * EDGE[layer]
        if abs(x) < EDGE[layer + 1]:
            return x
        word = following(word)
        if layer == 0:  # the tail
            side = math.copysign(1.0, x)
            while True:
                x = -math.log(1.0 - uniform(word)) / RIGHT
                word = following(word)
                if -2.0 * math.log(1.0 - uniform(word)) > x * x:
                    return side * (RIGHT + x)
                word = following(word)
        height = HEIGHT[layer] + uniform(word) * (HEIGHT[layer + 1] - HEIGHT[layer])
        if height < math.exp(-x * x / 2):
            return x
        word = following(word)


@njit
def log_gamma_variate(word: int, shape: float) -> float:
    """Return the logarithm of a Gamma(shape) variate (Marsaglia and Tsang, 2000).

    In logarithms, since for a small shape the variate itself is less than any float.
    """
    boost = 0.0
    if shape < 1.0:  # Gamma(a) = Gamma(a + 1) U^(1/a)
        boost = math.log(1.0 - uniform(word)) / shape
        word = following(word)
        shape += 1.0
    d = shape - 1.0 / 3.0
    while True:
        x = normal(word)
        root = 1.0 + x / math.sqrt(9.0 * d)
        v = root * root * root
        if v > 0.0:
            log_u = math.log(1.0 - uniform(following(U(word) ^ MIX_1)))
            if log_u < 0.5 * x * x + d * (1.0 - v + math.log(v)):
                return boost + math.log(d * v)
        word = following(U(word) ^ MIX_2)  # away from the words that the normal may have used


@njit
def beta(word: int, a: float, b: float) -> float:
    """Return a Beta(a, b) variate, from two gamma variates."""
    log_x = log_gamma_variate(following(word), a)
    log_y = log_gamma_variate(following(U(word) ^ GOLDEN), b)
    return 1.0 / (1.0 + math.exp(min(700.0, log_y - log_x)))


@njit
def reward(kind: int, word: int, a: float, b: float, log: NDArray[np.float64]) -> float:
    """Return what an arm with parameters a and b pays for this word.

    For an empirical arm, `log` from a on holds its b logged rewards.
    """
    if kind == GAUSSIAN:
        return a + b * normal(word)
    if kind == BERNOULLI:
        return 1.0 if uniform(word) < a else 0.0
    if kind == EMPIRICAL:
        return log[int(a) + int(uniform(word) * b)]
    if kind == BETA:
        return beta(word, a, b)
    if kind == EXPONENTIAL:
        return -a * math.log(1.0 - uniform(word))
    return a + b * uniform(word)  # UNIFORM: low end and width
