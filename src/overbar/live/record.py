"""The record of one arm: its results, in the order in which they were asked for.

Results come back in any order. Floating sums depend on the order, and a verdict may hang on the
last bit, so the record adds results up by the order of their asks: what it says is a function of
the results alone, never of who was late.

A result is **final** when no earlier ask of the arm waits. What is settled for good rests on final
results alone. Where bad results take longer, as tests do that hang, those in first are too good.
"""

from bisect import insort
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from overbar.policies import estimate

Arrays = Mapping[str, NDArray[np.generic]]


class Estimate(NamedTuple):
    """The sums of `overbar.policies.estimate`, over n results."""

    n: int = 0
    c: float = 0.0
    S1: float = 0.0
    S2: float = 0.0

    def plus(self, x: float) -> "Estimate":
        """Return the estimate with one more result."""
        c = self.c if self.n else estimate.origin(x)
        d = x - c
        return Estimate(self.n + 1, c, self.S1 + d, self.S2 + d * d)

    @property
    def mean(self) -> float:
        """r̂, or 0 before the first result."""
        return estimate.mean(self.n, self.c, self.S1) if self.n else 0.0

    @property
    def variance(self) -> float:
        """v̂, or 0 before the first result."""
        return estimate.variance(self.n, self.S1, self.S2) if self.n else 0.0


NOTHING = Estimate()


class Record:
    """What is known of an arm, and the asks of it that wait for a result."""

    __slots__ = ("_tail", "active", "against", "estimate", "final", "waiting")

    def __init__(self) -> None:
        self.active = True
        self.waiting: set[int] = set()  # the orders of the asks that wait
        self.estimate = NOTHING  # of all results
        self.final = NOTHING  # of those that are final
        self._tail: list[tuple[int, float]] = []  # the others, by order
        # The most evidence that there was against under, and over; nan where none is to be had.
        self.against = [0.0, 0.0]

    @property
    def pulls(self) -> int:
        """n_i as choices see it: results, and asks that wait for one."""
        return self.estimate.n + len(self.waiting)

    def add(self, order: int, x: float) -> list[Estimate]:
        """Add the result of the ask of that order; return the estimates that are final now."""
        self.waiting.discard(order)
        if not self.waiting and not self._tail:  # mostly
            self.estimate = self.final = self.final.plus(x)
            return [self.final]
        if not self._tail or order > self._tail[-1][0]:
            self._tail.append((order, x))
            self.estimate = self.estimate.plus(x)
        else:
            insort(self._tail, (order, x))
            self.estimate = self.final
            for _, each in self._tail:
                self.estimate = self.estimate.plus(each)
        return list(self._finalise())

    def give_up(self, order: int) -> list[Estimate]:
        """Forget the ask of that order; return the estimates that are final now."""
        self.waiting.discard(order)
        return list(self._finalise())

    def _finalise(self) -> Iterator[Estimate]:
        """Move what has no earlier ask waiting from the tail to the final sums, one by one."""
        first = min(self.waiting, default=None)
        ready = 0
        while ready < len(self._tail) and (first is None or self._tail[ready][0] < first):
            self.final = self.final.plus(self._tail[ready][1])
            ready += 1
            yield self.final
        del self._tail[:ready]


def to_arrays(records: Sequence[Record]) -> dict[str, NDArray[np.generic]]:
    """Return all that the records hold."""
    waiting = [(i, order) for i, record in enumerate(records) for order in record.waiting]
    tail = [(i, order, x) for i, record in enumerate(records) for order, x in record._tail]
    return {
        "active": np.array([record.active for record in records], dtype=np.bool_),
        "estimate": np.array([record.estimate for record in records], dtype=np.float64),
        "final": np.array([record.final for record in records], dtype=np.float64),
        "against": np.array([record.against for record in records], dtype=np.float64),
        "waiting": np.array(waiting, dtype=np.int64).reshape(-1, 2),
        "tail": np.array([each[:2] for each in tail], dtype=np.int64).reshape(-1, 2),
        "tail_rewards": np.array([each[2] for each in tail], dtype=np.float64),
    }


def from_arrays(arrays: Arrays) -> list[Record]:
    """Return the records that `to_arrays` was called on."""
    records = []
    columns = [*arrays["estimate"].T.tolist(), arrays["final"][:, 0].tolist()]
    for i, (active, against, n, c, S1, S2, final) in enumerate(
        zip(arrays["active"].tolist(), arrays["against"].tolist(), *columns, strict=True)
    ):
        record = Record()
        record.active, record.against = active, against
        if n:
            record.estimate = record.final = Estimate(int(n), c, S1, S2)
        if final != n:
            record.final = Estimate(int(final), *arrays["final"][i, 1:].tolist())
        records.append(record)
    for i, order in arrays["waiting"].tolist():
        records[i].waiting.add(order)
    for (i, order), x in zip(arrays["tail"].tolist(), arrays["tail_rewards"].tolist(), strict=True):
        records[i]._tail.append((order, x))
    return records
