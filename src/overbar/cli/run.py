"""overbar run: find the arms over the bar by running a command for them."""

import shlex
import shutil
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from overbar.cli import findings as shown
from overbar.cli.lab import Interrupted
from overbar.errors import InvalidInput, OverbarError, UnknownCampaign

if TYPE_CHECKING:
    from overbar.campaigns.campaign import Campaign
    from overbar.campaigns.command import Command

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)  # Ctrl-C, kill, a terminal that closes


@click.command(context_settings={"ignore_unknown_options": False})
@shown.arms_options
@shown.terms_options
@click.option(
    "--jobs", type=click.IntRange(min=1), default=1, show_default=True, help="Tries at once."
)
@click.option(
    "--reward",
    type=click.Choice(["exit", "stdout"]),
    default="exit",
    show_default=True,
    help="Exit status 0 is 1 and others 0; or the number on the last line of the output.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=600,
    show_default=True,
    help="Seconds until a try is ended. It then counts as 0; with --reward stdout, as no answer.",
)
@click.option(
    "--retry-exit",
    "retry_exits",
    type=click.IntRange(0, 255),
    multiple=True,
    metavar="STATUS",
    help="An exit status that is no answer: the command is run again.",
)
@click.option(
    "--retries",
    type=click.IntRange(min=0),
    default=3,
    show_default=True,
    help="How often it is run again, with pauses, before the run ends with an error.",
)
@click.option("--name", help="The campaign's name; by default the command.")
@shown.database_option
@shown.output_options
@click.option("--exit-zero", is_flag=True, help="Exit with 0 whatever is found.")
@click.argument("command", nargs=-1, required=True)
@click.pass_context
def run(context: click.Context, /, command: tuple[str, ...], **options: Any) -> None:
    """Find the arms over the bar, by running COMMAND for an arm as often as the policy asks.

    {arm} in the command's words stands for the arm. It is passed as it is, never to a shell. The
    same command again goes on where it stopped, with a larger budget or more arms if so given.

    \b
    overbar run --arms tests.txt --threshold 0.95 --budget 3000 --jobs 8 -- pytest -x {arm}

    The exit code is 0 when all arms are over the bar, 3 when one is under, 4 when one is undecided,
    1 on errors, 2 on wrong usage, 130 on Ctrl-C.
    """
    from overbar.campaigns.command import Command
    from overbar.campaigns.going_on import resumed

    if options["as_json"] and options["as_csv"]:
        raise click.UsageError("--json and --csv do not go together.")
    if options["reward"] == "exit" and options["scale"] != (0.0, 1.0):
        raise click.UsageError("--scale is for --reward stdout.")
    _check_can_be_run(command[0])
    tries = Command(
        command, options["reward"], options["scale"], options["timeout"], options["retry_exits"],
        options["retries"],
    )  # fmt: skip
    listed = shown.listed(options["arms_file"], options["single"])
    campaign = resumed(
        _by_default(command) if options["name"] is None else options["name"],
        listed,
        **shown.terms(options),
        reward=options["reward"],
        named=options["name"] is not None,
    )
    with campaign:
        if not any("{arm}" in word or "OVERBAR_ARM" in word for word in command):
            click.echo(
                "Note: no {arm} in the command, so that it has to look for it in OVERBAR_ARM.",
                err=True,
            )
        _say_what_is_not_listed(campaign, {arm.name for arm in listed})
        _try_arms(campaign, tries, options["jobs"])
        found = campaign.findings()
        status = campaign.status()
    shown.show(status, found, options)
    click.echo(shown.in_two_lines(status, found), err=True)
    if not options["exit_zero"]:
        context.exit(shown.exit_code(found))


def _by_default(command: tuple[str, ...]) -> str:
    from overbar.campaigns.terms import LONGEST_NAME, SHOWN

    name = shlex.join(command).replace("'{arm}'", "{arm}")
    if len(name) > LONGEST_NAME:
        raise InvalidInput(
            "the name of the campaign, which is the command,",
            f"{name[:SHOWN]}…",
            f"text of 1 to {LONGEST_NAME} characters",
            "Give it another: --name NAME.",
        )
    return name


def _say_what_is_not_listed(campaign: "Campaign", listed: set[str]) -> None:
    arms = campaign.arms()
    others = sum(arm not in listed for arm in arms)
    if listed and others:
        click.echo(
            f"Goes on with the campaign {campaign.name!r}: {len(arms)} arms, {others} of them not "
            "listed now. --name begins another.",
            err=True,
        )


def _try_arms(campaign: "Campaign", command: "Command", jobs: int) -> None:
    from overbar.campaigns import workers

    for each in ENDING:
        if signal.getsignal(each) is not signal.SIG_IGN:  # as nohup has it
            signal.signal(each, _interrupt)
    try:
        with shown.Progress(campaign) as progress:
            workers.run(campaign, command, jobs, command.lifetime, command.stop, progress)
    except KeyboardInterrupt as interrupt:
        status = campaign.status()
        notes = getattr(interrupt, "__notes__", None)
        back = " ".join(notes or ["What was under way went back to the budget."])
        raise Interrupted(
            f"{shown.in_a_word(status)}. {back} The same command goes on from there."
        ) from None
    except UnknownCampaign:  # there is nothing to go on from
        raise
    except OverbarError:
        click.echo("Stopped by an error. The same command goes on from there.", err=True)
        raise


def _interrupt(*_: object) -> None:
    """End the run, once: a second Ctrl-C must not keep us from ending what runs."""
    for each in ENDING:
        if signal.getsignal(each) is _interrupt:
            signal.signal(each, _heed_not)  # not SIG_IGN, which a command would inherit
    raise KeyboardInterrupt


def _heed_not(*_: object) -> None:
    pass


def _check_can_be_run(program: str) -> None:
    if "{arm}" not in program and shutil.which(program) is None:
        is_there = Path(program).exists()
        do = "It is no program that you may run." if is_there else "There is none of that name."
        raise InvalidInput("the command", program, "a program that can be run", do)
