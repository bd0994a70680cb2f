"""Trying an arm by running a command: its arguments are given as they are, never to a shell."""

import os
import signal
import subprocess
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from tempfile import TemporaryFile
from threading import Event, Lock, Timer
from time import monotonic, sleep
from typing import IO, Literal

from tenacity import (
    Retrying,
    retry_if_exception_type,
    sleep_using_event,
    stop_after_attempt,
    stop_when_event_set,
    wait_exponential,
)

from overbar.campaigns.log import Ticket
from overbar.campaigns.terms import LONGEST
from overbar.errors import InvalidInput, TryFailed, a_number, a_whole_number
from overbar.live.checks import Scale, a_reward

PAUSE = 30  # seconds at most, before a command is run again
GRACE = 2  # seconds that a command has to end when it is told to
READ = 4096  # bytes of output that are looked at


class NoAnswer(TryFailed):
    """The command says nothing of the arm; it may be run again."""


@dataclass
class Command:
    """Runs a command for the arm of a ticket; `{arm}` in its words stands for the arm.

    The reward is 1 for exit status 0 and else 0; or the number on the last line of the output.
    """

    words: Sequence[str]
    reward: Literal["exit", "stdout"] = "exit"
    scale: Scale = (0.0, 1.0)
    timeout: float = 600.0
    retry_exits: Sequence[int] = ()
    retries: int = 3
    _running: set["subprocess.Popen[bytes]"] = field(default_factory=set)
    _starting: int = 0
    _lock: Lock = field(default_factory=Lock)
    _stopped: Event = field(default_factory=Event)

    def __post_init__(self) -> None:
        retries = a_whole_number("the number of retries", self.retries, least=0, most=10**6)
        a_number(
            "the timeout", self.timeout, above=0, most=LONGEST / (1 + retries) / 2,
            do="All tries again together may take five years.",
        )  # fmt: skip

    @property
    def lifetime(self) -> float:
        """Return how long a try can take at most, in seconds, with a minute to spare."""
        return (self.timeout + GRACE) * (1 + self.retries) + PAUSE * self.retries + 60

    def __call__(self, ticket: Ticket) -> float:
        """Try the arm, again where the command brought no answer, and return the reward."""
        again = Retrying(
            retry=retry_if_exception_type(NoAnswer),
            stop=stop_after_attempt(1 + self.retries) | stop_when_event_set(self._stopped),
            wait=wait_exponential(multiplier=0.5, max=PAUSE),
            sleep=sleep_using_event(self._stopped),
            reraise=True,
        )
        return again(self._try, ticket)

    def stop(self) -> None:
        """End what runs, and run nothing again."""
        with self._lock:
            self._stopped.set()
        while self._starting:  # what is just being started would outlive us
            sleep(0.01)
        with self._lock:
            running = list(self._running)
        _end(*running)

    def _try(self, ticket: Ticket) -> float:
        with TemporaryFile() as output, TemporaryFile() as complaints:
            status, in_time = self._run(ticket, output, complaints)
            said = _last_line(complaints)
            line = _last_line(output)
        arm = ticket.arm
        why = f"it ended with exit status {status}" + (f", saying {said!r}" if said else "")
        if not in_time:
            why = f"it was ended after {self.timeout:g} seconds"
        if self._stopped.is_set():
            raise TryFailed("The command was stopped.")
        if status in self.retry_exits and in_time:
            raise NoAnswer(f"The command brought no answer for the arm {arm!r}: {why}.")
        if self.reward == "exit":
            return float(status == 0 and in_time)
        if status != 0 or not in_time:
            raise NoAnswer(f"The command brought no number for the arm {arm!r}: {why}.")
        try:
            return a_reward(float(line), self.scale)
        except ValueError:
            low, high = self.scale
            raise InvalidInput(
                f"the last line of the command's output for the arm {arm!r}",
                line,
                f"a number from {low:g} to {high:g}",
                "Give --scale LOW HIGH when rewards are on another scale.",
            ) from None

    def _run(self, ticket: Ticket, output: IO[bytes], complaints: IO[bytes]) -> tuple[int, bool]:
        """Return the exit status, and whether the command ended by itself."""
        words = [word.replace("{arm}", ticket.arm) for word in self.words]
        told = {"OVERBAR_ARM": ticket.arm, "OVERBAR_TICKET": str(ticket.id)}
        late = Event()
        process = self._started(words, told, output, complaints)

        def end() -> None:
            late.set()
            _end(process)

        timer = Timer(self.timeout, end)
        timer.daemon = True
        timer.start()
        try:
            return process.wait(), not late.is_set()
        finally:
            timer.cancel()
            with self._lock:
                self._running.discard(process)

    def _started(
        self, words: Sequence[str], told: dict[str, str], output: IO[bytes], complaints: IO[bytes]
    ) -> "subprocess.Popen[bytes]":
        with self._lock:
            if self._stopped.is_set():
                raise TryFailed("The command was stopped.")
            self._starting += 1
        process = None
        try:
            process = subprocess.Popen(
                words,
                env={**os.environ, **told},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=complaints,
                start_new_session=True,  # with all that it starts, to be ended together
            )
        except (OSError, ValueError) as error:
            raise InvalidInput(
                "the command", words[0], "a program that can be run", f"({error})"
            ) from None
        finally:
            with self._lock:
                self._starting -= 1
                if process is not None:
                    self._running.add(process)
        return process


def _end(*processes: "subprocess.Popen[bytes]") -> None:
    """End processes and all that they started: politely, and if need be not."""
    _send(signal.SIGTERM, processes)
    until = monotonic() + GRACE
    for process in processes:
        with suppress(subprocess.TimeoutExpired):
            process.wait(max(0.0, until - monotonic()))
    _send(signal.SIGKILL, processes)


def _send(what: signal.Signals, processes: Iterable["subprocess.Popen[bytes]"]) -> None:
    for process in processes:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, what)


def _last_line(file: IO[bytes]) -> str:
    """Return the last line that is not blank, of what was written last."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - READ))
    lines = file.read().decode(errors="replace").split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "")
