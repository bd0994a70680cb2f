"""The loop that plays a policy, compiled: the one of `overbar.policies.policy`, in full speed.

A policy's functions are compiled as they stand in the policy's file; the loop is compiled once, and
calls them by their address. A step looks at every active arm for the lowest index, but computes
anew only the index of the arm that was pulled; the others' change only with the round.
"""

import inspect
from collections.abc import Callable
from functools import cache
from threading import Lock
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np
from numba import njit, typeof, types
from numba.core.dispatcher import Dispatcher
from numpy.typing import NDArray

from overbar.policies import Policy, estimate
from overbar.simulate.rewards import U, reward, uniform

origin = njit(estimate.origin)
mean = njit(estimate.mean)
variance = njit(estimate.variance)


class Arms(NamedTuple):
    """A problem, as the loop takes it."""

    kind: NDArray[np.int64]
    a: NDArray[np.float64]
    b: NDArray[np.float64]
    log: NDArray[np.float64]
    truth: NDArray[np.bool_]
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
    wrong: NDArray[np.bool_]  # a repetition: whether its last answer was wrong
    arm: NDArray[np.int64]  # a time step: the arm pulled in the last repetition, if room is given
    reward: NDArray[np.float64]  # and what it paid


@njit
def next_word(state: NDArray[np.uint64]) -> int:
    """Return the next word of an SFC64 stream (Doty-Humphrey), exactly as numpy's."""
    word = state[0] + state[1] + state[3]
    state[3] += U(1)
    state[0] = state[1] ^ (state[1] >> U(11))
    state[1] = state[2] + (state[2] << U(3))
    state[2] = ((state[2] << U(24)) | (state[2] >> U(40))) + word
    return word


def play_loop(  # noqa: PLR0912, PLR0915 -- one loop, in the order in which the paper's goes
    arms: Arms,
    rounds: Rounds,
    index: Callable[..., float],
    deleted: Callable[..., bool],
    pick: Callable[[float, int], int],
    draws: bool,
    noise: NDArray[np.uint64],
    chance: NDArray[np.uint64],
    counts: Counts,
) -> None:
    """Play the policy once for each row of `noise`, and add to `counts`."""
    K, T, tau = len(arms.kind), len(counts.errors), arms.tau
    last_round = len(rounds.length) - 1
    opening = K * rounds.first_pulls
    n = np.empty(K, np.int64)
    c, S1, S2 = np.empty(K), np.empty(K), np.empty(K)  # the sums of overbar.policies.estimate
    r, v, key = np.empty(K), np.empty(K), np.empty(K)
    active = np.empty(K, np.bool_)
    for repetition in range(len(noise)):
        B = K  # |B_m|
        misjudged = 0
        for j in range(K):
            n[j], S1[j], S2[j], r[j], v[j], active[j] = 0, 0.0, 0.0, 0.0, 0.0, True
            misjudged += arms.truth[j]  # an arm that was never pulled is not in the answer
        m = 0
        N = K * rounds.length[0]
        constants = rounds.constants[0]
        all_changed = rounds.first_pulls == 0
        t = 0
        while t < T and B > 0 and m <= last_round:
            # choose
            if t < opening:
                i = t % K
            else:
                if all_changed:
                    for j in range(K):
                        key[j] = index(n[j], r[j], v[j], tau, constants)
                i = -1
                if draws:
                    i = pick(uniform(next_word(chance[repetition])), K)
                if i < 0 or not active[i]:
                    i = -1
                    for j in range(K):
                        if active[j] and (i < 0 or key[j] < key[i]):
                            i = j

            # pull
            x = reward(arms.kind[i], next_word(noise[repetition]), arms.a[i], arms.b[i], arms.log)
            misjudged -= (n[i] > 0 and r[i] >= tau) != arms.truth[i]
            if n[i] == 0:
                c[i] = origin(x)
            n[i] += 1
            S1[i] += x - c[i]
            S2[i] += (x - c[i]) * (x - c[i])
            r[i], v[i] = mean(n[i], c[i], S1[i]), variance(n[i], S1[i], S2[i])
            misjudged += (r[i] >= tau) != arms.truth[i]
            counts.errors[t] += misjudged > 0
            if len(counts.arm) > 0:
                counts.arm[t], counts.reward[t] = i, x
            t += 1

            # the end of the step
            if t == opening:
                all_changed = True
            elif t > opening:
                key[i] = index(n[i], r[i], v[i], tau, constants)
                for j in range(0 if all_changed else i, K if all_changed else i + 1):
                    if active[j] and deleted(n[j], r[j], v[j], tau, constants):
                        active[j] = False
                        B -= 1
                all_changed = False
                while t >= N and m <= last_round and B > 0:
                    for _ in range(min(rounds.settles[m], B)):
                        farthest = -1
                        for j in range(K):
                            if active[j] and (
                                farthest < 0 or abs(r[j] - tau) > abs(r[farthest] - tau)
                            ):
                                farthest = j
                        active[farthest] = False
                        B -= 1
                    m += 1
                    if m <= last_round:
                        N = t + B * rounds.length[m]
                        constants = rounds.constants[m]
                        all_changed = True
        for later in range(t, T):  # where it stopped early, the answer stays
            counts.errors[later] += misjudged > 0
        counts.wrong[repetition] = misjudged > 0
        for j in range(K):
            counts.pulls[j] += n[j]


