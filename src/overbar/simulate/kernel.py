r"""The loop of `overbar.policies.policy`, at the speed of the random numbers that it needs.

**Several at once.** A repetition is one long chain: choose an arm, load what is known of it,
divide, take a root, choose again. A processor waits for most of it. So four lanes, a repetition
each, take every step in turn, and their waits overlap.

**A tournament.** A pull changes the index of one arm. The keys of the arms are the leaves of a tree
in which every node holds the lesser of its two children, so the root holds the lowest of all. The
leaf of arm i is node P + i, its parent is (P + i) // 2, and so on up to node 1; its sibling differs
in the last bit. Here arm 2 was pulled, and what is written anew stands in brackets:

                        [-0.4, 1]                        node 1: arm 1 is pulled next
                      /           \
              -0.4, 1               [-0.1, 3]            2   3
              /     \               /       \
         0.3, 0     -0.4, 1    [0.2, 2]     -0.1, 3      4   5   6   7,  P = 4

**Packed keys.** A key is the index with the arm's number in its last bits. One comparison of two
floats then orders by index and, among equals, by arm, and the root tells which arm it is. So a
level costs a load, a minimum and a store, and no branch. `overbar.policies.ranking` has the rule.

A closed arm loses every match, and leaves the table when the round turns. So the numbers in the
keys are places in that table, which keeps the arms in their order.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from overbar.policies import Policy, estimate
from overbar.policies.ranking import FARTHEST, spare_bits
from overbar.simulate.blocks import LANES
from overbar.simulate.rewards import U, reward, uniform
from overbar.simulate.words import CHUNK, draw_normals, draw_words, next_word

CLOSED = math.inf  # the key of a closed arm; `FARTHEST` is the last of the others

# Where a lane stands.
STATE = np.dtype(
    [
        ("lowest", np.uint64),  # the place of the arm of lowest index
        ("misjudged", np.int32),  # how many arms have the wrong verdict
        ("listed", np.int32),  # how many places of the table are taken
        ("active", np.int64),  # |B_m|; 0 when the policy has stopped
        ("tries", np.int64),  # those of the arms that are closed
        ("leaves", np.uint64),  # P, a power of two, no less than that
        ("m", np.uint64),
        ("N", np.int64),
        ("due", np.int64),  # when a step has to look at all arms: at once in a new round, then at N
    ]
)
# What a lane knows of an arm, in one cache line: the sums of `overbar.policies.estimate`, what
# `overbar.simulate.rewards` asks for, and the verdict beside what it costs.
ARM = np.dtype(
    [
        *(("n", np.int64), ("c", np.float64), ("S1", np.float64), ("S2", np.float64)),
        *(("a", np.float64), ("b", np.float64), ("kind", np.int32), ("number", np.int32)),
        *(("blame", np.int32), ("over", np.int32)),
    ]
)
CACHE_LINE = ARM.itemsize


class Arms(NamedTuple):
    """A problem, as the loop takes it."""

    kind: NDArray[np.int64]
    a: NDArray[np.float64]
    b: NDArray[np.float64]
    log: NDArray[np.float64]
    blame: NDArray[np.int32]  # what a verdict "over" adds to the number of wrong verdicts
    tau: float


class Rounds(NamedTuple):
    """A policy's rounds, as the loop takes them: a row, or an entry, a round."""

    constants: NDArray[np.float64]
    length: NDArray[np.int64]
    settles: NDArray[np.int64]
    first_pulls: int


class Counts(NamedTuple):
    """What the loop adds to, over the repetitions that it plays."""

    errors: NDArray[np.int64]  # a time step: repetitions whose answer was wrong then
    pulls: NDArray[np.int64]  # an arm
    misjudged: NDArray[np.int64]  # a repetition, and a time step of `at`: wrong verdicts then
    tries: NDArray[np.int64]  # a repetition
    at: NDArray[np.int64]  # time steps, in their order, the last of them T
    arm: NDArray[np.int64]  # a time step: the arm pulled in the last repetition, if room is given
    reward: NDArray[np.float64]  # and what it paid


class Table(NamedTuple):
    """Where the lanes play: a row each."""

    states: Any  # a STATE
    arms: Any  # K times an ARM
    tree: NDArray[np.float64]  # 2 P keys


