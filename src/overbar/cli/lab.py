"""What the commands of the lab share: options, engine, the table of a report."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeVar

import click

from overbar.cli.progress import Progress
from overbar.errors import InvalidInput, OverbarError

if TYPE_CHECKING:
    from concurrent.futures import Executor
    from contextlib import AbstractContextManager

    from overbar.experiments.experiment import Experiment
    from overbar.experiments.run import Ran
    from overbar.report.published import Compared, Point

INTERRUPTED = 130  # the exit code of what Ctrl-C ended


class Interrupted(click.ClickException):
    """Ctrl-C: says how to go on."""

    exit_code = INTERRUPTED

    def show(self, file: Any = None) -> None:
        """Print the message."""
        click.echo(f"Stopped. {self.message}", err=True, file=file)


Command = TypeVar("Command", bound=Callable[..., Any])

_PLAYING = [
    click.option("--repetitions", type=click.IntRange(min=1), help="How often each is played."),
    click.option("--budget", type=click.IntRange(min=1), help="Tries in each repetition."),
    click.option("--seed", type=click.IntRange(min=0), help="Same seed, same bits."),
    click.option(
        "--engine",
        type=click.Choice(["threads", "dask"]),
        default="threads",
        show_default=True,
        help="Where it is computed.",
    ),
    click.option("--threads", type=click.IntRange(min=1), help="By default one a core."),
    click.option("--scheduler", metavar="tcp://…", help="The Dask scheduler's address."),
]
_POLICIES = click.option("--policies", metavar="NAMES", help="Only these, such as AugUCB,APT.")
_REPORTING = [
    click.option("--log", is_flag=True, help="A logarithmic error axis."),
    click.option("--json", "as_json", is_flag=True, help="Print JSON lines, and no table."),
]


def adds(
    options: Sequence[Callable[[Command], Command]],
) -> Callable[[Command], Command]:
    """Add options to a command."""

    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


playing_options = adds(_PLAYING)


def lab_options(out: str) -> Callable[[Command], Command]:
    """Add the options of a report; `out` is the folder it is written to by default."""
    folder = click.option(
        "--out",
        type=click.Path(file_okay=False, path_type=Path),
        default=out,
        show_default=True,
        help="The folder for figures, tables, counts and report.",
    )
    return adds([_POLICIES, *_PLAYING, *_REPORTING, folder])


def engine_of(options: dict[str, Any]) -> "AbstractContextManager[Executor]":
    """Return the engine that the options of `playing_options` name."""
    from overbar.experiments import engines

    if (options["engine"] == "dask") != (options["scheduler"] is not None):
        raise click.UsageError("--engine dask and --scheduler go together.")
    if options["engine"] == "dask" and options["threads"] is not None:
        raise click.UsageError("--threads is for --engine threads.")
    if options["engine"] == "dask":
        return engines.dask(options["scheduler"])
    return engines.threads(options["threads"])


def numbers_of(said: str) -> list[int]:
    """Return the numbers of experiments of the paper, each once, in their order."""
    from overbar.experiments.paper import NUMBERS

    for each in said.split(","):
        if each.strip() not in map(str, NUMBERS):
            raise InvalidInput("the experiment", each, "one of 1, 2, 3, 4, 5, 6")
    return sorted({int(each) for each in said.split(",")})


def choose(experiments: Sequence["Experiment"], options: dict[str, Any]) -> list["Experiment"]:
    """Return the experiments with what the options change."""
    changes = {key: options[key] for key in ("repetitions", "budget") if options[key] is not None}
    changed = [replace(experiment, **changes) for experiment in experiments]
    if options["policies"] is None:
        return changed
    chosen = [name.strip() for name in options["policies"].split(",")]
    known = {name for experiment in changed for name in experiment.policies}
    known |= {policy.name for each in changed for policy in each.policies.values()}
    for name in chosen:
        if name not in known:
            raise InvalidInput("the policy", name, f"one of {', '.join(sorted(known))}")
    kept = []
    for experiment in changed:
        policies = {
            name: policy
            for name, policy in experiment.policies.items()
            if name in chosen or policy.name in chosen
        }
        if policies:
            kept.append(replace(experiment, policies=policies))
    return kept


def run(
    experiments: Sequence["Experiment"],
    options: dict[str, Any],
    points: Sequence["Point"] = (),
) -> None:
    """Run the experiments, show what came out beside published points, and write the files."""
    from overbar.experiments.run import run as run_experiments
    from overbar.experiments.store import Store

    engine = engine_of(options)
    chosen = choose(experiments, options)
    if points:
        _check_that_some_are_of(points, chosen)
    store = Store(options["out"] / "blocks")
    try:
        with engine as executor, Progress() as progress:
            Thread(target=_load_what_shows, daemon=True).start()
            ran = run_experiments(chosen, executor, store, progress)
        _show(ran, options, points)
    except KeyboardInterrupt:
        raise kept_in(store.folder) from None


def kept_in(folder: Path) -> Interrupted:
    """Say that what is finished is kept."""
    return Interrupted(
        f"What is finished is kept in {folder}. The same command goes on from there."
    )


def _load_what_shows() -> None:
    """Import what the report is made with, while blocks are played: it takes about as long."""

    import overbar.report.files  # noqa: F401


def _check_that_some_are_of(points: Sequence["Point"], experiments: Sequence["Experiment"]) -> None:
    from overbar.report import published

    if not published.of(points, experiments):
        first = points[0]
        raise InvalidInput(
            "the first of the published points",
            f"{first.policy} at time step {first.time_step} of experiment {first.experiment}",
            "of a curve that is run",
            "No other point is, either. Choose other experiments, policies or budget.",
        )


def _show(ran: "Ran", options: dict[str, Any], points: Sequence["Point"]) -> None:
    from overbar.report import files, published, tables

    compared = published.compare(ran.results, points)
    said = {key: str(value) for key, value in options.items() if value is not None}
    try:
        report = files.write(ran, options["out"], options["log"], said, compared)
    except OSError as error:
        raise OverbarError(f"Cannot write to {options['out']}: {error}") from None
    if options["as_json"]:
        for row in tables.rows(ran.results):
            budget = next(r.budget for e, r in ran.results if e is row.experiment)
            print(json.dumps(tables.json_line(row, budget), separators=(",", ":")))
    else:
        _print_tables(ran)
        if compared:
            _print_compared(compared)
    click.echo(f"{ran.seconds:.1f} s. The report: {report}", err=True)


def _print_tables(ran: "Ran") -> None:
    """Print a table an experiment: wrong answers in %, at five time steps."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from overbar.report import tables

    console = Console()
    for experiment, result in ran.results:
        number = f"Experiment {experiment.name}: " if isinstance(experiment.name, int) else ""
        reading = "" if experiment.reading == "given" else f", {experiment.reading}"
        table = Table(
            title=f"{number}{escape(experiment.title)}{reading}\n"
            f"wrong answers in % of {result.repetitions} repetitions"
        )
        table.add_column("policy", no_wrap=True)
        for step in tables.time_steps(result.budget)[1::2]:
            table.add_column(f"t = {step}", justify="right")
        for row in tables.rows([(experiment, result)]):
            rates = [100 * errors / row.repetitions for errors in row.errors[1::2]]
            last = f" ±{50 * (row.high[-1] - row.low[-1]):.1f}"
            cells = [f"{rate:.1f}" for rate in rates]
            table.add_row(escape(row.policy), *cells[:-1], cells[-1] + last)
        console.print(table)
        for said in tables.costs(experiment, result):
            click.echo(said)


def _print_compared(compared: Sequence["Compared"]) -> None:
    """Print a table a reading: which published curves are met, and where ours lie farthest off."""
    from rich.console import Console
    from rich.table import Table

    from overbar.report import published

    found = published.curves(compared)
    for reading in dict.fromkeys(curve.reading for curve in found):
        table = Table(title=f"Published curves, beside the reading {reading}")
        table.add_column("exp.", justify="right")
        table.add_column("policy", no_wrap=True)
        for heading in ("near", "met", "farthest\nat t", "there\n%", "ours\n%", "off"):
            table.add_column(heading, justify="right", no_wrap=True)
        table.add_column("curve", no_wrap=True)
        for curve in found:
            if curve.reading != reading:
                continue
            far = curve.farthest
            table.add_row(
                *(str(curve.experiment), curve.policy),
                *(f"{count}/{len(curve.points)}" for count in (curve.near, curve.met)),
                *(str(far.point.time_step), f"{far.point.percent:.1f}", f"{far.percent:.1f}"),
                *(f"{far.difference:+.1f}", curve.verdict),
            )
        Console().print(table)
