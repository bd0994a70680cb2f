"""How long a step of a policy takes."""

from dataclasses import replace
from time import perf_counter
from warnings import catch_warnings, simplefilter

from overbar.errors import OverbarWarning
from overbar.experiments.experiment import Experiment
from overbar.simulate.blocks import LANES, Block, play
from overbar.simulate.simulation import opening_block

STEPS = 40_000  # as few as tell: a hundred problems are measured in seconds
TIMES = 3


def pace(experiment: Experiment) -> dict[str, float]:
    """Return how many ns a step of each policy takes in one thread: the least of three plays.

    A step of a policy that has stopped counts as well, and takes next to nothing.
    """
    problem, T = experiment.problem(), experiment.budget
    repetitions = range(LANES * max(1, STEPS // (LANES * T)))
    found = {}
    for name, policy in experiment.policies.items():
        with catch_warnings():  # what a policy warns of was told when it was played
            simplefilter("ignore", OverbarWarning)
            block = opening_block(problem, policy, T, experiment.seed)
        block = replace(block, repetitions=repetitions)
        found[name] = min(_seconds(block) for _ in range(TIMES)) / (T * len(repetitions)) * 1e9
    return found


def _seconds(block: Block) -> float:
    began = perf_counter()
    play(block)
    return perf_counter() - began
