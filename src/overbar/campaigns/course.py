"""The course of a campaign: its log, added up, in the memory of one process.

A process adds up what others wrote when it next looks. What the log says was chosen is taken as
chosen: the choices of a campaign are made once, by the process that gave the ticket.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import NamedTuple

from overbar.campaigns.finding import Finding, findings
from overbar.campaigns.log import Event, Status
from overbar.campaigns.terms import Terms
from overbar.live.judge import UNLIMITED
from overbar.live.ledger import Ledger
from overbar.policies import Game


class Arm(NamedTuple):
    """An arm, and its threshold."""

    name: str
    threshold: float


class Out(NamedTuple):
    """A ticket that is out."""

    expires: float
    worker: str | None


@dataclass
class Course:
    """Where a campaign stands after the event `seq`."""

    terms: Terms
    arms: list[Arm]
    ledger: Ledger
    seq: int
    out: dict[int, Out]  # by ticket; the ledger knows their arms
    expiries: list[tuple[float, int]]  # a heap, with tickets that are back already

    @classmethod
    def begin(cls, terms: Terms, arms: Sequence[Arm], first: Event) -> "Course":
        """Return the course after the first event of a log, which opens the campaign."""
        assert first.budget is not None
        thresholds = [arm.threshold for arm in arms[: first.arms]]
        ledger = Ledger(terms.play(thresholds, first.budget), first.budget)
        return cls(terms, list(arms), ledger, first.seq, {}, [])

    def follow(self, events: Iterable[Event]) -> None:
        """Add up what other processes wrote."""
        for event in events:
            if event.kind in ("ask", "stop"):
                self.ledger.choose()
            self.add(event)

    def add(self, event: Event) -> None:
        """Add an event, whose choice was made."""
        self.seq = event.seq
        ledger, ticket, arm, reward = self.ledger, event.ticket, event.arm, event.reward
        match event.kind:
            case "ask":
                assert ticket is not None
                assert arm is not None
                assert event.expires is not None
                ledger.asked(ticket, arm)
                self.out[ticket] = Out(event.expires, event.worker)
                heappush(self.expiries, (event.expires, ticket))
                if len(self.expiries) > 2 * len(self.out) + 1000:
                    self.expiries = sorted((o.expires, t) for t, o in self.out.items())
            case "tell":
                assert ticket is not None
                assert reward is not None
                ledger.told(ticket, reward)
                del self.out[ticket]
            case "fail" | "expire":
                assert ticket is not None
                ledger.gave_up(ticket)
                del self.out[ticket]
            case "late" | "history":
                assert arm is not None
                assert reward is not None
                ledger.unasked(event.seq, arm, reward)
            case "extend":
                assert event.budget is not None
                assert event.arms is not None
                have = len(ledger.play.records)
                new = [arm.threshold for arm in self.arms[have : event.arms]]
                rounds = self.terms.policy.rounds(Game(event.arms, event.budget))
                ledger.reopen(tuple(rounds), new, event.budget)
            case "stop":
                ledger.stopped = True

    def expired(self, now: float) -> list[int]:
        """Return the tickets whose time is over."""
        over = []
        while self.expiries and self.expiries[0][0] <= now:
            ticket = heappop(self.expiries)[1]
            if ticket in self.out:
                over.append(ticket)
        for ticket in over:  # they are back only when the log says so
            heappush(self.expiries, (self.out[ticket].expires, ticket))
        return over

    def findings(self) -> list[Finding]:
        """Return what the results say of every arm."""
        names = [arm.name for arm in self.arms]
        return findings(names, self.ledger.play, self.terms.scale)

    def status(self, counts: "Counts", now: float) -> Status:
        """Return the books, with expired tickets back in the budget."""
        terms = self.terms
        lapsed = len(self.expired(now))
        return counts.status(terms.policy.name, terms.threshold, terms.judge.confidence, lapsed)


@dataclass
class Counts:
    """The counters of a campaign's row, which stand beside its log."""

    id: int
    name: str
    seq: int
    arms: int
    budget: int
    asked: int
    told: int
    failed: int
    expired: int
    late: int
    history: int
    stopped: bool
    snapshot: int

    def count(self, event: Event) -> None:
        """Count an event."""
        self.seq = event.seq
        match event.kind:
            case "ask":
                self.asked += 1
            case "tell":
                self.told += 1
            case "fail":
                self.failed += 1
            case "expire":
                self.expired += 1
            case "late":
                self.late += 1
            case "history":
                self.history += 1
            case "stop":
                self.stopped = True
            case "open" | "extend":
                assert event.budget is not None
                assert event.arms is not None
                self.budget, self.arms, self.stopped = event.budget, event.arms, False

    def status(self, policy: str, threshold: float, confidence: float, lapsed: int = 0) -> Status:
        """Return the books, with so many tickets that expired and were not yet written down."""
        waiting = self.asked - self.told - self.failed - self.expired - lapsed
        return Status(
            self.name,
            policy,
            threshold,
            self.arms,
            confidence,
            None if self.budget == UNLIMITED else self.budget,
            self.told,
            waiting,
            self.failed,
            self.expired + lapsed,
            self.late,
            self.history,
            self.stopped,
        )
