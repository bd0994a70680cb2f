"""What `overbar run` and `overbar campaign` share: options, tables, live progress, exit codes."""

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

import click

from overbar.campaigns import DATABASE
from overbar.cli.lab import adds
from overbar.errors import OverbarError

if TYPE_CHECKING:
    from overbar.campaigns.arms_file import Listed
    from overbar.campaigns.campaign import Campaign
    from overbar.campaigns.finding import Finding
    from overbar.campaigns.log import Status
    from overbar.policies import Policy

UNDER, UNDECIDED = 3, 4  # exit codes
NARROWEST = 70  # characters of a table whose figures are whole: a terminal may break its lines
POLICIES = (  # those that need no knowledge of the arms
    *("AnytimeAugUCB", "APT", "AugUCB", "BernoulliLR", "CSAR", "EVT", "FWT", "GaussianLR", "LSA"),
    "UA",
)

Command = TypeVar("Command", bound=Callable[..., Any])

database_option = click.option(
    "--database",
    metavar="FILE|URL",
    default=DATABASE,
    envvar="OVERBAR_DATABASE",
    show_default=True,
    show_envvar=True,
    help="An SQLite file, or the URL of a PostgreSQL database.",
)

_ARMS = [
    click.option(
        "--arms",
        "arms_file",
        type=click.Path(path_type=Path, allow_dash=True),
        help="A file with a name a line, or a CSV of name, threshold, results.",
    ),
    click.option("--arm", "single", multiple=True, metavar="NAME", help="One more arm."),
]
_TERMS = [
    click.option("--threshold", type=float, metavar="BAR", help="The bar."),
    click.option("--budget", type=click.IntRange(min=1), metavar="TRIES", help="Tries in all."),
    click.option(
        "--confidence",
        type=float,
        metavar="SHARE",
        help="Try until all verdicts hold together with it, as 0.95; a budget need not be given.",
    ),
    click.option(
        "--indifference",
        type=float,
        metavar="SHARE",
        help="With --confidence: leave arms alone that surely lie so near the bar (of the scale).",
    ),
    click.option(
        "--scale",
        type=(float, float),
        default=(0.0, 1.0),
        show_default=True,
        metavar="LOW HIGH",
        help="The least and the greatest reward that can come.",
    ),
    click.option(
        "--noise",
        metavar="KIND",
        help="bounded (by the scale, as is the default), normal, or sub-gaussian:SIGMA.",
    ),
    click.option(
        "--policy",
        type=click.Choice(POLICIES),
        metavar="NAME",
        help="UntilSure with --confidence, else AnytimeAugUCB, if left out; or another of "
        f"{', '.join(POLICIES[1:])}.",
    ),
    click.option("--seed", type=click.IntRange(min=0), default=0, help="Of the policy's chance."),
]
_OUTPUT = [
    click.option("--worst-first", is_flag=True, help="Sort the arms: under, undecided, over."),
    click.option("--json", "as_json", is_flag=True, help="Print JSON, and no table."),
    click.option("--csv", "as_csv", is_flag=True, help="Print CSV, and no table."),
    click.option(
        "--junit",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Write JUnit XML too.",
    ),
]


arms_options, terms_options = adds(_ARMS), adds(_TERMS)
output_options = adds(_OUTPUT)


def listed(arms_file: Path | None, single: Sequence[str]) -> "list[Listed]":
    """Return the arms of the file and of the options."""
    from overbar.campaigns import arms_file as files

    arms = files.read(arms_file) if arms_file is not None else []
    return files.each_once([*arms, *(files.Listed("--arm", name) for name in single)])


