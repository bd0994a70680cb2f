"""overbar plan: how large a budget has to be."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from overbar.cli.findings import database_option
from overbar.errors import InvalidInput, a_number

if TYPE_CHECKING:
    from overbar.planning.source import Source
    from overbar.policies import Policy

ERRORS = (0.1, 0.05, 0.02)


@click.command()
@click.option("--arms", type=click.IntRange(min=1), metavar="K", help="How many arms.")
@click.option("--threshold", type=float, metavar="BAR", help="The bar.")
@click.option(
    "--guess",
    metavar="GUESS",
    help="beta:A,B, uniform:LOW,HIGH or normal:MEAN,SD, from which the means of the arms come; or"
    " an experiment, FILE.toml.",
)
@click.option(
    "--pilot",
    metavar="NAME|FILE.csv",
    help="A campaign that has tried the arms a few times, or a log of such tries.",
)
@click.option(
    "--logged",
    type=click.Path(path_type=Path),
    metavar="FILE.csv",
    help="A log of rewards, columns arm and reward, of which each arm pays one again.",
)
@click.option(
    "--rewards",
    default="pass-fail",
    show_default=True,
    metavar="KIND",
    help="pass-fail, gaussian:SD, or beta:SIZE (between the ends of the scale).",
)
@click.option(
    "--scale",
    type=(float, float),
    default=(0.0, 1.0),
    show_default=True,
    metavar="LOW HIGH",
    help="The least and the greatest reward that can come.",
)
@click.option("--budget", type=click.IntRange(min=1), metavar="TRIES", help="Only this budget.")
@click.option(
    "--error",
    "errors",
    type=float,
    multiple=True,
    metavar="SHARE",
    help="An error to come down to, as often as you like. [default: 0.1, 0.05, 0.02]",
)
@click.option(
    "--measure",
    type=click.Choice(["share", "any"]),
    default="share",
    show_default=True,
    help="The error is the share of wrong verdicts, or the chance that any is wrong.",
)
@click.option(
    "--indifference",
    type=float,
    metavar="WIDTH",
    help="Of arms no farther than this from the bar, either verdict is right.",
)
@click.option(
    "--policies",
    metavar="NAMES",
    help="Such as APT:epsilon=0.1,UA. By default that of campaigns, APT and UA.",
)
@click.option(
    "--reach", type=click.IntRange(min=1), metavar="TRIES", help="The largest budget to look at."
)
@click.option(
    "--problems", type=click.IntRange(min=2), metavar="N", help="How many problems are drawn."
)
@click.option("--seed", type=click.IntRange(min=0), default=0, help="Same seed, same bits.")
@click.option("--threads", type=click.IntRange(min=1), help="By default one a core.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, and no table.")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE.png|.svg",
    help="Draw the curve, too.",
)
@database_option
def plan(**options: Any) -> None:
    """Tell how large a budget has to be for an error, or what error a budget gives.

    By simulation, before an arm is tried: from a guess of the arms, from a pilot, or from a log.

    \b
    overbar plan --arms 300 --threshold 0.95 --guess beta:20,1
    overbar plan --threshold 0.95 --pilot nightly --budget 3000
    """
    from overbar.cli import forecasts
    from overbar.experiments import engines
    from overbar.planning import plan as planning
    from overbar.planning.forecast import Forecaster

    errors = _errors(options)
    source = _source(options)
    low, width = source.scale[0], source.scale[1] - source.scale[0]
    threshold = _threshold(options["threshold"], source)
    indifference = source.indifference
    if options["indifference"] is not None:
        indifference = a_number("the indifference", options["indifference"], least=0, most=width)
    with engines.threads(options["threads"]) as executor, forecasts.Status() as status:
        forecaster = Forecaster(
            *(source.guess, (threshold - low) / width, executor, options["seed"]),
            indifference / width,
        )
        found = planning.plan(
            forecaster,
            _policies(options["policies"], source.guess.count),
            errors,
            options["measure"],
            *(options["budget"], options["reach"], options["problems"], status),
        )
    forecasts.show(found, source, options | {"threshold": threshold, "indifference": indifference})


def _errors(options: dict[str, Any]) -> tuple[float, ...]:
    do = "5 % is 0.05."
    given = [a_number("the error", each, above=0, most=1, do=do) for each in options["errors"]]
    out = options["out"]
    if out is not None and out.suffix not in (".png", ".svg"):
        raise InvalidInput("the file of the curve", str(out), "one that ends with .png or .svg")
    if out is not None and not out.parent.is_dir():
        raise InvalidInput("the folder of the curve", str(out.parent), "one that there is")
    if out is not None and options["budget"] is not None:
        raise click.UsageError("--out draws a curve, and --budget asks for a single point.")
    if options["reach"] is not None and options["budget"] is not None:
        raise click.UsageError("--reach looks at many budgets, and --budget at a single one.")
    by_default = ERRORS if options["budget"] is None else ()
    return tuple(sorted(set(given) or by_default, reverse=True))


def _source(options: dict[str, Any]) -> "Source":
    from overbar.live.checks import a_scale
    from overbar.planning import source

    given = [key for key in ("guess", "pilot", "logged") if options[key] is not None]
    if len(given) != 1:
        raise click.UsageError("Give one of --guess, --pilot and --logged.")
    scale = a_scale(options["scale"]) or (0.0, 1.0)
    typed = options["guess"] is not None and not options["guess"].endswith(".toml")
    of_campaign = options["pilot"] is not None and not options["pilot"].endswith(".csv")
    if scale != (0.0, 1.0) and (of_campaign or (options["guess"] is not None and not typed)):
        raise click.UsageError("--scale is not for an experiment or a campaign, which has its own.")
    if options["rewards"] != "pass-fail" and not typed:
        raise click.UsageError(f"--rewards is not for --{given[0]}, which says what is paid.")
    if options["guess"] is not None:
        return source.typed(options["guess"], options["rewards"], options["arms"], scale)
    if options["pilot"] is not None:
        return source.pilot(options["pilot"], options["database"], options["arms"], scale)
    return source.logged(options["logged"], options["arms"], scale)


def _threshold(given: float | None, source: "Source") -> float:
    from overbar.live.checks import a_threshold

    threshold = source.threshold if given is None else given
    if threshold is None:
        raise click.UsageError("Give the bar: --threshold BAR.")
    return a_threshold(threshold, source.scale if source.on_scale else None)


def _policies(names: str | None, K: int) -> "dict[str, Policy]":
    from overbar.experiments.entrants import NAMES, built_in
    from overbar.planning.plan import usual

    if names is None:
        return usual(K)
    chosen = [name.strip() for name in names.split(",")]
    for name in chosen:
        if name.partition(":")[0] not in NAMES:
            raise InvalidInput("the policy", name, f"one of {', '.join(sorted(NAMES))}")
    return {name: built_in(name, reading="given") for name in chosen}
