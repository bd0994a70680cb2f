"""overbar simulate: experiments of one's own."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from overbar.cli.lab import lab_options, run


def _print_example(context: click.Context, _: click.Parameter, number: int | None) -> None:
    if number is not None:
        from overbar.experiments import paper

        click.echo(paper.text(number), nl=False)
        context.exit()


@click.command()
@click.argument("experiment", type=click.Path(path_type=Path))
@click.option(
    "--example",
    type=click.IntRange(1, 6),
    is_eager=True,
    expose_value=False,
    callback=_print_example,
    help="Print an experiment of the paper, to start from, and exit.",
)
@lab_options(out="overbar-simulate")
def simulate(experiment: Path, **options: Any) -> None:
    """Run the experiment that a TOML file describes, and report on it.

    \b
    To start:  overbar simulate --example 1 > mine.toml
               overbar simulate mine.toml
    """
    from overbar.experiments.toml_file import read

    given = read(experiment)
    if options["seed"] is not None:
        given = replace(given, seed=(options["seed"],))
    run([given], {"experiment": experiment, **options})
