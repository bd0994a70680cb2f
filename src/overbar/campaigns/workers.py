"""Trying arms in threads, or in coroutines, until a campaign is finished.

A crew keeps its hands busy. All that came in while it looked away is told, and as much is asked for
as hands are free, in one transaction: so many quick tries cost few of them. An interrupt may strike
anywhere in the main thread, so the books are kept in another; and what a crew that leaves still has
out is known by its name in the log, not by what it remembers.
"""

import asyncio
import os
import re
import socket
import time
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from inspect import isawaitable
from threading import Event, RLock, Thread
from typing import Generic, TypeVar
from uuid import uuid4

import psutil
from tenacity import (
    Retrying,
    retry_if_exception_type,
    sleep_using_event,
    stop_after_delay,
    stop_when_event_set,
    wait_exponential,
)

from overbar.campaigns.campaign import Campaign
from overbar.campaigns.log import Ticket
from overbar.errors import InvalidInput, OverbarError, StorageError, a_whole_number
from overbar.live.checks import a_reward

Hand = TypeVar("Hand", Future[float], asyncio.Future[float])

PATIENCE = 120  # seconds that a database may be away
LOOK_AGAIN = 0.25  # seconds, while only others have tickets

_WORKER = re.compile(r"(.+):(\d+):(\d+\.\d+)(?::(\w+))?")  # machine, process, beginning, crew
_at_work: set[str] = set()  # the crews of this process


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
        self._books = RLock()  # who leaves waits for a turn that is being made
        self._leaving = Event()

    def __enter__(self) -> "Crew[Hand]":
        _at_work.add(self.worker)
        return self

    def __exit__(self, *_: object) -> None:
        _at_work.discard(self.worker)

    def ended(self, hands: Iterable[Hand]) -> None:
        """Take in what came of tries."""
        for hand in hands:
            ticket = self.under_way[hand]
            try:
                error = hand.exception()
                if error is None:
                    self._told[ticket.id] = a_reward(hand.result(), self.campaign.terms.scale)
            except (Exception, asyncio.CancelledError) as unusable:
                error = unusable
            if error is not None:
                said = (str(error) or repr(error)).replace("\0", "")  # as every database holds it
                self._failed[ticket.id] = said.encode(errors="replace").decode()
                self.error = self.error or error
            del self.under_way[hand]  # last: who is interrupted before it takes it in again

    def turn(self, free: int) -> list[Ticket]:
        """Tell what is to be told, and return tickets for free hands, and none after an error."""
        with self._books:
            ask = 0 if self.error else free
            if self._leaving.is_set() or not (self._told or self._failed or ask):
                return []
            request = uuid4().hex if ask else None  # made again, it gets the same tickets
            patiently = Retrying(
                retry=retry_if_exception_type(StorageError),
                stop=stop_after_delay(PATIENCE) | stop_when_event_set(self._leaving),
                sleep=sleep_using_event(self._leaving),
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

    def leave(self, interrupt: BaseException) -> None:
        """Tell what came in, and return to the budget all else that the crew has out.

        A note on the interrupt says so when that cannot be done. Another interrupt does not stop
        it: it is done in a thread that the process waits for.
        """
        self._leaving.set()
        leaving = Thread(target=self._leave, args=(interrupt,), name="overbar leaves")
        leaving.start()
        leaving.join()

    def _leave(self, interrupt: BaseException) -> None:
        with self._books:
            self.ended([hand for hand in self.under_way if hand.done() and not hand.cancelled()])
            try:
                self.campaign.leave(self.worker, self._told, self._failed, "interrupted")
            except OverbarError as error:
                interrupt.add_note(
                    f"What was under way is not back in the budget: {error} It returns when the "
                    "campaign is run again on this machine, or when its tickets expire."
                )

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
    campaign.give_up_those_of(is_gone)
    pool = ThreadPoolExecutor(workers, thread_name_prefix="overbar")
    books = ThreadPoolExecutor(1, thread_name_prefix="overbar books")
    crew: Crew[Future[float]] = Crew(campaign, lifetime)
    with crew:
        try:
            while True:
                free = workers - len(crew.under_way)
                for ticket in books.submit(crew.turn, free).result():
                    crew.under_way[pool.submit(function, ticket)] = ticket
                progress()
                if crew.under_way:
                    done, _ = wait(crew.under_way, timeout=1, return_when=FIRST_COMPLETED)
                    crew.ended(done)
                elif books.submit(crew.is_finished).result():
                    break
                else:
                    time.sleep(LOOK_AGAIN)
        except BaseException as interrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            leave()
            crew.leave(interrupt)
            raise
        finally:
            for each in (pool, books):
                each.shutdown(wait=False, cancel_futures=True)
    if crew.error:
        raise crew.error


async def run_async(
    campaign: Campaign, function: Callable[[Ticket], Awaitable[float]], workers: int
) -> None:
    """Try arms in coroutines; the database is waited for in a thread."""
    workers = a_whole_number("the number of workers", workers, least=1)
    await asyncio.to_thread(campaign.give_up_those_of, is_gone)
    crew: Crew[asyncio.Future[float]] = Crew(campaign, None)
    with crew:
        try:
            while True:
                free = workers - len(crew.under_way)
                for ticket in await asyncio.to_thread(crew.turn, free):
                    crew.under_way[_awaited(function(ticket))] = ticket
                if crew.under_way:
                    done, _ = await asyncio.wait(
                        crew.under_way, return_when=asyncio.FIRST_COMPLETED
                    )
                    crew.ended(done)
                elif await asyncio.to_thread(crew.is_finished):
                    break
                else:
                    await asyncio.sleep(LOOK_AGAIN)
        except BaseException as interrupt:
            for hand in crew.under_way:
                hand.cancel()
            crew.leave(interrupt)
            raise
    if crew.error:
        raise crew.error


def _awaited(returned: Awaitable[float]) -> asyncio.Future[float]:
    if not isawaitable(returned):
        raise InvalidInput(
            "what the function returned", returned, "awaitable", "Plain functions are for run."
        )
    return asyncio.ensure_future(returned)


def _identity() -> str:
    """Return what tells a crew from all others: machine, process, its beginning, and a name."""
    return f"{_process()}:{uuid4().hex}"


def _process() -> str:
    return f"{socket.gethostname()}:{os.getpid()}:{psutil.Process().create_time():.2f}"


def is_gone(worker: str) -> bool:
    """Return whether the worker was a process on this machine, or a crew of it, that is no more."""
    parts = _WORKER.fullmatch(worker)
    if parts is None or parts[1] != socket.gethostname():
        return False  # its tickets expire
    try:
        process = psutil.Process(int(parts[2]))
        is_it = abs(process.create_time() - float(parts[3])) < 1
        if not is_it or process.status() == psutil.STATUS_ZOMBIE:
            return True
    except psutil.NoSuchProcess:
        return True
    return process.pid == os.getpid() and parts[4] is not None and worker not in _at_work
