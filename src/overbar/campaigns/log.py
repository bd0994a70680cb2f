"""What a campaign writes down, and what it tells: events, tickets, decisions, its status.

The log of events is the truth. Its order is the order of the transactions that wrote it, and all
else, counters included, is what it adds up to.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple

Kind = Literal[
    "open",  # the campaign begins, with so many arms and such a budget
    "extend",  # more arms, a larger budget, or both
    "ask",  # a ticket is given
    "stop",  # the policy needs no more tries
    "tell",  # the result of a ticket
    "fail",  # the ticket's try goes back to the budget
    "expire",  # and here too, for its time is over
    "late",  # the result of a ticket whose try went back to the budget
    "history",  # a result that nobody asked for
]


class Event(NamedTuple):
    """A line of the log."""

    seq: int
    kind: Kind
    at: float  # seconds since 1970, by the clock of the database
    ticket: int | None = None  # a ticket's number is the seq of its ask
    arm: int | None = None  # by number
    reward: float | None = None
    expires: float | None = None
    request: str | None = None
    worker: str | None = None
    reason: str | None = None
    budget: int | None = None
    arms: int | None = None


@dataclass(frozen=True)
class Ticket:
    """A request to try an arm once, until it expires."""

    id: int
    arm: str
    expires: datetime


@dataclass(frozen=True)
class Decision:
    """Why an arm was chosen."""

    ticket: int
    arm: str
    by: Literal["first try", "index", "no result yet", "chance"]
    index: float | None  # the lowest, as indices are compared, where it was chosen by index
    runner_up: str | None  # the arm that would have come next
    runner_up_index: float | None
    agrees: bool  # whether this version of Overbar chooses the same


@dataclass(frozen=True)
class Status:
    """The books of a campaign. budget = told + waiting + remaining; the rest is counted apart."""

    name: str
    policy: str
    threshold: float
    arms: int
    confidence: float  # of all verdicts together
    budget: int | None  # None: as many as it takes
    told: int  # tries whose results are in
    waiting: int  # tickets that are out
    failed: int  # tickets whose tries went back to the budget
    expired: int  # so did these, for their time was over
    late: int  # results that came after that
    history: int  # results that nobody asked for
    stopped: bool  # whether the policy needs no more tries

    @property
    def remaining(self) -> int | None:
        """Tries that nobody has asked for yet, or that went back to the budget."""
        return None if self.budget is None else self.budget - self.told - self.waiting

    @property
    def finished(self) -> bool:
        """Whether nothing is left to try, and no result to wait for."""
        return not self.waiting and (self.stopped or self.remaining == 0)
