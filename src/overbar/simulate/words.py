"""The words of the streams of `overbar.simulate.streams`, drawn by compiled code.

A row of an array holds the state of a stream, and goes on with it.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from overbar.simulate.rewards import U, normal

CHUNK = 256  # how many words are drawn at once


@njit
def following(s0: int, s1: int, s2: int, counter: int) -> tuple[int, int, int, int, int]:
    """Return the next word of an SFC64 stream (Doty-Humphrey), and its state after that."""
    word = s0 + s1 + counter
    rotated = (s2 << U(24)) | (s2 >> U(40))
    return word, s1 ^ (s1 >> U(11)), s2 + (s2 << U(3)), rotated + word, counter + U(1)


@njit
def next_word(streams: NDArray[np.uint64], row: int) -> int:
    """Return the next word of a stream."""
    s0, s1, s2, counter = streams[row, 0], streams[row, 1], streams[row, 2], streams[row, 3]
    word, s0, s1, s2, counter = following(s0, s1, s2, counter)
    streams[row, 0], streams[row, 1], streams[row, 2], streams[row, 3] = s0, s1, s2, counter
    return word


@njit
def draw_words(streams: NDArray[np.uint64], row: int, words: NDArray[np.uint64], lane: int) -> None:
    """Fill the lane's row with the next words of a stream, a chunk of them."""
    s0, s1, s2, counter = streams[row, 0], streams[row, 1], streams[row, 2], streams[row, 3]
    for j in range(CHUNK):
        words[lane, j], s0, s1, s2, counter = following(s0, s1, s2, counter)
    streams[row, 0], streams[row, 1], streams[row, 2], streams[row, 3] = s0, s1, s2, counter


@njit
def draw_normals(
    streams: NDArray[np.uint64], row: int, normals: NDArray[np.float64], lane: int
) -> None:
    """Fill the lane's row with the normals that the next chunk of words makes."""
    s0, s1, s2, counter = streams[row, 0], streams[row, 1], streams[row, 2], streams[row, 3]
    for j in range(CHUNK):
        word, s0, s1, s2, counter = following(s0, s1, s2, counter)
        normals[lane, j] = normal(word)
    streams[row, 0], streams[row, 1], streams[row, 2], streams[row, 3] = s0, s1, s2, counter
