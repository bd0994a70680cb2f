"""The command line: one file a command; parsing, progress and exit codes, no logic."""

import sys

import click

from overbar.cli.paper import paper
from overbar.errors import OverbarError


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="overbar")
def overbar() -> None:
    """Find which of many noisy things are over the bar."""


overbar.add_command(paper)


def main() -> None:
    """Run the command line: exit code 0, or 1 on an error, 2 on wrong usage, 130 on Ctrl-C."""
    try:
        overbar.main(standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(130)
    except OverbarError as error:
        click.echo(f"Error: {error}", err=True)
        sys.exit(1)
