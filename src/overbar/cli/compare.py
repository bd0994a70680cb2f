"""overbar compare: policies side by side, on the paper's problems, random ones or one's own."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, Literal

import click

from overbar.cli.lab import adds, engine_of, kept_in, numbers_of, playing_options
from overbar.cli.progress import Progress
from overbar.errors import InvalidInput

if TYPE_CHECKING:
    from overbar.experiments.comparison import Match, Standing
    from overbar.experiments.entrants import Entered
    from overbar.experiments.experiment import Experiment
    from overbar.experiments.families import Family
    from overbar.report.standings import Grid

PIPED = 1000  # columns: a table that is read by a program, or pasted, takes what it needs
MANY = 12  # problems: of more than so many, only those are shown that are lost to the baseline
DISTRIBUTIONS = ("gaussian", "bernoulli", "beta", "uniform", "exponential", "empirical")

_PROBLEMS = [
    click.argument("files", nargs=-1, type=click.Path(path_type=Path), metavar="[FILE.toml]..."),
    click.option("--experiments", metavar="NUMBERS", help="The paper's, such as 1,2,3."),
    click.option(
        "--reading",
        type=click.Choice(["written", "released", "both"]),
        default="released",
        show_default=True,
        help="Of the paper's experiments.",
    ),
    click.option("--random", type=click.IntRange(min=1), metavar="N", help="N random problems."),
    click.option("--arms", metavar="LOW-HIGH", help="Of random problems: 5-500 if left out."),
    click.option(
        "--distribution",
        "distributions",
        type=click.Choice(DISTRIBUTIONS),
        multiple=True,
        help="Of random arms; may be given several times. All if left out.",
    ),
    click.option(
        "--tries-each",
        type=click.FloatRange(min=1),
        help="The budget of random problems, for each arm: 50 if left out.",
    ),
]
_RIVALS = [
    click.option("--policies", metavar="NAMES", help="Such as AugUCB,APT:epsilon=0.1,UA."),
    click.option("--baseline", metavar="POLICY", help="All are compared with it: UA if left out."),
    click.option(
        "--by",
        type=click.Choice(["error", "verdicts"]),
        default="error",
        show_default=True,
        help="What decides: answers with a wrong verdict, or wrong verdicts.",
    ),
    click.option("--at", metavar="STEPS", help="Judged at these time steps, such as 500,1000,50%."),
    click.option(
        "--indifference",
        type=click.FloatRange(min=0),
        help="Either verdict is right of arms so near to the bar.",
    ),
]
_OUTPUT = [
    click.option("--all", "shows_all", is_flag=True, help=f"Show all problems, even over {MANY}."),
    click.option("--json", "as_json", is_flag=True, help="Print JSON lines, and no table."),
    click.option("--csv", "as_csv", is_flag=True, help="Print CSV, and no table."),
    click.option(
        "--out",
        type=click.Path(file_okay=False, path_type=Path),
        help="A folder for finished blocks, from which the same command goes on.",
    ),
]


@click.command()
@adds([*_PROBLEMS, *_RIVALS])
@playing_options
@adds(_OUTPUT)
def compare(**options: Any) -> None:
    """Compare policies on the paper's experiments, random problems, or those of FILEs.

    \b
    overbar compare                                     the paper's 1 to 5, all policies
    overbar compare --random 100 --policies AnytimeAugUCB,APT,UA
    overbar compare mine.toml --at 25%,50%,100%
    """
    from overbar.experiments.comparison import standings
    from overbar.experiments.entrants import entered

    if options["as_json"] and options["as_csv"]:
        raise click.UsageError("--json and --csv do not go together.")
    names = _split(options["policies"])
    experiments = [_changed(each, options) for each in _experiments(options)]
    ready = entered(experiments, names, options["baseline"])
    baseline = options["baseline"] or _baseline(ready)
    matches = _play(ready, options)
    found = standings(matches, options["by"], baseline)
    _show(found, matches, baseline, options)


def _experiments(options: dict[str, Any]) -> "list[Experiment]":
    """Return the experiments that are asked for: the paper's first five, if nothing is."""
    from overbar.experiments import paper, toml_file

    _check_go_with_random(options)
    seed = options["seed"] or 0
    chosen = []
    for file in options["files"]:
        given = toml_file.read(file)
        chosen.append(given if options["seed"] is None else replace(given, seed=(seed,)))
    if options["random"]:
        family = _family(options)
        each = options["tries_each"] or 50
        chosen += [family.experiment(i, seed, each) for i in range(1, options["random"] + 1)]
    numbers = options["experiments"]
    if numbers is not None or not chosen:
        both = options["reading"] == "both"
        readings = paper.READINGS if both else (options["reading"],)
        chosen += [
            paper.experiment(number, reading, seed)
            for number in numbers_of("1,2,3,4,5" if numbers is None else numbers)
            for reading in readings
        ]
    return chosen


