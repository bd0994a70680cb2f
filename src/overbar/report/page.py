"""The report: one HTML page that needs nothing else."""

from collections.abc import Sequence
from typing import Any

from overbar import theory
from overbar.errors import InvalidInput
from overbar.experiments.experiment import Experiment
from overbar.report import claims, published, tables
from overbar.simulate.result import Result

READINGS = {
    "written": "As the paper's text says: the listed values are variances, the rules as printed.",
    "released": "As the authors' released simulation ran, from which the published figure comes:"
    " the listed values are standard deviations; the fillers' spread, some means of experiment 1,"
    " AugUCB, UCBE and UCBEV differ from print.",
    "given": "As the file says.",
}
COMPLEXITIES = (
    ("H<sub>1</sub>", theory.H_1),
    ("H<sub>CSAR,2</sub>", theory.H_CSAR_2),
    ("H<sub>σ,1</sub>", theory.H_sigma_1),
    ("H<sub>σ,2</sub>", theory.H_sigma_2),
)


def page(
    readings: dict[str, tables.Ran],
    figures: dict[str, str],
    manifest: dict[str, Any],
    compared: Sequence[published.Compared] = (),
) -> str:
    """Return the page."""
    from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

    environment = Environment(
        loader=PackageLoader("overbar.report", "."),
        autoescape=select_autoescape(),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    sections = [
        {
            "reading": reading,
            "says": READINGS[reading],
            "figure": figures[reading][figures[reading].index("<svg") :],
            "panels": [_panel(experiment, result) for experiment, result in ran],
            "findings": claims.findings(ran),
            "curves": [c for c in published.curves(compared) if c.reading == reading],
        }
        for reading, ran in readings.items()
    ]
    return environment.get_template("report.html").render(
        sections=sections,
        manifest=manifest,
        complexity_names=[name for name, _ in COMPLEXITIES],
        how_judged=claims.__doc__,
        how_compared=published.__doc__,
    )


def _panel(experiment: Experiment, result: Result) -> dict[str, Any]:
    return {
        "name": experiment.name,
        "title": experiment.title,
        "K": result.problem.K,
        "over": len(result.problem.over),
        "threshold": result.problem.threshold,
        "indifference": result.problem.indifference,
        "either": int(result.problem.either.sum()),
        "budget": result.budget,
        "repetitions": result.repetitions,
        "time_steps": tables.time_steps(result.budget),
        "rows": [
            {
                "policy": row.policy,
                "cells": [
                    {"rate": 100 * errors / row.repetitions, "low": 100 * low, "high": 100 * high}
                    for errors, low, high in zip(row.errors, row.low, row.high, strict=True)
                ],
                "saved": result.saved(row.policy),
            }
            for row in tables.rows([(experiment, result)])
        ],
        "complexities": [complexity(result.problem) for _, complexity in COMPLEXITIES],
        "bounds": _bounds(result),
        "costs": tables.costs(experiment, result),
    }


def _bounds(result: Result) -> list[dict[str, Any]]:
    found = []
    for bound in (theory.bound_AugUCB, theory.bound_UCBEV, theory.bound_APT, theory.bound_CSAR):
        try:
            each = bound(result.problem, result.budget)
        except InvalidInput as error:
            found.append({"policy": bound.__name__.removeprefix("bound_"), "said": str(error)})
        else:
            found.append({"policy": each.policy, "said": str(each).partition(": ")[2]})
    return found
