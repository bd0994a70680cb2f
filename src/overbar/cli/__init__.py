"""The command line: one file a command; parsing, progress and exit codes, no logic."""

import errno
import os
import sys
import warnings
from typing import NoReturn

import click

from overbar.cli.campaign import campaign
from overbar.cli.compare import compare
from overbar.cli.lab import INTERRUPTED
from overbar.cli.paper import paper
from overbar.cli.plan import plan
from overbar.cli.run import run
from overbar.cli.simulate import simulate
from overbar.errors import OverbarError

UNWRITTEN = (errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.EFBIG)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="overbar")
def overbar() -> None:
    """Find which of many noisy things are over the bar."""


for command in (run, campaign, plan, paper, simulate, compare):
    overbar.add_command(command)


def main() -> None:
    """Run the command line: exit code 0, or 1 on an error, 2 on wrong usage, 130 on Ctrl-C.

    `overbar run` has codes of its own for what it finds.
    """
    warnings.showwarning = _show_warning
    try:
        code = overbar.main(standalone_mode=False) or 0
        sys.stdout.flush()
        _leave(code)
    except click.ClickException as error:
        error.show()
        _leave(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("Stopped. The same command may be run again.", err=True)
        _leave(INTERRUPTED)
    except OverbarError as error:
        click.echo(f"Error: {error}", err=True)
        _leave(1)
    except MemoryError as error:
        do = "Fewer arms or a smaller budget take less."
        click.echo(f"Error: The memory does not suffice: {error}. {do}", err=True)
        _leave(1)
    except OSError as error:
        if error.errno not in UNWRITTEN or error.filename is not None:
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what is left is flushed at the end
        click.echo(f"Error: The output cannot be written: {error.strerror}.", err=True)
        _leave(1)


def _show_warning(message: Warning | str, *where: object, **more: object) -> None:
    click.echo(f"Warning: {message}", err=True)


def _leave(code: int) -> NoReturn:
    """Exit; when interrupted at once, for a thread that computes would be waited for."""
    if code == INTERRUPTED:
        sys.stdout.flush()
        os._exit(code)
    sys.exit(code)
