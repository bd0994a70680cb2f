"""The files of a run: counts, table, manifest, figures, report."""

import csv
import json
import platform
from collections.abc import Sequence
from importlib.metadata import version
from io import StringIO
from pathlib import Path
from typing import Any

import overbar
from overbar.experiments.experiment import Experiment
from overbar.experiments.run import Ran
from overbar.report import figure, page, published, tables
from overbar.simulate.result import Result

COLUMNS = (
    *("reading", "experiment", "policy", "time_step", "repetitions"),
    *("errors", "error_rate", "low", "high"),
)
LIBRARIES = ("numpy", "numba", "scipy", "matplotlib")


def write(
    ran: Ran,
    folder: Path,
    log: bool,
    options: dict[str, Any],
    compared: Sequence[published.Compared] = (),
) -> Path:
    """Write everything about a run into a folder, and return the report's path."""
    readings: dict[str, tables.Ran] = {}
    for experiment, result in ran.results:
        readings.setdefault(experiment.reading, []).append((experiment, result))
        name = f"counts-{experiment.reading}-{experiment.name}.csv"
        _put(folder / name, counts_csv(result))
    figures = {}
    for reading, each in readings.items():
        drawn = figure.figure(each, log)
        figures[reading] = figure.svg(drawn)
        _put(folder / f"figure-{reading}.svg", figures[reading])
        _put(folder / f"figure-{reading}.png", figure.png(drawn))
    manifest = _manifest(ran, options)
    _put(folder / "counts.json", counts_json(ran.results))
    _put(folder / "errors.csv", errors_csv(ran.results))
    _put(folder / "manifest.json", json.dumps(manifest, indent=2) + "\n")
    if compared:
        _put(folder / "published.csv", published.as_csv(compared))
        _put(folder / "published.json", published.as_json(compared))
    report = folder / "report.html"
    _put(report, page.page(readings, figures, manifest, compared))
    return report


def counts_csv(result: Result) -> str:
    """Return the error count of each policy at every time step."""
    text = StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(["time_step", *result.policies])
    columns = [result.errors(policy).tolist() for policy in result.policies]
    lines.writerows(zip(range(1, result.budget + 1), *columns, strict=True))
    return text.getvalue()


def counts_json(ran: list[tuple[Experiment, Result]]) -> str:
    """Return the same, and the pulls of each arm, for all experiments."""
    records = [
        {
            "schema": 1,
            "experiment": experiment.name,
            "reading": experiment.reading,
            "policy": policy,
            "budget": result.budget,
            "repetitions": result.repetitions,
            "seed": list(experiment.seed),
            "errors": result.errors(policy).tolist(),
            "arms": list(result.problem.names),
            "pulls": result.played[policy].pulls.tolist(),
        }
        for experiment, result in ran
        for policy in result.policies
    ]
    return "[\n" + ",\n".join(map(json.dumps, records)) + "\n]\n"


def errors_csv(ran: tables.Ran) -> str:
    """Return the table of errors at ten time steps, with Wilson's intervals."""
    text = StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(COLUMNS)
    for row in tables.rows(ran):
        for step, errors, low, high in zip(
            row.time_steps, row.errors, row.low, row.high, strict=True
        ):
            rate = errors / row.repetitions
            said = (row.experiment.reading, row.experiment.name, row.policy)
            lines.writerow(
                [*said, step, row.repetitions, errors, rate, f"{low:.6f}", f"{high:.6f}"]
            )
    return text.getvalue()


def _manifest(ran: Ran, options: dict[str, Any]) -> dict[str, Any]:
    libraries = {name: version(name) for name in LIBRARIES}
    return {
        "overbar": overbar.__version__,
        "options": options,
        "readings": sorted({experiment.reading for experiment, _ in ran.results}),
        "seeds": {
            f"{experiment.reading} {experiment.name}": list(experiment.seed)
            for experiment, _ in ran.results
        },
        "seconds": round(ran.seconds, 3),
        "blocks": {"played": ran.played, "kept from an earlier run": ran.found},
        "libraries": {"python": platform.python_version(), **libraries},
        "machine": platform.platform(),
    }


def _put(path: Path, content: str | bytes) -> None:
    """Write a file whole or not at all."""
    part = path.with_name(f"{path.name}.part")
    data = content.encode() if isinstance(content, str) else content
    try:
        part.write_bytes(data)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
