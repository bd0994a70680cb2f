"""Where blocks are played: threads of this machine, or a Dask cluster. An engine is an executor."""

import asyncio
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
        kind = asyncio.run(asyncio.wait_for(_kind(scheduler), SECONDS_TO_ANSWER))
    except Exception as error:  # of whatever kind, for who answers may be anything
        silence = f"silent for {SECONDS_TO_ANSWER} s"
        reason = (str(error) or silence).splitlines()[0]
        raise OverbarError(
            f"The Dask scheduler {scheduler!r} does not answer ({reason})."
            " Start one with: dask scheduler"
        ) from None
    if kind != "Scheduler":
        raise InvalidInput("the scheduler", f"{scheduler}, a {kind}", "a Dask scheduler's address")
    client = Client(scheduler, set_as_default=False)
    try:
        yield client.get_executor(pure=False, retries=5)
    except KeyboardInterrupt:  # the process ends, which the scheduler notices: to close takes long
        raise
    except BaseException:
        client.close()
        raise
    client.close()


async def _kind(address: str) -> str:
    """Ask what answers there. A Client would wait for ever for one that is silent."""
    from distributed import rpc

    async with rpc(address, timeout=SECONDS_TO_ANSWER - 1) as asked:
        return str((await asked.identity())["type"])


def play_as(digest: str, block: Block) -> Played:
    """Play a block for a caller whose code has that digest: another version gives other bits."""
    if code_digest() != digest:
        raise OverbarError(
            "A worker runs another version of Overbar than this one. Install the same on all."
        )
    return play(block)
