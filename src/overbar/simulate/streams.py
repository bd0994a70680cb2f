"""Streams of random words, each keyed by (seed, repetition) so that any repetition can run alone.

A repetition has two: the noise, of which every time step takes exactly one 64-bit word whatever
arm is pulled, so that all policies see the same noise; and the policy's own chance, of which every
time step takes one word if the policy draws at all.

Both are numpy's SFC64, seeded through numpy's SeedSequence; compiled code goes on from their state.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Seed = int | Sequence[int]

NOISE, CHANCE = 0, 1


def stream(seed: Seed, which: int, repetition: int) -> np.random.SFC64:
    """Return the stream of the noise, or of the policy's chance, in a repetition."""
    return np.random.SFC64(np.random.SeedSequence(seed, spawn_key=(which, repetition)))


def states(seed: Seed, which: int, repetitions: range) -> NDArray[np.uint64]:
    """Return the four words of state of each repetition's stream."""
    whose = tuple(seed) if isinstance(seed, Sequence) else seed
    return np.array([_state(whose, which, repetition) for repetition in repetitions], np.uint64)


@lru_cache(maxsize=4096)  # a stream takes as long to open as a thousand words: all policies need it
def _state(seed: Seed, which: int, repetition: int) -> tuple[int, ...]:
    return tuple(stream(seed, which, repetition).state["state"]["state"].tolist())


def unit(word: int) -> float:
    """Map a word to a float in [0, 1), in steps of 2⁻⁵³."""
    return (word >> 11) * 2.0**-53