def table(K: int) -> Table:
    """Return a table for K arms, each arm on a cache line of its own."""
    size = LANES * K * ARM.itemsize
    memory = np.zeros(size + CACHE_LINE, np.uint8)
    start = -memory.ctypes.data % CACHE_LINE
    arms = memory[start : start + size].view(ARM).reshape(LANES, K)
    tree = np.zeros((LANES, 2 * (spare_bits(K) + 1)))
    return Table(np.zeros(LANES, STATE).view(np.recarray), arms.view(np.recarray), tree)


# What `overbar.simulate.compiled` puts in place of these is the policy's.


def index(n: int, r: float, v: float, tau: float, constants: NDArray[np.float64], m: int) -> float:
    """Return the index, with the constants of round m."""
    raise NotImplementedError


def deleted(n: int, r: float, v: float, tau: float, constants: NDArray[np.float64], m: int) -> bool:
    """Return whether an arm is clear, with the constants of round m."""
    raise NotImplementedError


pick = Policy.pick
PICKS = False  # whether the policy picks at all
PLAIN = False  # whether all arms are Gaussian, and no trace is asked for

origin = njit(estimate.origin)
mean = njit(error_model="numpy")(estimate.mean)
variance = njit(error_model="numpy")(estimate.variance)


@njit
def seen(arm: Any) -> tuple[int, float, float]:
    """Return n, r̂ and v̂ of an arm; r̂ and v̂ are 0 before its first pull."""
    if arm.n == 0:
        return 0, 0.0, 0.0
    return arm.n, mean(arm.n, arm.c, arm.S1), variance(arm.n, arm.S1, arm.S2)


@njit
def packed(index: float, place: int, mask: int) -> float:
    """Return the key: the index as `overbar.policies.ranking` compares it, and the place.

    Of negative floats, the one with the greater last bits is the lower: there they are inverted.
    """
    if not abs(index) < FARTHEST:
        index = -FARTHEST if index < 0.0 else FARTHEST
    bits = np.float64(index + 0.0).view(np.int64)  # + 0.0: there is one zero
    return np.int64((bits & ~mask) | (np.int64(place) ^ ((bits >> 63) & mask))).view(np.float64)


@njit
def place_in(key: float, mask: int) -> int:
    """Return the place that is packed in a key."""
    bits = np.float64(key).view(np.int64)
    return U((bits ^ (bits >> 63)) & mask)


@njit
def enter(tree: NDArray[np.float64], lane: int, leaf: int, key: float) -> float:
    """Give a leaf its key, play its matches up to the root, and return the lowest key."""
    tree[lane, leaf] = key
    while leaf > U(1):
        rival = tree[lane, leaf ^ U(1)]
        leaf = leaf >> U(1)
        key = key if key < rival else rival
        tree[lane, leaf] = key
    return key


@njit
def enter_all(tree: NDArray[np.float64], lane: int, P: int) -> float:
    """Play all matches, the leaves having their keys, and return the lowest."""
    node = P
    while node > U(1):
        node = node - U(1)
        one, other = tree[lane, U(2) * node], tree[lane, U(2) * node + U(1)]
        tree[lane, node] = one if one < other else other
    return tree[lane, U(1)]


