"""overbar paper: the paper's evaluation."""

from pathlib import Path
from typing import Any

import click

from overbar.cli.lab import lab_options, numbers_of, run


@click.command()
@click.option("--experiments", metavar="NUMBERS", default="1,2,3,4,5,6", show_default=True)
@click.option(
    "--reading",
    type=click.Choice(["written", "released", "both"]),
    default="both",
    show_default=True,
    help="As the paper's text says, or as its authors' released simulation ran.",
)
@click.option(
    "--published",
    type=click.Path(path_type=Path),
    metavar="FILE.csv",
    help="Published points to compare with: experiment, algorithm, time_step, error_percent.",
)
@lab_options(out="overbar-paper")
def paper(experiments: str, reading: str, published: Path | None, **options: Any) -> None:
    """Run the evaluation of "Thresholding Bandits with Augmented UCB" and report on it."""
    from overbar.experiments.paper import READINGS, experiment

    numbers = numbers_of(experiments)
    readings = READINGS if reading == "both" else (reading,)
    seed = options["seed"] or 0
    chosen = [experiment(n, r, seed) for r in readings for n in numbers]
    points = []
    if published is not None:
        from overbar.report.published import read

        points = read(published)
    said = {"experiments": experiments, "reading": reading, "published": published, **options}
    run(chosen, said, points)
