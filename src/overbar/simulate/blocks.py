"""Blocks: the repetitions of one policy that are played in one go.

A block is a pure function of its fields, so that whoever plays it, and however often, gets the same
bits. What is counted are whole numbers: they add up the same in any order.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from overbar.policies import Policy, Round
from overbar.problem import Empirical, Problem
from overbar.problem.arms import GAUSSIAN
from overbar.simulate.streams import CHANCE, NOISE, Seed, states

LANES = 4  # how many repetitions the kernel plays at once


@dataclass(frozen=True)
class Block:
    """Repetitions of one policy on one problem."""

    problem: Problem
    policy: Policy
    rounds: tuple[Round, ...]
    budget: int
    seed: Seed
    repetitions: range
    at: tuple[int, ...]  # time steps at which wrong verdicts are counted, the last of them T


class Played(NamedTuple):
    """What came of a block."""

    errors: NDArray[np.int64]  # a time step: repetitions whose answer was wrong then
    pulls: NDArray[np.int64]  # an arm, over all repetitions
    misjudged: NDArray[np.int64]  # a repetition, and a time step of `at`: wrong verdicts then
    tries: NDArray[np.int64]  # a repetition


class Trace(NamedTuple):
    """One repetition, step by step."""

    arms: NDArray[np.int64]  # the arm pulled at each step, counted from 0
    rewards: NDArray[np.float64]


def play(block: Block) -> Played:
    """Play a block."""
    return _play(block, steps=0)[0]


def play_traced(block: Block) -> Trace:
    """Play a block of one repetition, and keep its steps."""
    played, steps = _play(block, steps=block.budget)
    tries = int(played.pulls.sum())
    return Trace(steps.arms[:tries], steps.rewards[:tries])


def _play(block: Block, steps: int) -> tuple[Played, Trace]:
    from overbar.simulate import kernel  # numba: imported only where something is played
    from overbar.simulate.compiled import kernel_of

    K, repetitions, policy = block.problem.K, block.repetitions, block.policy
    played = Played(
        errors=np.zeros(block.budget, np.int64),
        pulls=np.zeros(K, np.int64),
        misjudged=np.zeros((len(repetitions), len(block.at)), np.int64),
        tries=np.zeros(len(repetitions), np.int64),
    )
    kept = Trace(np.zeros(steps, np.int64), np.zeros(steps))
    gaussian = all(arm.kind == GAUSSIAN for arm in block.problem.arms)
    loop = kernel_of(policy, len(block.rounds[0].constants), plain=gaussian and not steps)
    with np.errstate(over="ignore"):  # uncompiled, numpy would warn of words that wrap around
        loop(
            kernel.Arms(*_arms(block.problem)),
            kernel.Rounds(*_rounds(block.rounds), policy.first_pulls),
            states(block.seed, NOISE, repetitions),
            states(block.seed, CHANCE, repetitions if policy.picks else range(0)),
            kernel.table(K),
            kernel.Counts(*played, np.array(block.at, np.int64), *kept),
        )
    return played, kept


def _arms(
    problem: Problem,
) -> tuple[
    NDArray[np.int64],
    NDArray[np.float64],
    NDArray[np.float64],
    NDArray[np.float64],
    NDArray[np.int32],
    float,
]:
    """Kind and parameters of each arm; the logs one after the other; the blame; and τ."""
    log: list[float] = []
    parameters = []
    for arm in problem.arms:
        if isinstance(arm, Empirical):
            parameters.append((float(len(log)), float(len(arm.rewards))))
            log.extend(arm.rewards)
        else:
            parameters.append(arm.parameters)
    a, b = np.array(parameters, np.float64).T.copy()
    kind = np.array([arm.kind for arm in problem.arms], np.int64)
    blame = np.where(problem.either, 0, np.where(problem.truth, -1, 1)).astype(np.int32)
    return kind, a, b, np.array(log, np.float64), blame, problem.threshold


def _rounds(
    rounds: tuple[Round, ...],
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    return (
        np.array([each.constants for each in rounds], np.float64),
        np.array([each.length for each in rounds], np.int64),
        np.array([each.settles for each in rounds], np.int64),
    )
