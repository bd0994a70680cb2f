"""The loop of `overbar.policies.policy` for results that come late, and in any order.

Every decision is taken when a try is asked for, on the results that are in by then:

- n of an index counts the arm's results and its asks that wait, so that a batch spreads; r̂, v̂ and
  settlements rest on results alone.
- What is settled for good, deletions and verdicts, rests on the results that are final. An arm that
  is clear but for an earlier ask that waits is **held**: it is asked for after all others, and when
  no other is left, none is asked for until that ask has its result.
- An arm of which no result is in yet has no index. It comes first until it was asked for
  `first_pulls` times, and then last, until a result comes.

With each result told before the next ask, this is the simulator's loop, choice for choice.
"""

from collections.abc import Sequence, Set
from heapq import heapify, heappop, heappush, heapreplace
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from overbar.live.judge import OVER, UNDER, Judge
from overbar.live.record import Arrays, Estimate, Record, from_arrays, to_arrays
from overbar.policies import Policy, Round
from overbar.policies.ranking import compared, spare_bits
from overbar.simulate.streams import CHANCE, Seed, stream, unit

FIRST_PULLS, INDEXED, NO_RESULT, HELD = range(4)  # which arms come before which others
FAR = 2**62  # tries that are never made
Key = tuple[int, float, int, int]  # one of these; index or pulls; arm; the arm's version