def _check_go_with_random(options: dict[str, Any]) -> None:
    for name, option in (
        ("arms", "--arms"), ("distributions", "--distribution"), ("tries_each", "--tries-each")
    ):  # fmt: skip
        if options[name] not in (None, ()) and not options["random"]:
            raise click.UsageError(f"{option} is for --random.")
    if options["tries_each"] and options["budget"]:
        raise click.UsageError("--tries-each and --budget do not go together.")


def _family(options: dict[str, Any]) -> "Family":
    from overbar.experiments.families import DISTRIBUTIONS, Family

    low, dash, high = ("5-500" if options["arms"] is None else options["arms"]).partition("-")
    ends = (low, high) if dash else (low, low)
    if not all(end.strip().isdecimal() for end in ends):
        raise InvalidInput("--arms", options["arms"], "a number or a range, such as 5-500")
    fewest, most = map(int, ends)
    return Family(fewest, most, options["distributions"] or tuple(DISTRIBUTIONS))


def _changed(experiment: "Experiment", options: dict[str, Any]) -> "Experiment":
    """Return the experiment as the options have it."""
    from overbar.experiments.comparison import steps

    changes = ("repetitions", "budget", "indifference")
    given = {key: options[key] for key in changes if options[key] is not None}
    changed = replace(experiment, **given)
    said = _split(options["at"])
    return changed if said is None else replace(changed, at=steps(said, changed.budget))


def _split(said: str | None) -> list[str] | None:
    return None if said is None else [each.strip() for each in said.split(",")]


def _baseline(ready: "Sequence[Entered]") -> str | None:
    """Return what others are compared with if nothing is said: uniform allocation."""
    return "UA" if any("UA" in each.experiment.policies for each in ready) else None


def _play(ready: "Sequence[Entered]", options: dict[str, Any]) -> "list[Match]":
    from overbar.experiments.comparison import Match
    from overbar.experiments.pace import pace
    from overbar.experiments.run import run
    from overbar.experiments.store import Store

    engine = engine_of(options)
    store = Store(options["out"]) if options["out"] else None
    try:
        with engine as executor, Progress() as progress:
            Thread(target=_load_what_compares, daemon=True).start()
            ran = run([each.experiment for each in ready], executor, store, progress)
    except KeyboardInterrupt:
        if store is None:
            raise
        raise kept_in(store.folder) from None
    return [
        Match(each, result, pace(each.experiment))
        for each, (_, result) in zip(ready, ran.results, strict=True)
    ]


def _load_what_compares() -> None:
    """Import what compares, while blocks are played: it takes about as long."""
    import scipy.stats  # noqa: F401


def _show(
    found: "Sequence[Standing]",
    matches: "Sequence[Match]",
    baseline: str | None,
    options: dict[str, Any],
) -> None:
    from overbar.experiments.totals import totals
    from overbar.report import records
    from overbar.report import standings as shown

    by = options["by"]
    if options["as_csv"]:
        click.echo(records.as_csv(found, by), nl=False)
    elif options["as_json"]:
        for line in records.as_json(found, by):
            click.echo(line)
    else:
        problems = shown.by_experiment(found)
        each = problems
        if len(problems) > MANY and not options["shows_all"]:
            each = [s for s in problems if any(standing.lost for standing in s)]
        for standings in each:
            _print(shown.of_experiment(standings, by, baseline))
        if len(problems) > 1:
            _print(shown.of_all(found, totals(found, matches), baseline))
        for line in shown.legend(found, len(each), baseline):
            click.echo(line)


def _print(grid: "Grid") -> None:
    """Print a grid: drawn in a terminal, and plain Markdown for what reads from a pipe."""
    from rich import box
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    drawn = sys.stdout.isatty()
    table = Table(box=box.SIMPLE_HEAD if drawn else box.MARKDOWN)
    for number, heading in enumerate(grid.header):
        side: Literal["left", "right"] = "right" if number else "left"
        table.add_column(escape(heading), justify=side, no_wrap=not number, overflow="fold")
    for row in grid.rows:
        table.add_row(*map(escape, row))
    least = Console(width=PIPED).measure(table).minimum
    console = Console(highlight=False, width=max(Console().width, least) if drawn else PIPED)
    with console.capture() as captured:
        console.print(table)
    lines = (line for line in captured.get().splitlines() if line.strip())
    click.echo("\n".join([grid.title, "", *lines, ""]))
    if grid.below:
        click.echo("\n".join([*grid.below, ""]))
