"""Tables of errors at chosen time steps."""

from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

from overbar.errors import InvalidInput
from overbar.experiments.experiment import Experiment
from overbar.policies import UntilSure
from overbar.simulate.result import Result
from overbar.theory import fewest_tries

Ran = list[tuple[Experiment, Result]]


class Row(NamedTuple):
    """The errors of one policy in one experiment."""

    experiment: Experiment
    policy: str
    repetitions: int
    time_steps: list[int]
    errors: list[int]
    low: list[float]  # Wilson's 95 % interval of the error rate
    high: list[float]


def time_steps(budget: int) -> list[int]:
    """Return ten time steps, evenly spaced up to the budget."""
    return sorted({max(1, round(budget * tenth / 10)) for tenth in range(1, 11)})


def rows(ran: Ran) -> Iterator[Row]:
    """Yield a row for each experiment, reading and policy."""
    for experiment, result in ran:
        steps = time_steps(result.budget)
        at = [step - 1 for step in steps]
        for policy in result.policies:
            low, high = result.interval(policy)
            yield Row(
                experiment,
                policy,
                result.repetitions,
                steps,
                [int(count) for count in result.errors(policy)[at]],
                [float(end) for end in low[at]],
                [float(end) for end in high[at]],
            )


def costs(experiment: Experiment, result: Result) -> list[str]:
    """Say what certainty cost each policy that plays until it is sure, beside the lower bound."""
    said = []
    for name, policy in experiment.policies.items():
        if isinstance(policy, UntilSure) and name in result.policies:
            tries = result.budget - result.saved(name)
            said.append(f"{name}: {tries:.1f} tries on average until it stopped.")
            with suppress(InvalidInput):  # what the arms are, such a bound is not known for
                fewest = fewest_tries(result.problem, policy.confidence)
                said[-1] = (
                    f"{said[-1][:-1]}; to be right with {policy.confidence:.6g}, "
                    f"any policy needs {fewest:.1f}."
                )
    return said


def json_line(row: Row, budget: int) -> dict[str, object]:
    """Return what `--json` prints of a row."""
    return {
        "schema": 1,
        "experiment": row.experiment.name,
        "reading": row.experiment.reading,
        "policy": row.policy,
        "budget": budget,
        "repetitions": row.repetitions,
        "time_steps": row.time_steps,
        "errors": row.errors,
    }