@njit
def deal(table: Table, lane: int, arms: Arms, rounds: Rounds) -> None:
    """Lay the table for a repetition: no arm is pulled yet, and so none is in the answer."""
    K, state = len(arms.kind), table.states[lane]
    state.leaves = U(table.tree.shape[1] // 2)
    state.active, state.listed, state.misjudged = K, K, 0
    state.m, state.N, state.tries = 0, K * rounds.length[0], 0
    for i in range(K):
        arm = table.arms[lane, i]
        arm.n, arm.S1, arm.S2 = 0, 0.0, 0.0
        arm.kind, arm.a, arm.b, arm.number = arms.kind[i], arms.a[i], arms.b[i], i
        arm.blame, arm.over = arms.blame[i], 0
        if arm.blame < 0:
            state.misjudged += 1
    for leaf in range(state.leaves, U(2) * state.leaves):
        table.tree[lane, leaf] = 0.0 if leaf < state.leaves + U(K) else CLOSED


@njit
def clear_away(table: Table, lane: int) -> None:
    """Take the closed arms off the table, and leave as many leaves as the others need."""
    state, arms, tree = table.states[lane], table.arms, table.tree
    P, listed = state.leaves, 0
    for place in range(state.listed):
        if tree[lane, P + U(place)] < CLOSED:
            if listed < place:
                arms[lane, listed] = arms[lane, place]
            listed += 1
    while U(2 * listed) <= P:
        P = P >> U(1)
    for leaf in range(P, U(2) * P):
        tree[lane, leaf] = 0.0 if leaf < P + U(listed) else CLOSED
    state.listed, state.leaves = listed, P


def rank(table: Table, lane: int, tau: float, constants: NDArray[np.float64], mask: int) -> None:
    """Give all arms on the table their keys, at the start of a round."""
    state = table.states[lane]
    for place in range(state.listed):
        n, r, v = seen(table.arms[lane, place])
        key = packed(index(n, r, v, tau, constants, state.m), place, mask)
        table.tree[lane, state.leaves + U(place)] = key
    state.lowest = place_in(enter_all(table.tree, lane, state.leaves), mask)
    state.due = 0


@njit
def close(table: Table, lane: int, place: int, pulls: NDArray[np.int64]) -> float:
    """Close an arm, and return the key that is now the lowest."""
    state, arm = table.states[lane], table.arms[lane, place]
    state.active -= 1
    state.tries += arm.n
    pulls[arm.number] += arm.n
    return enter(table.tree, lane, state.leaves + U(place), CLOSED)


@njit
def settle(
    table: Table, lane: int, many: int, tau: float, mask: int, pulls: NDArray[np.int64]
) -> None:
    """Close the arms farthest from τ, by a tournament of the distances."""
    state, tree = table.states[lane], table.tree
    for place in range(state.listed):
        if tree[lane, state.leaves + U(place)] < CLOSED:
            _, r, _ = seen(table.arms[lane, place])
            tree[lane, state.leaves + U(place)] = packed(-abs(r - tau), place, mask)
    farthest = enter_all(tree, lane, state.leaves)
    for _ in range(many):
        farthest = close(table, lane, np.int64(place_in(farthest, mask)), pulls)


def sweep(
    table: Table,
    lane: int,
    tau: float,
    constants: NDArray[np.float64],
    mask: int,
    pulls: NDArray[np.int64],
) -> None:
    """Close all arms that are clear."""
    state = table.states[lane]
    for place in range(state.listed):
        if table.tree[lane, state.leaves + U(place)] < CLOSED:
            n, r, v = seen(table.arms[lane, place])
            if deleted(n, r, v, tau, constants, state.m):
                state.lowest = place_in(close(table, lane, place, pulls), mask)


@njit
def turn(
    table: Table,
    lane: int,
    t: int,
    tau: float,
    rounds: Rounds,
    mask: int,
    pulls: NDArray[np.int64],
) -> bool:
    """After t tries, end the round if it is time, and say whether another has begun."""
    state, last = table.states[lane], U(len(rounds.length) - 1)
    settled = 0
    turned = False
    while state.m <= last and t >= state.N and settled < state.active:
        settled += min(rounds.settles[state.m], state.active - settled)
        state.m += U(1)
        turned = True
        if state.m <= last:
            state.N = t + (state.active - settled) * rounds.length[state.m]
    if settled > 0:
        settle(table, lane, settled, tau, mask, pulls)
    if state.m > last:
        state.active = 0
    if turned and state.active > 0:
        clear_away(table, lane)
        return True
    state.due = state.N
    return False


@njit
def place_of(table: Table, lane: int, number: int) -> int:
    """Return the place of an arm, or -1 if it is off the table."""
    arms, listed = table.arms, table.states[lane].listed
    low, high = 0, listed  # places are in the order of the arms
    while low < high:
        middle = (low + high) // 2
        if arms[lane, middle].number < number:
            low = middle + 1
        else:
            high = middle
    return low if low < listed and arms[lane, low].number == number else -1


@njit
def take_stock(states: Any, misjudged: NDArray[np.int64]) -> None:
    """Write down how many verdicts are wrong now: an entry a lane."""
    for lane in range(len(misjudged)):
        misjudged[lane] = states[lane].misjudged


@njit
def pack_up(table: Table, lane: int, pulls: NDArray[np.int64]) -> int:
    """Add the pulls of the arms that are not closed, and return how many tries there were."""
    state, arms = table.states[lane], table.arms
    for place in range(state.listed):
        if table.tree[lane, state.leaves + U(place)] < CLOSED:
            state.tries += arms[lane, place].n
            pulls[arms[lane, place].number] += arms[lane, place].n
    return np.int64(state.tries)


def play_loop(  # noqa: PLR0912, PLR0915 -- one loop, in the order in which the paper's goes
    arms: Arms,
    rounds: Rounds,
    noise: NDArray[np.uint64],
    chance: NDArray[np.uint64],
    table: Table,
    counts: Counts,
) -> None:
    """Play the policy once for each row of `noise`, and add to `counts`."""
    K, T, tau = len(arms.kind), len(counts.errors), arms.tau
    opening = K * rounds.first_pulls
    mask = np.int64(table.tree.shape[1] // 2 - 1)
    words = np.empty((LANES, CHUNK), np.uint64)
    normals = np.empty((LANES, CHUNK))
    # Taken out of their tuples once: numba counts references each time that it takes one out.
    states, known, tree = table.states, table.arms, table.tree
    log, errors, at, constants = arms.log, counts.errors, counts.at, rounds.constants

    for first in range(0, len(noise), LANES):
        playing = min(LANES, len(noise) - first)
        for lane in range(playing):
            deal(table, lane, arms, rounds)
        asked = 0
        for start in range(0, T, CHUNK):
            for lane in range(playing):
                if states[lane].active == 0:  # it has stopped, and needs no more noise
                    continue
                if PLAIN:
                    draw_normals(noise, first + lane, normals, lane)
                else:
                    draw_words(noise, first + lane, words, lane)
            for t in range(start, min(start + CHUNK, T)):
                wrong = 0
                for lane_ in range(playing):
                    lane = U(lane_)
                    state = states[lane]
                    if state.active > 0:
                        # choose
                        if t < opening:
                            place = U(t % K)
                        else:
                            if t == opening:
                                rank(table, lane, tau, constants, mask)
                            place = state.lowest
                            if PICKS:
                                row = first + np.int64(lane)
                                picked = pick(uniform(next_word(chance, row)), K)
                                if picked >= K:
                                    raise IndexError("pick named an arm that there is not")
                                if state.listed < K:
                                    picked = place_of(table, lane, picked)
                                if picked >= 0 and tree[lane, state.leaves + U(picked)] < CLOSED:
                                    place = U(picked)

                        # pull
                        arm = known[lane, place]
                        if PLAIN:
                            x = arm.a + arm.b * normals[lane, U(t - start)]
                        else:
                            x = reward(arm.kind, words[lane, U(t - start)], arm.a, arm.b, log)
                            if len(counts.arm) > 0:
                                counts.arm[t], counts.reward[t] = arm.number, x
                        if arm.n == 0:
                            arm.c = origin(x)
                        d = x - arm.c
                        n, S1, S2 = arm.n + 1, arm.S1 + d, arm.S2 + d * d
                        arm.n, arm.S1, arm.S2 = n, S1, S2
                        r, v = mean(n, arm.c, S1), variance(n, S1, S2)
                        over = np.int32(r >= tau)
                        if over != arm.over:
                            arm.over = over
                            state.misjudged += arm.blame if over else -arm.blame

                        # the end of the step
                        if t >= opening:
                            lowest = tree[lane, U(1)]
                            if deleted(n, r, v, tau, constants, state.m):
                                lowest = close(table, lane, place, counts.pulls)
                            else:
                                key = packed(index(n, r, v, tau, constants, state.m), place, mask)
                                if not PICKS or key != tree[lane, state.leaves + place]:
                                    lowest = enter(tree, lane, state.leaves + place, key)
                            state.lowest = place_in(lowest, mask)
                            if t + 1 >= state.due:
                                if state.due == 0:  # the first step of a round
                                    sweep(table, lane, tau, constants, mask, counts.pulls)
                                if turn(table, lane, t + 1, tau, rounds, mask, counts.pulls):
                                    rank(table, lane, tau, constants, mask)
                    wrong += state.misjudged > 0
                errors[t] += wrong
                if t + 1 == at[asked]:
                    take_stock(states, counts.misjudged[first : first + playing, asked])
                    asked += 1
        for lane in range(playing):
            counts.tries[first + lane] = pack_up(table, lane, counts.pulls)
