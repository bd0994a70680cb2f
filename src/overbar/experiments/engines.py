"""Where blocks are played: threads of this machine, or a Dask cluster. An engine is an executor."""

from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from os import cpu_count

from overbar.errors import InvalidInput, OverbarError
from overbar.simulate.blocks import Block, Played, play
from overbar.simulate.sources import code_digest

SECONDS_TO_ANSWER = 8


@contextmanager
def threads(count: int | None) -> Iterator[Executor]:
    """Threads of this machine, by default one a core."""
    executor = ThreadPoolExecutor(count or cpu_count())
    try:
        yield executor
    finally:
        executor.shutdown(wait=False, cancel_futures=True)


@contextmanager
def dask(scheduler: str) -> Iterator[Executor]:
    """Return the executor of the Dask cluster whose scheduler has that address."""
    try:
        from distributed import Client
    except ImportError:
        raise InvalidInput(
            "the engine", "dask", "installed", "It comes with: pip install 'overbar[dask]'"
        ) from None
    try:
        client = Client(scheduler, timeout=SECONDS_TO_ANSWER, set_as_default=False)
    except (OSError, ValueError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise OverbarError(
            f"The Dask scheduler {scheduler!r} does not answer ({reason})."
            " Start one with: dask scheduler"
        ) from None
    with client:
        yield client.get_executor(pure=False, retries=5)


def play_as(digest: str, block: Block) -> Played:
    """Play a block for a caller whose code has that digest: another version gives other bits."""
    if code_digest() != digest:
        raise OverbarError(
            "A worker runs another version of Overbar than this one. Install the same on all."
        )
    return play(block)
