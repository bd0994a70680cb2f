"""What `overbar plan` shows: what is played now, tables, and what they come to."""

import sys
from dataclasses import replace
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any, Literal

import click

from overbar.errors import OverbarError
from overbar.planning.forecast import PLAYS
from overbar.report import planned

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.table import Table

    from overbar.planning.plan import Plan
    from overbar.planning.source import Source

LINE = 100  # characters
WIDEST = 10_000  # characters, more than any table has


def show(found: "Plan", source: "Source", options: dict[str, Any]) -> None:
    """Draw and print a plan as the options say."""
    width = source.scale[1] - source.scale[0]
    if options["as_json"]:
        keys = ("arms", "threshold", "indifference", "seed")
        said = {"guess": source.words, **{key: options[key] for key in keys}}
        click.echo(planned.as_json(found, said | {"arms": source.guess.count}, width))
    else:
        _print_heading(found, source, options)
        (_print_point if options["budget"] is not None else _print_curve)(found)
        for line in planned.sentences(found, width):
            click.echo(fill(line, min(LINE, _line())))
    if options["out"] is not None:
        _draw(found, options["out"])


def _draw(found: "Plan", out: Path) -> None:
    from overbar.report.planned_figure import drawn

    picture = drawn(found, out.suffix)
    try:
        out.write_bytes(picture)
    except OSError as error:
        raise OverbarError(f"Cannot write to {out}: {error.strerror}") from None


def _print_heading(found: "Plan", source: "Source", options: dict[str, Any]) -> None:
    zone = f" ± {options['indifference']:g}" if options["indifference"] else ""
    counts = [len(each.wrong) for curve in found.curves for each in curve.forecasts]
    problems = f"{min(counts)} to {max(counts)}" if len(set(counts)) > 1 else f"{counts[0]}"
    click.echo(
        f"{source.guess.count} arm{'s' * (source.guess.count > 1)}, {source.words}: "
        f"{100 * found.over:.0f} % are over {options['threshold']:g}{zone}."
    )
    if source.note:
        click.echo(fill(source.note, min(LINE, _line())))
    click.echo(
        f"Each budget was played on {problems} problems, {PLAYS} times on each;"
        " ± is the 95 % interval."
    )


def _print_curve(found: "Plan") -> None:
    from rich.table import Table

    click.echo(f"The error: {planned.ERRORS[found.measure]}.\n")
    for part in _parts(found):
        _print(_errors(part))
        click.echo()
    click.echo("The budget that an error takes, with its 95 % interval:")
    found_out = Table(box=None)
    for heading in ("error", "policy", "budget", "95 % interval", "an arm"):
        side: Literal["left", "right"] = "left" if heading == "policy" else "right"
        found_out.add_column(heading, justify=side, no_wrap=True)
    for answer in planned.answers(found):
        found_out.add_row(*answer)
    _print(found_out)


def _parts(found: "Plan") -> "Iterator[Plan]":
    """Yield the plan, in parts of fewer policies as long as its table would be too wide."""
    half = len(found.curves) // 2
    if half and (len(found.curves) > len(planned.MARKS) or _width(_errors(found)) > _line()):
        for curves in (found.curves[:-half], found.curves[-half:]):
            yield from _parts(replace(found, curves=curves))
    else:
        yield found


def _errors(found: "Plan") -> "Table":
    """Return the table of the errors over the budget."""
    from rich.table import Table

    scale = f"0 %{100 * planned.top(found):.0f} %".replace("%", "%" + " " * (planned.WIDTH - 7), 1)
    table = Table(box=None)
    for heading in ("budget", "an arm"):
        table.add_column(heading, justify="right", no_wrap=True)
    for mark, curve in zip(planned.MARKS, found.curves, strict=False):
        table.add_column(f"{mark} {curve.policy}", justify="right", no_wrap=True)
    table.add_column(scale, no_wrap=True)
    for row in planned.rows(found):
        errors = ["" if each is None else planned.percent(each) for each in row.errors]
        table.add_row(
            *(planned.tries(row.budget), planned.each(row.tries_each), *errors, row.picture)
        )
    return table


def _print_point(found: "Plan") -> None:
    from rich.table import Table

    [budget] = {curve.forecasts[0].budget for curve in found.curves}
    click.echo(f"With a budget of {planned.tries(budget)} tries:")
    table = Table(box=None)
    table.add_column("policy", no_wrap=True)
    for heading in ("wrong verdicts, %", "how many", "9 in 10 at most", "any wrong, %", "tries"):
        table.add_column(heading, justify="right", overflow="fold")
    for curve in found.curves:
        [at] = curve.forecasts
        table.add_row(
            *(curve.policy, planned.percent(at.share), planned.each(at.arms * at.share.value)),
            *(f"{at.nine_in_ten}", planned.percent(at.any), planned.tries(at.tries)),
        )
    _print(table)


def _line() -> int:
    """Return the length of a line: in a terminal what it has, and in a pipe our own."""
    from rich.console import Console

    return Console().width if sys.stdout.isatty() else LINE


def _width(table: "Table") -> int:
    from rich.console import Console

    return Console(width=WIDEST).measure(table).maximum


def _print(table: "Table") -> None:
    """Print a table as wide as a line, or wider if its figures need it."""
    from rich.console import Console

    folds = any(column.overflow == "fold" for column in table.columns)
    Console(width=_line() if folds else max(_line(), _width(table))).print(table)


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
