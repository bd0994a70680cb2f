"""A durable campaign: ask and tell on a database, from many processes and machines."""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING

from overbar.campaigns import DATABASE
from overbar.campaigns.course import Arm, Counts, Course
from overbar.campaigns.finding import Finding
from overbar.campaigns.log import Decision, Event, Status, Ticket
from overbar.campaigns.terms import LONGEST_NAME, MOST, Terms, a_budget, a_lifetime, a_text, agreed
from overbar.campaigns.turn import Turn
from overbar.errors import InvalidInput, a_whole_number
from overbar.live.checks import own_thresholds
from overbar.policies import Policy
from overbar.problem import arm_names

if TYPE_CHECKING:
    from overbar.campaigns.rows import Rows

LIFETIME = 3600.0  # seconds
AT_ONCE = 50_000  # events that are read in one transaction


class Campaign:
    """A campaign in a database: what to try next, what came of it, which arms are over the bar.

    >>> from overbar import Campaign
    >>> passes = {"quick": 1, "slow": 0}
    >>> campaign = Campaign.create("tests", list(passes), threshold=0.5, budget=40)
    >>> while tickets := campaign.ask(4):
    ...     for ticket in tickets:
    ...         campaign.tell(ticket, passes[ticket.arm])
    >>> [(each.arm, each.verdict) for each in campaign.findings()]
    [('quick', 'over'), ('slow', 'under')]
    >>> campaign.close()

    Any number of processes may `open` it at once. A call that raises has changed nothing.
    """

    def __init__(self, rows: "Rows") -> None:
        self._rows = rows
        self._course: Course | None = None  # as far as this process has looked
        self._lock = RLock()

    @classmethod
    def create(
        cls,
        name: str,
        arms: Sequence[str],
        threshold: float | None,
        budget: int | None = None,
        *,
        policy: Policy | None = None,
        database: str | Path = DATABASE,
        scale: tuple[float, float] = (0.0, 1.0),
        thresholds: Mapping[str, float] | None = None,
        history: Mapping[str, Sequence[float]] | None = None,
        seed: int = 0,
        lifetime: float = LIFETIME,
        reward: str | None = None,
        confidence: float | None = None,
        noise: str | None = None,
    ) -> "Campaign":
        """Create a campaign in a database, which is a file or the URL of a PostgreSQL database.

        With a `confidence`, arms are tried until all verdicts hold together with it, and a budget
        need not be given. Without, they hold with 95 %, as far as the budget goes. `noise` says
        what is known of how rewards vary: "bounded" by the scale, "normal", or "sub-gaussian:σ", σ
        being a share of its width.

        Without a policy, `UntilSure` plays where there is a confidence, and else `AnytimeAugUCB`.
        `thresholds` and `history` (results from before) go by arm; the threshold may be None where
        every arm has its own. A ticket expires after `lifetime` seconds. `reward` says in a word
        what is rewarded, as `overbar run --reward` does, which goes on with the same only.
        """
        from overbar.campaigns import rows
        from overbar.campaigns.database import Database

        name = a_text("the name of the campaign", name, LONGEST_NAME)
        names = arm_names([a_text("the name of an arm", arm) for arm in _a_list(arms)])
        common = threshold is not None
        if threshold is None:
            threshold = _first_of_all(thresholds, names)
        tries = a_budget(budget, policy, confidence is not None)
        terms = agreed(
            policy, threshold, scale, seed, lifetime, (len(names), tries), common, reward,
            confidence, noise,
        )  # fmt: skip
        own = own_thresholds(thresholds, names, terms.scale)
        opened = Database(database, create=True)
        try:
            with opened.writing() as connection:
                made, counts, now = rows.created(connection, opened, name, terms)
                turn = Turn(made, connection, counts, now)
                turn.open(tries, [Arm(each, own.get(each, terms.threshold)) for each in names])
                turn.write()
                if history:
                    turn = Turn(made, connection, turn.counts, now)
                    turn.history(history)
                    turn.write()
            return cls(made)
        except BaseException:
            opened.close()
            raise

    @classmethod
    def open(
        cls, name: str, database: str | Path = DATABASE, policy: Policy | None = None
    ) -> "Campaign":
        """Open a campaign. A policy of your own has to be given again."""
        from overbar.campaigns import rows
        from overbar.campaigns.database import Database

        opened = Database(database)
        try:
            with opened.reading() as connection:
                return cls(rows.opened(connection, opened, name, policy))
        except BaseException:
            opened.close()
            raise

    @staticmethod
    def all(database: str | Path = DATABASE) -> list[Status]:
        """Return the books of every campaign in a database."""
        from overbar.campaigns import rows
        from overbar.campaigns.database import Database

        opened = Database(database)
        try:
            with opened.reading() as connection:
                return [rows.books(counts, terms) for counts, terms in rows.listed(connection)]
        finally:
            opened.close()

    @property
    def name(self) -> str:
        """The campaign's name."""
        return self._rows.name

    @property
    def terms(self) -> Terms:
        """What was agreed when it was created: policy, threshold, scale, seed, lifetime, judge."""
        return self._rows.terms

    def ask(
        self, n: int = 1, *, request: str | None = None, lifetime: float | None = None
    ) -> list[Ticket]:
        """Return what to try next: up to n tickets, none when nothing is left to try.

        With a `request`, a name that you make up, the same call may be made again, and gets the
        same tickets: after a connection broke, say.
        """
        n = a_whole_number("the number of tickets", n, least=1)
        return self.turn(ask=n, request=request, lifetime=lifetime)

    def tell(self, ticket: Ticket | int | str, reward: float, request: str | None = None) -> None:
        """Take in the result of a ticket. To tell the same again changes nothing.

        A result that comes after the ticket expired or failed is kept, and counted apart from the
        budget. So is one that nobody asked for, told with the name of an arm; it counts once for
        each time it is told, or once for its `request`, a name that you make up.
        """
        if isinstance(ticket, str):
            with self._turn(knows=True) as turn:
                turn.history({ticket: [reward]}, _a_request(request))
            return
        with self._turn() as turn:
            turn.tell(_number(ticket), reward)

    def fail(self, ticket: Ticket | int, reason: str = "") -> None:
        """Return the try of a ticket that brought no answer to the budget."""
        a_text("the reason", reason)
        with self._turn() as turn:
            turn.fail(_number(ticket), reason)

    def turn(
        self,
        told: Mapping[int, float] | None = None,
        failed: Mapping[int, str] | None = None,
        ask: int = 0,
        *,
        request: str | None = None,
        lifetime: float | None = None,
        worker: str | None = None,
    ) -> list[Ticket]:
        """Tell results and fail tickets, by number, and ask for more, all in one transaction."""
        lasts = self.terms.lifetime
        if lifetime is not None:
            lasts = a_lifetime(lifetime)
        request = _a_request(request)
        ask = a_whole_number("the number of tickets", ask, least=0)
        results = {_number(ticket): reward for ticket, reward in (told or {}).items()}
        reasons = {
            _number(ticket): a_text("the reason", reason)
            for ticket, reason in (failed or {}).items()
        }
        with self._turn(knows=bool(ask)) as turn:
            for ticket, reward in results.items():
                turn.tell(ticket, reward)
            for ticket, reason in reasons.items():
                turn.fail(ticket, reason)
            if not ask:
                return []
            given = turn.ask(ask, request, lasts, worker)
            return [self._ticket(event, turn.course) for event in given]

    def add_history(self, results: Mapping[str, Sequence[float]]) -> None:
        """Take in results from before, by arm: they count for their arms, not for the budget."""
        with self._turn(knows=True) as turn:
            turn.history(results)

    def extend(
        self,
        budget: int | None = None,
        arms: Sequence[str] = (),
        thresholds: Mapping[str, float] | None = None,
        history: Mapping[str, Sequence[float]] | None = None,
    ) -> None:
        """Raise the budget, add arms, or both. The policy begins its rounds anew."""
        names = [a_text("the name of an arm", arm) for arm in _a_list(arms)]
        new = arm_names(names) if names else ()
        own = own_thresholds(thresholds, new, self.terms.scale)
        for each in new:
            if each not in own and not self.terms.common:
                raise InvalidInput(
                    f"the threshold of the arm {each!r}",
                    None,
                    "given",
                    "Every arm of the campaign has its own, and there is no common one.",
                )
        if budget is not None:
            budget = a_whole_number("the budget", budget, least=1, most=MOST)
        with self._turn(knows=True) as turn:
            turn.extend(
                turn.counts.budget if budget is None else budget,
                [Arm(each, own.get(each, self.terms.threshold)) for each in new],
            )
            turn.history(history or {})

    def give_up_those_of(self, gone: Callable[[str], bool]) -> None:
        """Return the tries of workers that are gone to the budget."""
        with self._looked() as (_, _, course):
            workers = {out.worker for out in course.out.values() if out.worker is not None}
        if any(map(gone, workers)):
            with self._turn(knows=True) as turn:
                turn.fail_those_of(gone, "its worker is gone")

    def leave(
        self, worker: str, told: Mapping[int, float], failed: Mapping[int, str], reason: str
    ) -> None:
        """Take in what a worker that leaves has, and return what else it has out to the budget."""
        with self._turn(knows=True) as turn:
            for ticket, reward in told.items():
                with suppress(InvalidInput):  # told otherwise meanwhile: that stands
                    turn.tell(ticket, reward)
            for ticket, why in failed.items():
                with suppress(InvalidInput):
                    turn.fail(ticket, why)
            turn.fail_those_of(worker.__eq__, reason)

    def status(self) -> Status:
        """Return the books: budget, tries, what waits, what was counted apart."""
        with self._looked() as (counts, now, course):
            return course.status(counts, now)

    def findings(self) -> list[Finding]:
        """Return what the results say of every arm."""
        with self._looked() as (_, _, course):
            return course.findings()

    def arms(self) -> dict[str, float]:
        """Return the arms, with their thresholds."""
        with self._looked() as (_, _, course):
            return {arm.name: arm.threshold for arm in course.arms}

    def export(self) -> Iterator[Event]:
        """Yield the log, event by event."""
        with self._rows.database.reading() as connection:
            last = self._rows.counts(connection)[0].seq
        for start in range(0, last, AT_ONCE):  # who writes waits for who reads, so not for long
            with self._rows.database.reading() as connection:
                some = self._rows.events(connection, start, min(start + AT_ONCE, last))
            yield from some

    def replay(self) -> Iterator[Decision]:
        """Yield why each arm was chosen, from the log alone."""
        from overbar.campaigns.replay import decisions

        with self._looked() as (_, _, course):
            arms = list(course.arms)
        yield from decisions(self.terms, arms, self.export())

    def run(self, function: Callable[[Ticket], float], workers: int = 1) -> None:
        """Try arms in threads until the campaign is finished.

        `function` takes a ticket and returns the reward. One that raises returns its try to the
        budget and ends the run, when the tries under way are in.
        """
        from overbar.campaigns.workers import run

        run(self, function, workers)

    async def run_async(
        self, function: Callable[[Ticket], Awaitable[float]], workers: int = 1
    ) -> None:
        """Try arms until the campaign is finished, as `run` does, in coroutines."""
        from overbar.campaigns.workers import run_async

        await run_async(self, function, workers)

    def delete(self) -> None:
        """Delete the campaign, with its log, and close it."""
        with self._lock, self._rows.database.writing() as connection:
            self._rows.counts(connection, lock=True)
            self._rows.delete(connection)
        self.close()

    def close(self) -> None:
        """Close the connections to the database."""
        self._rows.database.close()

    def __enter__(self) -> "Campaign":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Campaign {self.name!r} in {self._rows.database.shown}>"

    @contextmanager
    def _turn(self, knows: bool = False) -> Iterator[Turn]:
        """A transaction of its own. What is known of the course is forgotten when it fails."""
        with self._lock:
            course, self._course = self._course, None
            with self._rows.database.writing() as connection:
                counts, now = self._rows.counts(connection, lock=True)
                turn = Turn(self._rows, connection, counts, now)
                if knows or course is not None:
                    course = turn.knows(course).course
                try:
                    yield turn
                except InvalidInput:
                    if not turn.events:
                        self._course = course
                    raise
                turn.write()
            self._course = course

    @contextmanager
    def _looked(self) -> Iterator[tuple[Counts, float, Course]]:
        with self._lock:
            course, self._course = self._course, None
            with self._rows.database.reading() as connection:
                counts, now = self._rows.counts(connection)
                course = self._rows.course(connection, counts, course)
            self._course = course
            yield counts, now, course

    @staticmethod
    def _ticket(event: Event, course: Course) -> Ticket:
        assert event.arm is not None
        assert event.expires is not None
        expires = datetime.fromtimestamp(event.expires, UTC)
        return Ticket(event.seq, course.arms[event.arm].name, expires)


def _a_list(arms: Sequence[str]) -> Sequence[str]:
    if isinstance(arms, str):
        raise InvalidInput("the arms", arms, "a list of names", "Put a single name in a list.")
    return arms


def _first_of_all(thresholds: Mapping[str, float] | None, names: Sequence[str]) -> float:
    if not thresholds or any(name not in thresholds for name in names):
        raise InvalidInput("the threshold", None, "given", "Or list one of its own for every arm.")
    return thresholds[names[0]]


def _a_request(request: str | None) -> str | None:
    return None if request is None else a_text("the request", request, LONGEST_NAME)


def _number(ticket: Ticket | int) -> int:
    if isinstance(ticket, Ticket):
        return ticket.id
    return a_whole_number("the ticket", ticket, least=1, most=MOST)
