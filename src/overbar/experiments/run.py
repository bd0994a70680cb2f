"""Run experiments: blocks to an engine, finished blocks to a store, results back."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, as_completed
from dataclasses import dataclass
from time import perf_counter

from overbar.experiments.engines import play_as
from overbar.experiments.experiment import Experiment
from overbar.experiments.store import Store
from overbar.simulate.blocks import Block, Played
from overbar.simulate.result import Result
from overbar.simulate.simulation import cut, opening_block, together
from overbar.simulate.sources import code_digest

STEPS_IN_A_BLOCK = 1_000_000  # hundredths of a second: more than it takes to keep what came of it

Progress = Callable[[int, int], None]  # repetitions done, and of how many


@dataclass(frozen=True)
class Ran:
    """The results of experiments, in their order, and how they came about."""

    results: list[tuple[Experiment, Result]]
    seconds: float
    played: int  # blocks
    found: int  # blocks that were kept from an earlier run


def run(
    experiments: Sequence[Experiment],
    engine: Executor,
    store: Store | None = None,
    progress: Progress = lambda done, total: None,
) -> Ran:
    """Run the experiments. Interrupted, it goes on from the blocks that are kept in a store."""
    began = perf_counter()
    plans = [(experiment, plan(experiment)) for experiment in experiments]
    blocks = [block for _, policies in plans for each in policies.values() for block in each]
    total = sum(len(block.repetitions) for block in blocks)
    played: dict[Block, Played] = store.find(blocks) if store else {}
    found = len(played)
    done = sum(len(block.repetitions) for block in played)
    progress(done, total)
    digest = code_digest()
    futures = {engine.submit(play_as, digest, b): b for b in blocks if b not in played}
    for future in as_completed(futures):
        block = futures[future]
        played[block] = future.result()
        if store:
            store.keep(block, played[block])
        done += len(block.repetitions)
        progress(done, total)
    results = [(experiment, _result(experiment, each, played)) for experiment, each in plans]
    return Ran(results, perf_counter() - began, len(blocks) - found, found)


def plan(experiment: Experiment) -> dict[str, list[Block]]:
    """Return the blocks of each policy, having checked that it can play."""
    problem = experiment.problem()
    return {
        name: cut(
            opening_block(problem, policy, experiment.budget, experiment.seed, experiment.at),
            experiment.repetitions,
            STEPS_IN_A_BLOCK,
        )
        for name, policy in experiment.policies.items()
    }


def _result(
    experiment: Experiment, plans: Mapping[str, list[Block]], played: Mapping[Block, Played]
) -> Result:
    by_policy = {
        name: together([played[block] for block in blocks]) for name, blocks in plans.items()
    }
    problem = experiment.problem()
    return Result(problem, experiment.budget, experiment.repetitions, by_policy, experiment.at)
