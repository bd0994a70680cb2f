"""overbar campaign: durable campaigns for workers of every kind."""

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from overbar.cli import findings as shown

if TYPE_CHECKING:
    from overbar.campaigns.campaign import Campaign
    from overbar.campaigns.log import Decision, Event


@click.group()
def campaign() -> None:
    """Campaigns for workers that are no shell command, in any language.

    \b
    overbar campaign create prompts --arms prompts.txt --threshold 0.9 --budget 2000
    overbar campaign ask prompts            prints {"ticket": 2, "arm": "…", "expires": "…"}
    overbar campaign tell prompts 2 0.75    the reward of ticket 2
    overbar campaign status prompts
    """


name_argument = click.argument("name")


@campaign.command()
@name_argument
@shown.arms_options
@shown.terms_options
@click.option(
    "--lifetime",
    type=click.FloatRange(min=0, min_open=True),
    default=3600,
    show_default=True,
    help="Seconds until a ticket expires.",
)
@shown.database_option
def create(name: str, **options: Any) -> None:
    """Create a campaign."""
    from overbar.campaigns.going_on import begun

    begun(
        name,
        shown.listed(options["arms_file"], options["single"]),
        **shown.terms(options),
        lifetime=options["lifetime"],
    ).close()


@campaign.command()
@name_argument
@click.option("-n", "number", type=click.IntRange(min=1), default=1, help="Up to so many tickets.")
@click.option("--request", metavar="ID", help="The same id again gets the same tickets.")
@click.option("--lifetime", type=float, help="Seconds until these tickets expire.")
@shown.database_option
def ask(name: str, number: int, request: str, lifetime: float | None, database: str) -> None:
    """Print what to try next, a line of JSON a ticket; nothing when there is nothing to try."""
    with _opened(name, database) as opened:
        for ticket in opened.ask(number, request=request, lifetime=lifetime):
            expires = ticket.expires.isoformat(timespec="seconds")
            _print_json({"ticket": ticket.id, "arm": ticket.arm, "expires": expires})


@campaign.command(context_settings={"ignore_unknown_options": True})  # a reward may be -1
@name_argument
@click.argument("ticket", type=int)
@click.argument("reward", type=float)
@shown.database_option
def tell(name: str, ticket: int, reward: float, database: str) -> None:
    """Take in the REWARD of a TICKET. Late is fine; the same again changes nothing."""
    with _opened(name, database) as opened:
        opened.tell(ticket, reward)


@campaign.command(context_settings={"ignore_unknown_options": True})
@name_argument
@click.argument("arm")
@click.argument("reward", type=float)
@click.option("--request", metavar="ID", help="The same id again changes nothing.")
@shown.database_option
def history(name: str, arm: str, reward: float, request: str | None, database: str) -> None:
    """Take in a REWARD of an ARM that nobody asked for; it is counted apart from the budget."""
    with _opened(name, database) as opened:
        opened.tell(arm, reward, request)


@campaign.command()
@name_argument
@click.argument("ticket", type=int)
@click.option("--reason", default="", help="Why there was no answer.")
@shown.database_option
def fail(name: str, ticket: int, reason: str, database: str) -> None:
    """Return the try of a TICKET that brought no answer to the budget."""
    with _opened(name, database) as opened:
        opened.fail(ticket, reason)


@campaign.command()
@name_argument
@shown.arms_options
@click.option("--budget", type=click.IntRange(min=1), metavar="TRIES", help="The new budget.")
@shown.database_option
def extend(name: str, budget: int | None, database: str, **options: Any) -> None:
    """Raise the budget, add arms, or both."""
    arms = shown.listed(options["arms_file"], options["single"])
    with _opened(name, database) as opened:
        opened.extend(
            budget,
            [arm.name for arm in arms],
            {arm.name: arm.threshold for arm in arms if arm.threshold is not None},
            {arm.name: arm.results for arm in arms if arm.results},
        )


@campaign.command()
@name_argument
@shown.output_options
@shown.database_option
def status(name: str, database: str, **options: Any) -> None:
    """Show the books, and what was found so far."""
    with _opened(name, database) as opened:
        books, found = opened.status(), opened.findings()
    shown.show(books, found, options)
    click.echo(shown.in_two_lines(books, found), err=True)


@campaign.command()
@name_argument
@shown.database_option
def export(name: str, database: str) -> None:
    """Print the log, a line of JSON an event."""
    with _opened(name, database) as opened:
        arms = list(opened.arms())
        for event in opened.export():
            _print_json(_event(event, arms))


@campaign.command()
@name_argument
@click.option("--json", "as_json", is_flag=True, help="A line of JSON a decision.")
@shown.database_option
def replay(name: str, as_json: bool, database: str) -> None:
    """Show for every decision why the arm was chosen, from the log alone."""
    from dataclasses import asdict

    with _opened(name, database) as opened:
        for decision in opened.replay():
            if as_json:
                _print_json(asdict(decision))
            else:
                click.echo(_decision(decision))


@campaign.command(name="list")
@shown.database_option
def list_(database: str) -> None:
    """List the campaigns of a database."""
    from overbar.campaigns.campaign import Campaign

    for books in Campaign.all(database):
        click.echo(f"{shown.plain(books.name)}: {books.arms} arms, {shown.in_a_word(books)}")


@campaign.command()
@name_argument
@click.option("--yes", is_flag=True, help="Do not ask.")
@shown.database_option
def delete(name: str, yes: bool, database: str) -> None:
    """Delete a campaign, with its log."""
    with _opened(name, database) as opened:
        if not yes:
            try:
                sure = click.confirm(
                    f"Delete {name!r}, with its {opened.status().told} results?", err=True
                )
            except click.Abort:
                click.echo(err=True)  # the line of the question ends here
                raise
            if not sure:
                click.echo("Kept.", err=True)
                return
        opened.delete()


def _opened(name: str, database: str) -> "Campaign":
    from overbar.campaigns.campaign import Campaign

    return Campaign.open(name, database)


def _print_json(line: dict[str, object]) -> None:
    click.echo(json.dumps(line, ensure_ascii=False))


def _event(event: "Event", arms: list[str]) -> dict[str, object]:
    from overbar.live.judge import UNLIMITED

    said = {key: value for key, value in event._asdict().items() if value is not None}
    if event.budget == UNLIMITED:
        del said["budget"]
    for key in ("at", "expires"):
        if key in said:
            said[key] = datetime.fromtimestamp(said[key], UTC).isoformat()
    if event.arm is not None:
        said["arm"] = arms[event.arm]
    return said


def _decision(decision: "Decision") -> str:
    said = f"ticket {decision.ticket}: {shown.plain(decision.arm)}, by {decision.by}"
    if decision.index is not None:
        said += f" {decision.index:.6g}"
    if decision.runner_up is not None:
        said += f"; next would be {shown.plain(decision.runner_up)}"
    if decision.runner_up_index is not None:
        said += f" {decision.runner_up_index:.6g}"
    return said + ("" if decision.agrees else "; this version chooses otherwise")
