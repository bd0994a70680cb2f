"""Play policies on a problem, many times over."""

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace

import numpy as np

from overbar.errors import InvalidInput, a_whole_number
from overbar.policies import Game, Policy
from overbar.policies.policy import opened
from overbar.problem import Problem
from overbar.simulate.blocks import LANES, Block, Played, Trace, play, play_traced
from overbar.simulate.result import Result
from overbar.simulate.streams import Seed

LONGEST = 2**53  # a budget: above it, floats are not exact
STEPS_IN_A_BLOCK = 320_000  # milliseconds: so many blocks that threads end at about the same time


def simulate(
    problem: Problem,
    policies: Sequence[Policy] | Mapping[str, Policy],
    budget: int,
    repetitions: int = 500,
    seed: Seed = 0,
    threads: int | None = None,
    executor: Executor | None = None,
    at: Sequence[int] = (),
) -> Result:
    """Play each policy `repetitions` times with `budget` tries, and count its errors.

    All policies see the same noise: in a repetition, the t-th try takes the t-th word of the same
    stream whatever arm it pulls. The result is the same, to the last bit, for any number of threads
    (by default one a core), any executor and any order of the policies.

    Wrong verdicts are counted a repetition at the end, and at the time steps of `at`.

    Two policies of the same name need names of their own, in a mapping:

    >>> from overbar import APT, Bernoulli, Problem
    >>> problem = Problem([Bernoulli(0.2), Bernoulli(0.9)], threshold=0.5)
    >>> wide, narrow = APT(epsilon=0.1), APT(epsilon=0)
    >>> result = simulate(problem, {"wide": wide, "narrow": narrow}, budget=50, repetitions=20)
    >>> len(result.error_rate("wide"))
    50
    """
    repetitions = a_whole_number("the number of repetitions", repetitions, least=1)
    blocks = {
        name: cut(opening_block(problem, policy, budget, seed, at), repetitions, STEPS_IN_A_BLOCK)
        for name, policy in named(policies).items()
    }
    with _pool(threads, executor) as pool:
        futures = {name: [pool.submit(play, block) for block in blocks[name]] for name in blocks}
        played = {name: together([f.result() for f in futures[name]]) for name in futures}
    return Result(problem, budget, repetitions, played, steps_of(at, budget))


def trace(
    problem: Problem, policy: Policy, budget: int, seed: Seed = 0, repetition: int = 0
) -> Trace:
    """Play one repetition alone, and return the arm pulled at each step and what it paid.

    >>> from overbar import APT, Bernoulli, Problem
    >>> problem = Problem([Bernoulli(0.2), Bernoulli(0.9)], threshold=0.5)
    >>> trace(problem, APT(), budget=4).arms[:2]
    array([0, 1])
    """
    repetition = a_whole_number("the repetition", repetition, least=0)
    block = opening_block(problem, policy, budget, seed)
    return play_traced(replace(block, repetitions=range(repetition, repetition + 1)))


def named(policies: Sequence[Policy] | Mapping[str, Policy]) -> dict[str, Policy]:
    """Return the policies by name; no two may have the same."""
    by_name: dict[str, Policy] = {}
    if isinstance(policies, Mapping):
        by_name, policies = dict(policies), []
    for policy in [policies] if isinstance(policies, Policy) else policies:
        name = getattr(policy, "name", repr(policy))
        if name in by_name:
            raise InvalidInput(
                "the name of a policy",
                name,
                "unlike every other",
                'Name them: simulate(problem, {"one": ..., "other": ...}, ...).',
            )
        by_name[name] = policy
    if not by_name:
        raise InvalidInput("the list of policies", [], "one policy or more")
    return by_name


def opening_block(
    problem: Problem, policy: Policy, budget: int, seed: Seed, at: Sequence[int] = ()
) -> Block:
    """Check that the policy can play the problem, and return the block of no repetition yet."""
    if not isinstance(problem, Problem):
        raise InvalidInput("the problem", problem, "a Problem")
    budget = a_whole_number("the budget", budget, least=1, most=LONGEST)
    for number in seed if isinstance(seed, Sequence) else [seed]:
        a_whole_number("the seed", number, least=0)
    rounds = opened(policy, Game(problem.K, budget, problem))
    return Block(problem, policy, rounds, budget, seed, range(0), steps_of(at, budget))


def steps_of(at: Sequence[int], budget: int) -> tuple[int, ...]:
    """Return the time steps at which wrong verdicts are counted: these, and the last."""
    given = {a_whole_number("a time step of `at`", step, least=1, most=budget) for step in at}
    return tuple(sorted(given | {budget}))


def cut(block: Block, repetitions: int, steps: int) -> list[Block]:
    """Return blocks of about so many steps that together are `repetitions` repetitions."""
    step = LANES * max(1, steps // (LANES * block.budget))
    starts = range(0, repetitions, step)
    return [
        replace(block, repetitions=range(start, min(start + step, repetitions))) for start in starts
    ]


def together(parts: Sequence[Played]) -> Played:
    """Add up what came of the blocks of a policy, given in the order of their repetitions."""
    errors, pulls, misjudged, tries = zip(*parts, strict=True)
    return Played(
        errors=np.sum(errors, axis=0),
        pulls=np.sum(pulls, axis=0),
        misjudged=np.concatenate(misjudged),
        tries=np.concatenate(tries),
    )


def _pool(threads: int | None, executor: Executor | None) -> AbstractContextManager[Executor]:
    if executor is not None:  # the caller's: not ours to shut down
        return nullcontext(executor)
    if threads is not None:
        threads = a_whole_number("the number of threads", threads, least=1)
    return ThreadPoolExecutor(threads or os.cpu_count())