class Play:
    """A policy at play on live arms, numbered from 0."""

    def __init__(
        self,
        policy: Policy,
        rounds: Sequence[Round],
        thresholds: Sequence[float],  # τ of each arm
        scale: tuple[float, float],
        seed: Seed,
        judge: Judge,
        state: Arrays | None = None,  # of an earlier play of the same, to go on from
    ) -> None:
        low, high = scale
        self._policy = policy
        self._low, self._width = low, high - low
        self.judge = judge
        self._chance = stream(seed, CHANCE, repetition=0) if policy.picks else None
        self.records: list[Record] = []
        self.tau: list[float] = []
        self._unit_tau: list[float] = []
        self._version: list[int] = []
        self._queue: list[Key] = []
        self._stale: set[int] = set()  # arms whose keys in the queue are of the past
        if state is None:
            self.reopen(rounds, thresholds)
        else:
            self._rounds = rounds
            self._know(thresholds)
            self._resume(state)

    def reopen(self, rounds: Sequence[Round], new_arms: Sequence[float]) -> None:
        """Begin the rounds anew, with new arms by their thresholds; what is known of arms stays."""
        self.records += [Record() for _ in new_arms]
        self._know(new_arms)
        for record in self.records:
            record.active = True
        K = len(self.records)
        self._rounds = rounds
        self._active = K  # |B_m|
        self._m = 0
        self._N = K * rounds[0].length
        self._changed = set(range(K))  # arms to look at when the step ends
        self._step_to_end = False  # whether a try was asked for since the last end of a step
        self._rebuild_queue()

    def choose(self, t: int) -> int | None:
        """Return the arm to try after t tries; None when the policy stops, or all arms are held."""
        clear = self._clear() if self._step_to_end and self._policy.deletes else set()
        if self._policy.deletes and not self.stopped and self._all_held(clear):
            return None
        if self._step_to_end:
            self._end_step(t, clear)
        if self.stopped:
            return None
        opening = self._first()[0] == FIRST_PULLS
        self._step_to_end = not opening
        if self._chance is not None and not opening:
            u = unit(int(self._chance.random_raw()))
            arm = self._policy.pick(u, len(self.records))
            if arm >= 0 and self.records[arm].active:
                return arm
        return self._first()[2]

    @property
    def stopped(self) -> bool:
        """Whether the policy needs no more tries."""
        return not self._active or self._m == len(self._rounds)

    def front(self) -> list[Key]:
        """Return the keys of the arm that comes first by its key, and of the runner-up."""
        keys: list[Key] = []
        if self._m == len(self._rounds):
            return keys
        while len(keys) < min(2, self._active):
            keys.append(self._first())
            heappop(self._queue)
        for key in keys:
            heappush(self._queue, key)
        return keys

    def asked(self, arm: int, order: int) -> None:
        """Count the ask as a pull that waits for its result."""
        self.records[arm].waiting.add(order)
        self._stale.add(arm)

    def told(self, arm: int, order: int, reward: float) -> None:
        """Take in a result."""
        if not self.judge.expects((reward - self._low) / self._width):
            self.records[arm].against = [nan, nan]  # for good: nothing is more than that
        self._weigh(arm, self.records[arm].add(order, reward))
        self._stale.add(arm)

    def gave_up(self, arm: int, order: int) -> None:
        """Forget an ask that will have no result."""
        self._weigh(arm, self.records[arm].give_up(order))
        self._stale.add(arm)

    def state(self) -> dict[str, NDArray[np.generic]]:
        """Return all that happened to the play, to go on from."""
        place = [self._m, min(self._N, FAR), self._step_to_end]
        chance: Any = [] if self._chance is None else self._chance.state["state"]["state"]
        return {
            **to_arrays(self.records),
            "place": np.array(place, dtype=np.int64),
            "changed": np.array(sorted(self._changed), dtype=np.int64),
            "chance": np.array(chance, dtype=np.uint64),
        }

    def _resume(self, state: Arrays) -> None:
        self.records = from_arrays(state)
        self._active = sum(record.active for record in self.records)
        self._m, self._N, step_to_end = state["place"].tolist()
        self._step_to_end = bool(step_to_end)
        self._changed = set(state["changed"].tolist())
        if self._chance is not None:
            whole: Any = self._chance.state
            whole["state"]["state"] = state["chance"]
            self._chance.state = whole
        if self._m < len(self._rounds):
            self._rebuild_queue()

    def _know(self, thresholds: Sequence[float]) -> None:
        self.tau += thresholds
        on_unit = {tau: (tau - self._low) / self._width for tau in {*thresholds}}
        self._unit_tau += [on_unit[tau] for tau in thresholds]
        self._version += [0] * len(thresholds)
        self._mask = spare_bits(len(self.tau))

    def _clear(self) -> set[int]:
        """Return the arms to delete when the step ends."""
        return {
            arm
            for arm in self._changed
            if self.records[arm].active and self._is_clear(arm, self.records[arm].final)
        }

    def _all_held(self, clear: Set[int]) -> bool:
        """Whether all that would be left without the arms that are clear are held.

        Nothing may change then: that no arm was chosen does not stand in the log of a campaign.
        """
        passed: list[Key] = []
        while len(passed) < len(clear) and self._first()[2] in clear:
            passed.append(heappop(self._queue))
        held = len(passed) < self._active and self._first()[0] == HELD
        for key in passed:
            heappush(self._queue, key)
        return held

    def _end_step(self, t: int, clear: Set[int]) -> None:
        """Delete the arms that are clear, and turn to the next round when it is time."""
        self._step_to_end = False
        for arm in clear:
            self._close(arm)
        self._changed.clear()
        turned = False
        while self._active and self._m < len(self._rounds) and t >= self._N:
            for _ in range(min(self._rounds[self._m].settles, self._active)):
                self._close(self._farthest())
            self._m += 1
            turned = True
            if self._m < len(self._rounds):
                self._N = t + self._active * self._rounds[self._m].length
        if turned and self._m < len(self._rounds):
            self._changed = {arm for arm, record in enumerate(self.records) if record.active}
            self._rebuild_queue()

    def _weigh(self, arm: int, final: list[Estimate]) -> None:
        """Remember the evidence that results gave, each at its time."""
        record, tau = self.records[arm], self.tau[arm]
        for estimate in final:
            self._changed.add(arm)
            evidence = self.judge.evidence(
                estimate.n, *self._on_unit(estimate), self._unit_tau[arm]
            )
            other = UNDER if estimate.mean >= tau else OVER
            record.against[other] = max(record.against[other], evidence)

    def _is_clear(self, arm: int, estimate: Estimate) -> bool:
        if estimate.n == 0 and self._policy.first_pulls:
            return False
        return self._policy.deleted(estimate.n, *self._judged_by(arm, estimate))

    def _close(self, arm: int) -> None:
        self.records[arm].active = False
        self._version[arm] += 1
        self._active -= 1

    def _farthest(self) -> int:
        """Return the active arm farthest from its τ; one without a result is taken to lie on it."""
        active = [arm for arm, record in enumerate(self.records) if record.active]
        return max(active, key=lambda arm: (compared(self._distance(arm), self._mask), -arm))

    def _distance(self, arm: int) -> float:
        estimate = self.records[arm].estimate
        return abs(estimate.mean - self.tau[arm]) if estimate.n else 0.0

    def _judged_by(self, arm: int, estimate: Estimate) -> tuple[float, ...]:
        """r̂, v̂ and τ on the scale of 0 to 1, and the constants of the round."""
        constants = self._rounds[self._m].constants
        return (*self._on_unit(estimate), self._unit_tau[arm], *constants)

    def _on_unit(self, estimate: Estimate) -> tuple[float, float]:
        mean = (estimate.mean - self._low) / self._width if estimate.n else 0.0
        return mean, estimate.variance / (self._width * self._width)

    # The queue holds, for each active arm, a key with the arm's version; keys of older versions are
    # passed over when they come to the front. An arm's key is made anew when a choice needs it.

    def _key(self, arm: int) -> Key:
        record, version = self.records[arm], self._version[arm]
        pulls, first_pulls = record.pulls, self._policy.first_pulls
        if pulls < first_pulls:
            return FIRST_PULLS, pulls, arm, version
        if first_pulls and not record.estimate.n:
            return NO_RESULT, pulls, arm, version
        if record.waiting and self._policy.deletes and self._is_clear(arm, record.estimate):
            return HELD, pulls, arm, version
        index = self._policy.index(pulls, *self._judged_by(arm, record.estimate))
        return INDEXED, compared(index, self._mask), arm, version

    def _first(self) -> Key:
        for arm in self._stale:
            if self.records[arm].active:
                self._version[arm] += 1
                # Mostly it is the arm in front, whose place the new key can take.
                put = heapreplace if self._queue[0][2] == arm else heappush
                put(self._queue, self._key(arm))
        self._stale.clear()
        if len(self._queue) > 4 * len(self.records) + 64:
            self._rebuild_queue()
        while self._queue[0][3] != self._version[self._queue[0][2]]:
            heappop(self._queue)
        return self._queue[0]

    def _rebuild_queue(self) -> None:
        self._queue = [self._key(arm) for arm, record in enumerate(self.records) if record.active]
        heapify(self._queue)
        self._stale.clear()
