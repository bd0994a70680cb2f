"""Which of two indices is the lower one: the rule for ties.

Equal indices go to the lowest arm number, and two indices are equal when they agree but for the
last ⌈log2 K⌉ of the 52 bits of a float's fraction: at K = 100, to one part in 2⁴⁵. That is finer
than what an estimate from noise can mean, and it makes ties of what rounding alone told apart, such
as |0.3 − 0.5| and |0.7 − 0.5|. The simulator keeps an arm's number in those bits.

The rule serves wherever arms are put in order: by index, and by the distance from τ.
"""

from struct import Struct

FARTHEST = (
    1.5e308  # stands for infinity, of which no bits can be cleared; and for NaN, which is last
)

_FLOAT, _BITS = Struct("<d"), Struct("<q")


def spare_bits(K: int) -> int:
    """Return a mask of the bits that do not count among K arms."""
    return (1 << (K - 1).bit_length()) - 1


def compared(index: float, mask: int) -> float:
    """Return the index as it is compared: without the bits of the mask."""
    index = index if index < FARTHEST else FARTHEST
    index = index if index > -FARTHEST else -FARTHEST
    (bits,) = _BITS.unpack(_FLOAT.pack(index))
    (counted,) = _FLOAT.unpack(_BITS.pack(bits & ~mask))
    return float(counted)