def terms(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a campaign is begun with, from the options of `terms_options` and database."""
    plain = ("threshold", "budget", "confidence", "database", "scale", "noise", "seed")
    return {key: options[key] for key in plain} | {"policy": _policy(options)}


def _policy(options: Mapping[str, Any]) -> "Policy | None":
    """Return the policy that is asked for, or None for the default."""
    from overbar.policies import BUILT_IN, UntilSure

    name, indifference = options["policy"], options["indifference"]
    if indifference is not None:
        if options["confidence"] is None or name is not None:
            raise click.UsageError("--indifference goes with --confidence, and not with --policy.")
        return UntilSure(options["confidence"], options["noise"] or "bounded", indifference)
    return next((policy() for policy in BUILT_IN if policy.name == name), None)


def show(status: "Status", findings: "Sequence[Finding]", options: dict[str, Any]) -> None:
    """Print the findings as the options say."""
    from overbar.report import verdicts

    if options["as_json"] and options["as_csv"]:
        raise click.UsageError("--json and --csv do not go together.")
    if options["worst_first"]:
        findings = verdicts.worst_first(findings)
    if options["junit"] is not None:
        try:
            options["junit"].write_text(verdicts.as_junit(status, findings), encoding="utf-8")
        except OSError as error:
            raise OverbarError(f"Cannot write to {options['junit']}: {error.strerror}") from None
    if options["as_json"]:
        click.echo(verdicts.as_json(status, findings))
    elif options["as_csv"]:
        click.echo(verdicts.as_csv(findings), nl=False)
    else:
        _print_table(status, findings)


def exit_code(findings: "Sequence[Finding]") -> int:
    """Return 3 when an arm is under the bar, 4 when one is undecided, or else 0."""
    verdicts = {finding.verdict for finding in findings}
    return UNDER if "under" in verdicts else UNDECIDED if "undecided" in verdicts else 0


def in_two_lines(status: "Status", findings: "Sequence[Finding]") -> str:
    """Return what was found, and what the books say."""
    from overbar.report.verdicts import counted

    left = f", {status.remaining} remaining" if status.remaining else ""
    return f"{counted(findings)}.\n{in_a_word(status)}{left}."


def in_a_word(status: "Status") -> str:
    """Return what the books say, in one line."""
    of = "" if status.budget is None else f" of {status.budget}"
    said = f"{status.told}{of} tries"
    for count, what in [
        (status.waiting, "under way"),
        (status.history, "from before"),
        (status.late, "late"),
        (status.failed, "failed"),
        (status.expired, "expired"),
    ]:
        said += f", {count} {what}" if count else ""
    return said + (", the policy needs no more" if status.stopped else "")


def plain(name: str) -> str:
    """Return an arm's name as it can stand in a line."""
    return name if name.isprintable() else repr(name)


def _print_table(status: "Status", findings: "Sequence[Finding]") -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table()
    table.add_column("arm", overflow="fold")
    for column in ("tries", "mean", "interval", "bar"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    styles = {"over": "green", "under": "red", "undecided": "yellow"}
    for each in findings:
        mean = "" if each.mean is None else f"{each.mean:.4g}"
        interval = "" if each.mean is None else f"{each.low:.3f} – {each.high:.3f}"
        table.add_row(
            *(Text(plain(each.arm)), str(each.tries), mean, interval, f"{each.threshold:g}"),
            Text(each.verdict, styles[each.verdict]),
        )
    Console(width=max(Console().width, NARROWEST)).print(table)
    click.echo(
        f"With {status.confidence:.6g} confidence, all intervals and verdicts hold together."
    )


class Progress:
    """Live progress on the terminal: budget, arms settled, who is close to the bar."""

    EVERY = 0.25  # seconds

    def __init__(self, campaign: "Campaign") -> None:
        from rich.console import Console
        from rich.live import Live

        self._campaign = campaign
        self._shown = sys.stderr.isatty()
        self._live = Live(console=Console(stderr=True), transient=True, auto_refresh=False)
        self._next = 0.0

    def __call__(self) -> None:
        """Look again, if it is time."""
        if not self._shown or monotonic() < self._next:
            return
        self._live.update(self._picture(), refresh=True)
        self._next = monotonic() + self.EVERY

    def _picture(self) -> Any:
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        from overbar.report.verdicts import close_to_the_bar, in_words

        status, findings = self._campaign.status(), self._campaign.findings()
        sides = [finding.verdict for finding in findings]
        settled = len(sides) - sides.count("undecided")
        counts = f"{sides.count('over')} over, {sides.count('under')} under"
        close = close_to_the_bar(findings, 3)
        total, done = status.budget, status.told
        if total is None:
            total, done = len(sides), settled
        head = Table.grid(padding=(0, 1))
        head.add_row(ProgressBar(total=total, completed=done, width=30), Text(in_a_word(status)))
        return Group(
            head,
            Text(f"{settled} of {len(sides)} arms settled: {counts}"),
            Text("close to the bar:" if close else ""),
            *(Text(f"  {plain(each.arm)}: {in_words(each)}", no_wrap=True) for each in close),
        )

    def __enter__(self) -> "Progress":
        if self._shown:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown:
            self._live.stop()
