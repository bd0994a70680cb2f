"""What `overbar plan` shows: what is played now, tables, and what they come to."""

import sys
from textwrap import fill
from typing import TYPE_CHECKING, Any

import click

from overbar.errors import OverbarError
from overbar.planning.forecast import PLAYS
from overbar.report import planned

if TYPE_CHECKING:
    from rich.console import Console

    from overbar.planning.plan import Plan
    from overbar.planning.source import Source

LINE = 100  # characters


def show(found: "Plan", source: "Source", options: dict[str, Any]) -> None:
    """Draw and print a plan as the options say."""
    if options["out"] is not None:
        from overbar.report.planned_figure import drawn

        try:
            options["out"].write_bytes(drawn(found, options["out"].suffix))
        except OSError as error:
            raise OverbarError(f"Cannot write to {options['out']}: {error.strerror}") from None
    width = source.scale[1] - source.scale[0]
    if options["as_json"]:
        keys = ("arms", "threshold", "indifference", "seed")
        said = {"guess": source.words, **{key: options[key] for key in keys}}
        click.echo(planned.as_json(found, said | {"arms": source.guess.count}, width))
        return
    _print_heading(found, source, options)
    (_print_point if options["budget"] is not None else _print_curve)(found)
    for line in planned.sentences(found, width):
        click.echo(fill(line, min(LINE, _console().width)))


def _print_heading(found: "Plan", source: "Source", options: dict[str, Any]) -> None:
    zone = f" ± {options['indifference']:g}" if options["indifference"] else ""
    counts = [len(each.wrong) for curve in found.curves for each in curve.forecasts]
    problems = f"{min(counts)} to {max(counts)}" if len(set(counts)) > 1 else f"{counts[0]}"
    click.echo(
        f"{source.guess.count} arms, {source.words}: "
        f"{100 * found.over:.0f} % are over {options['threshold']:g}{zone}."
    )
    if source.note:
        click.echo(fill(source.note, min(LINE, _console().width)))
    click.echo(
        f"Each budget was played on {problems} problems, {PLAYS} times on each;"
        " ± is the 95 % interval."
    )


def _print_curve(found: "Plan") -> None:
    from rich.table import Table

    names = [curve.policy for curve in found.curves]
    scale = f"0 %{100 * planned.top(found):.0f} %".replace("%", "%" + " " * (planned.WIDTH - 7), 1)
    click.echo(f"The error: {planned.ERRORS[found.measure]}.\n")
    table = Table(box=None)
    for heading in ("budget", "an arm"):
        table.add_column(heading, justify="right", no_wrap=True)
    for mark, name in zip(planned.MARKS, names, strict=False):
        table.add_column(f"{mark} {name}", justify="right", no_wrap=True)
    table.add_column(scale, no_wrap=True)
    for row in planned.rows(found):
        errors = ["" if each is None else planned.percent(each) for each in row.errors]
        table.add_row(
            *(planned.tries(row.budget), planned.each(row.tries_each), *errors, row.picture)
        )
    console = _console()
    console.print(table)
    click.echo("\nThe budget that an error takes, with its 95 % interval:")
    found_out = Table(box=None)
    for heading in ("error", "policy", "budget", "95 % interval", "an arm"):
        found_out.add_column(heading, justify="left" if heading == "policy" else "right")
    for answer in planned.answers(found):
        found_out.add_row(*answer)
    console.print(found_out)


def _print_point(found: "Plan") -> None:
    from rich.table import Table

    [budget] = {curve.forecasts[0].budget for curve in found.curves}
    click.echo(f"With a budget of {planned.tries(budget)} tries:")
    table = Table(box=None)
    table.add_column("policy", no_wrap=True)
    for heading in ("wrong verdicts, %", "how many", "9 in 10 at most", "any wrong, %", "tries"):
        table.add_column(heading, justify="right")
    for curve in found.curves:
        [at] = curve.forecasts
        table.add_row(
            *(curve.policy, planned.percent(at.share), planned.each(at.arms * at.share.value)),
            *(f"{at.nine_in_ten}", planned.percent(at.any), planned.tries(at.tries)),
        )
    _console().print(table)


def _console() -> "Console":
    """Return where tables go: in a pipe they have a line's length, in a terminal what it has."""
    from rich.console import Console

    return Console() if sys.stdout.isatty() else Console(width=LINE)


class Status:
    """What is played now, on a terminal."""

    def __init__(self) -> None:
        from rich.console import Console

        self._status = Console(stderr=True).status("")
        self._shown = sys.stderr.isatty()

    def __call__(self, policy: str, budget: int) -> None:
        """Say it."""
        self._status.update(f"{policy}, {planned.tries(budget)} tries")

    def __enter__(self) -> "Status":
        if self._shown:
            self._status.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown:
            self._status.stop()