# How the loop calls a policy: f(n, r, v, tau, constants) and pick(u, K).
_CONSTANTS = types.float64[::1]
_INDEX = types.float64(types.int64, types.float64, types.float64, types.float64, _CONSTANTS)
_DELETED = types.boolean(types.int64, types.float64, types.float64, types.float64, _CONSTANTS)
_PICK = types.int64(types.float64, types.int64)
_compiling = Lock()  # one thread compiles; the others then find what it made


def play(
    arms: Arms,
    rounds: Rounds,
    policy: Policy,
    noise: NDArray[np.uint64],
    chance: NDArray[np.uint64],
    counts: Counts,
) -> None:
    """Play the policy once for each row of `noise`, and add to `counts`."""
    with _compiling:
        index = with_constants(policy.index, _INDEX)
        deleted = with_constants(policy.deleted, _DELETED)
        pick = compiled(policy.pick, _PICK)
        loop = compiled_loop(typeof(arms), typeof(rounds), typeof(counts))
    draws = policy.pick is not Policy.pick
    loop(arms, rounds, index, deleted, pick, draws, noise, chance, counts)


@cache
def compiled_loop(arms: types.Type, rounds: types.Type, counts: types.Type) -> Any:
    """Compile the loop, to call functions by address."""
    index, deleted, pick = (types.FunctionType(each) for each in (_INDEX, _DELETED, _PICK))
    states = types.uint64[:, ::1]
    signature = types.void(
        arms, rounds, index, deleted, pick, types.boolean, states, states, counts
    )
    return njit(signature, nogil=True)(play_loop)


@cache
def compiled(function: Callable[..., Any], signature: Any = None) -> Any:
    """Compile a policy's function, and the plain functions of its file that it calls."""
    if isinstance(function, Dispatcher):  # the user compiled it
        return function
    seen = function.__globals__
    called = {
        name: compiled(seen[name])
        for name in function.__code__.co_names
        if isinstance(seen.get(name), FunctionType)
    }
    again = FunctionType(
        function.__code__, {**seen, **called}, function.__name__, None, function.__closure__
    )
    return njit(again) if signature is None else njit(signature)(again)


@cache
def with_constants(function: Callable[..., Any], signature: Any) -> Any:
    """Compile f(n, r, v, tau, one, two, …) as f(n, r, v, tau, constants).

    numba cannot spread an array over arguments, so there is a form for each number of them.
    """
    f = compiled(function)
    parameters = inspect.signature(function).parameters.values()
    spreads = any(parameter.kind == parameter.VAR_POSITIONAL for parameter in parameters)
    forms = (
        lambda n, r, v, tau, c: f(n, r, v, tau),
        lambda n, r, v, tau, c: f(n, r, v, tau, c[0]),
        lambda n, r, v, tau, c: f(n, r, v, tau, c[0], c[1]),
        lambda n, r, v, tau, c: f(n, r, v, tau, c[0], c[1], c[2]),
        lambda n, r, v, tau, c: f(n, r, v, tau, c[0], c[1], c[2], c[3]),
        lambda n, r, v, tau, c: f(n, r, v, tau, c[0], c[1], c[2], c[3], c[4]),
        lambda n, r, v, tau, c: f(n, r, v, tau, c[0], c[1], c[2], c[3], c[4], c[5]),
    )
    return njit(signature)(forms[0 if spreads else len(parameters) - 4])
