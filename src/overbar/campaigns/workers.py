"""Trying arms in threads, or in coroutines, until a campaign is finished.

A crew keeps its hands busy. All that came in while it looked away is told, and as much is asked for
as hands are free, in one transaction: so many quick tries cost few of them.
"""

import asyncio
import os
import socket
import time
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from typing import Generic, TypeVar
from uuid import uuid4

import psutil
from tenacity import Retrying, retry_if_exception_type, stop_after_delay, wait_exponential

from overbar.campaigns.campaign import Campaign
from overbar.campaigns.log import Ticket
from overbar.errors import StorageError, a_whole_number
from overbar.live.checks import a_reward

Hand = TypeVar("Hand", Future[float], asyncio.Future[float])

PATIENCE = 120  # seconds that a database may be away
LOOK_AGAIN = 0.25  # seconds, while only others have tickets


class Crew(Generic[Hand]):
    """The tries of one process that are under way, and what came of those that ended."""

    def __init__(self, campaign: Campaign, lifetime: float | None) -> None:
        self.campaign = campaign
        self.worker = _identity()
        self.under_way: dict[Hand, Ticket] = {}
        self.error: BaseException | None = None  # the first that a try raised
        self._lifetime = lifetime
        self._told: dict[int, float] = {}
        self._failed: dict[int, str] = {}

    def ended(self, hands: Iterable[Hand]) -> None:
        """Take in what came of tries."""
        for hand in hands:
            ticket = self.under_way.pop(hand)
            try:
                self._told[ticket.id] = a_reward(hand.result(), self.campaign.terms.scale)
            except Exception as error:
                self._failed[ticket.id] = str(error) or repr(error)
                self.error = self.error or error

    def turn(self, free: int) -> list[Ticket]:
        """Tell what is to be told, and return tickets for free hands, and none after an error."""
        ask = 0 if self.error else free
        if not (self._told or self._failed or ask):
            return []
        request = uuid4().hex if ask else None  # made again, the same turn gets the same tickets
        patiently = Retrying(
            retry=retry_if_exception_type(StorageError),
            stop=stop_after_delay(PATIENCE),
            wait=wait_exponential(multiplier=0.1, max=2),
            reraise=True,
        )
        tickets = patiently(
            self.campaign.turn,
            self._told,
            self._failed,
            ask,
            request=request,
            lifetime=self._lifetime,
            worker=self.worker,
        )
        self._told, self._failed = {}, {}
        return tickets

    def leave(self, reason: str) -> None:
        """Return the tries under way to the budget."""
        failed = self._failed | {ticket.id: reason for ticket in self.under_way.values()}
        with suppress(StorageError):  # then they expire
            self.campaign.turn(self._told, failed)

    def is_finished(self) -> bool:
        """Whether there is nothing left to try or to wait for, here and elsewhere."""
        if self.under_way:
            return False
        self.campaign.give_up_those_of(is_gone)
        return self.error is not None or self.campaign.status().finished


def run(
    campaign: Campaign,
    function: Callable[[Ticket], float],
    workers: int,
    lifetime: float | None = None,
    leave: Callable[[], None] = lambda: None,
    progress: Callable[[], None] = lambda: None,
) -> None:
    """Try arms in threads. Interrupted, it calls `leave` and returns the tries to the budget.

    `progress` is called at least every second.
    """
    workers = a_whole_number("the number of workers", workers, least=1)
    crew: Crew[Future[float]] = Crew(campaign, lifetime)
    campaign.give_up_those_of(is_gone)
    pool = ThreadPoolExecutor(workers, thread_name_prefix="overbar")
    try:
        while True:
            for ticket in crew.turn(workers - len(crew.under_way)):
                crew.under_way[pool.submit(function, ticket)] = ticket
            progress()
            if crew.under_way:
                done, _ = wait(crew.under_way, timeout=1, return_when=FIRST_COMPLETED)
                crew.ended(done)
            elif crew.is_finished():
                break
            else:
                time.sleep(LOOK_AGAIN)
    except BaseException:
        leave()
        crew.leave("interrupted")
        raise
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
    if crew.error:
        raise crew.error


async def run_async(
    campaign: Campaign, function: Callable[[Ticket], Awaitable[float]], workers: int
) -> None:
    """Try arms in coroutines; the database is waited for in a thread."""
    workers = a_whole_number("the number of workers", workers, least=1)
    crew: Crew[asyncio.Future[float]] = Crew(campaign, None)
    await asyncio.to_thread(campaign.give_up_those_of, is_gone)
    try:
        while True:
            for ticket in await asyncio.to_thread(crew.turn, workers - len(crew.under_way)):
                crew.under_way[asyncio.ensure_future(function(ticket))] = ticket
            if crew.under_way:
                done, _ = await asyncio.wait(crew.under_way, return_when=asyncio.FIRST_COMPLETED)
                crew.ended(done)
            elif await asyncio.to_thread(crew.is_finished):
                break
            else:
                await asyncio.sleep(LOOK_AGAIN)
    except BaseException:
        for hand in crew.under_way:
            hand.cancel()
        crew.leave("interrupted")
        raise
    if crew.error:
        raise crew.error


def _identity() -> str:
    """Return what tells this process from all others: machine, process, and its beginning."""
    return f"{socket.gethostname()}:{os.getpid()}:{psutil.Process().create_time():.2f}"


def is_gone(worker: str) -> bool:
    """Return whether the worker was a process on this machine that is no more."""
    host, pid, began = worker.rsplit(":", 2)
    if host != socket.gethostname():
        return False  # its tickets expire
    try:
        process = psutil.Process(int(pid))
        is_it = abs(process.create_time() - float(began)) < 1
        return not is_it or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True
