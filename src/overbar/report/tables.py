"""Tables of errors at chosen time steps."""

from collections.abc import Iterator
from typing import NamedTuple

from overbar.experiments.experiment import Experiment
from overbar.simulate.result import Result

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
