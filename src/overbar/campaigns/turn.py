"""A turn at a campaign: what is told, failed and asked in one transaction, all of it or nothing."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from overbar.campaigns.course import Arm, Counts, Course
from overbar.campaigns.log import Event, Kind
from overbar.errors import AskClosed, Conflict, InvalidInput, UnknownArm, UnknownTicket
from overbar.live.checks import a_reward, few
from overbar.live.judge import UNLIMITED
from overbar.policies import Game
from overbar.policies.policy import opened

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from overbar.campaigns.rows import Rows


class Turn:
    """Has the campaign to itself until it ends."""

    def __init__(self, rows: "Rows", connection: "Connection", counts: Counts, now: float) -> None:
        self.counts, self.now = counts, now
        self.events: list[Event] = []
        self._rows, self._connection = rows, connection
        self._course: Course | None = None

    def knows(self, course: Course | None) -> "Turn":
        """Add up the log from what is known; without it, a turn that only tells need not."""
        self._course = self._rows.course(self._connection, self.counts, course)
        return self

    @property
    def course(self) -> Course:
        """The course up to now."""
        if self._course is None:
            self.knows(None)
            assert self._course is not None
        return self._course

    def ask(self, n: int, request: str | None, lifetime: float, worker: str | None) -> list[Event]:
        """Give up to n tickets, or those that the request got before."""
        if request is not None and (before := self._rows.of_request(self._connection, request)):
            if before[0].kind != "ask":
                raise Conflict("the request", request, "new", "It told a result before.")
            return before
        course = self.course
        asks: list[Event] = []
        for ticket in course.expired(self.now):
            self._add("expire", ticket=ticket)
        while len(asks) < n and not course.ledger.stopped:
            arm = course.ledger.choose()
            if arm is None:
                if course.ledger.stopped:
                    self._add("stop")
                break
            self._add(
                "ask",
                ticket=self.counts.seq + 1,
                arm=arm,
                expires=self.now + lifetime,
                request=request,
                worker=worker,
            )
            asks.append(self.events[-1])
        return asks

    def tell(self, ticket: int, reward: object) -> None:
        """Take in the result of a ticket: once, late, or again."""
        checked = a_reward(reward, self._rows.terms.scale)
        if self._course is not None and ticket in self._course.out:
            self._add("tell", ticket=ticket, reward=checked)
            return
        ask, ends = self._of_ticket(ticket)
        told = ends.get("tell") or ends.get("late")
        if told is not None:
            if told.reward != checked:
                raise Conflict(
                    f"the reward of ticket {ticket}", reward, f"{told.reward}, as was told before"
                )
        elif ends:
            self._add("late", ticket=ticket, arm=ask.arm, reward=checked)
        else:
            self._add("tell", ticket=ticket, reward=checked)

    def fail(self, ticket: int, reason: str) -> None:
        """Return the try of a ticket to the budget, unless it is back already."""
        if self._course is None or ticket not in self._course.out:
            _, ends = self._of_ticket(ticket)
            if "tell" in ends or "late" in ends:
                raise AskClosed("the ticket", ticket, "one without a result", "It was told before.")
            if ends:
                return
        self._add("fail", ticket=ticket, reason=reason)

    def fail_those_of(self, gone: Callable[[str], bool], reason: str) -> None:
        """Return the tries to the budget whose workers are gone."""
        for ticket, out in list(self.course.out.items()):
            if out.worker is not None and gone(out.worker):
                self._add("fail", ticket=ticket, reason=reason)

    def history(self, results: Mapping[str, Sequence[object]], request: str | None = None) -> None:
        """Take in results that nobody asked for, by arm; once for each request."""
        numbers = {arm.name: number for number, arm in enumerate(self.course.arms)}
        scale, given = self._rows.terms.scale, []
        for name, rewards in results.items():
            if name not in numbers:
                raise UnknownArm("the arm", name, f"one of {few(numbers)}")
            if isinstance(rewards, str) or not isinstance(rewards, Iterable):
                raise InvalidInput(
                    f"the results of the arm {name!r}",
                    rewards,
                    "a list of rewards",
                    "Put a single one in a list.",
                )
            given += [(numbers[name], a_reward(reward, scale)) for reward in rewards]
        if request is not None and (before := self._rows.of_request(self._connection, request)):
            if [(event.kind, event.arm, event.reward) for event in before] != [
                ("history", *each) for each in given
            ]:
                raise Conflict("the request", request, "new", "It brought something else before.")
            return
        for number, reward in given:
            self._add("history", arm=number, reward=reward, request=request)

    def open(self, budget: int, arms: Sequence[Arm]) -> None:
        """Begin the log."""
        self._rows.add_arms(self._connection, 0, arms)
        self._add("open", budget=budget, arms=len(arms))

    def extend(self, budget: int, new: Sequence[Arm]) -> None:
        """Raise the budget, add arms, or both."""
        course = self.course
        names = {arm.name for arm in course.arms}
        for arm in new:
            if arm.name in names:
                raise InvalidInput("a new arm", arm.name, "unlike every other", "It is there.")
        if budget < self.counts.budget == UNLIMITED:
            raise InvalidInput(
                "the budget", budget, "left out", "The campaign ends when it is sure."
            )
        if budget < self.counts.budget:
            raise InvalidInput(
                "the budget", budget, f"at least {self.counts.budget}, as it is", "It only grows."
            )
        if not new and budget == self.counts.budget:
            return
        K = len(course.arms) + len(new)
        opened(self._rows.terms.policy, Game(K, budget))
        if new:
            self._rows.add_arms(self._connection, len(course.arms), new)
            course.arms += new
        self._add("extend", budget=budget, arms=K)

    def write(self) -> None:
        """Write down what happened."""
        if self.events:
            self._rows.write(self._connection, self.counts, self.events, self._course)

    def _of_ticket(self, ticket: int) -> tuple[Event, dict[Kind, Event]]:
        """Return the ticket's ask, and what came of it."""
        written = self._rows.of_ticket(self._connection, ticket)
        events = [*written, *(event for event in self.events if event.ticket == ticket)]
        if not events:
            raise UnknownTicket("the ticket", ticket, "one that the campaign gave")
        return events[0], {event.kind: event for event in events[1:]}

    def _add(self, kind: Kind, **fields: object) -> None:
        event = Event(self.counts.seq + 1, kind, self.now, **fields)  # type: ignore[arg-type]
        self.events.append(event)
        self.counts.count(event)
        if self._course is not None:
            self._course.add(event)
