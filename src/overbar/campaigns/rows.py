"""A campaign's rows in the database: all that is read and written within a transaction."""

import json
from collections.abc import Sequence

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from overbar.campaigns import snapshot, tables
from overbar.campaigns.course import Arm, Counts, Course
from overbar.campaigns.database import Database
from overbar.campaigns.log import Event, Status
from overbar.campaigns.terms import Terms
from overbar.errors import Conflict, UnknownCampaign
from overbar.live.judge import CONFIDENCE
from overbar.policies import Policy

AT_ONCE = 50_000  # events that are held in memory

_COUNTED = [column for column in tables.campaigns.c if column.name in Counts.__dataclass_fields__]
_COUNTERS = [column.name for column in _COUNTED if column.name not in ("id", "name")]
_EVENT = [tables.log.c[field] for field in Event._fields]
_CAMPAIGN = tables.log.c.campaign == bindparam("id")
_TAIL = (
    select(*_EVENT)
    .where(_CAMPAIGN, tables.log.c.seq > bindparam("after"), tables.log.c.seq <= bindparam("to"))
    .order_by(tables.log.c.seq)
)
_OF_TICKET = (
    select(*_EVENT)
    .where(_CAMPAIGN, tables.log.c.ticket == bindparam("of_ticket"))
    .order_by(tables.log.c.seq)
)
_OF_REQUEST = (
    select(*_EVENT)
    .where(_CAMPAIGN, tables.log.c.request == bindparam("of_request"))
    .order_by(tables.log.c.seq)
)
_ARMS = (
    select(tables.arms.c.name, tables.arms.c.threshold)
    .where(tables.arms.c.campaign == bindparam("id"), tables.arms.c.number >= bindparam("start"))
    .order_by(tables.arms.c.number)
)
_APPEND = insert(tables.log)
_COUNT = update(tables.campaigns).where(tables.campaigns.c.id == bindparam("campaign"))


class Rows:
    """The rows of one campaign."""

    def __init__(self, database: Database, name: str, id_: int, terms: Terms) -> None:
        self.database, self.name, self.id, self.terms = database, name, id_, terms
        self._counts = select(*_COUNTED, database.clock.label("now")).where(
            tables.campaigns.c.id == id_
        )
        self._counts_locked = self._counts.with_for_update()

    def counts(self, connection: Connection, lock: bool = False) -> tuple[Counts, float]:
        """Return the counters and the time; locked, until the transaction ends."""
        found = connection.execute(self._counts_locked if lock else self._counts).one_or_none()
        if found is None:
            raise UnknownCampaign("the campaign", self.name, "one that was not deleted")
        *counted, now = found
        named = dict(zip((column.name for column in _COUNTED), counted, strict=True))
        return Counts(**named), now

    def events(self, connection: Connection, after: int, to: int) -> list[Event]:
        """Return the events after one, up to another."""
        some = {"id": self.id, "after": after, "to": to}
        return list(map(Event._make, connection.execute(_TAIL, some)))

    def of_ticket(self, connection: Connection, ticket: int) -> list[Event]:
        """Return the events of a ticket: its ask, and what came of it."""
        rows = connection.execute(_OF_TICKET, {"id": self.id, "of_ticket": ticket})
        return list(map(Event._make, rows))

    def of_request(self, connection: Connection, request: str) -> list[Event]:
        """Return the events that came of a request."""
        rows = connection.execute(_OF_REQUEST, {"id": self.id, "of_request": request})
        return list(map(Event._make, rows))

    def arms(self, connection: Connection, start: int = 0) -> list[Arm]:
        """Return the arms from a number on."""
        rows = connection.execute(_ARMS, {"id": self.id, "start": start})
        return [Arm(name, threshold) for name, threshold in rows]

    def course(self, connection: Connection, counts: Counts, known: Course | None) -> Course:
        """Return the course up to the counters, from the known one or a snapshot or the log."""
        course = known or self._from_snapshot(connection) or self._from_log(connection)
        if counts.arms > len(course.arms):
            course.arms += self.arms(connection, len(course.arms))
        while course.seq < counts.seq:
            to = min(course.seq + AT_ONCE, counts.seq)
            course.follow(self.events(connection, course.seq, to))
        return course

    def write(
        self, connection: Connection, counts: Counts, events: Sequence[Event], course: Course | None
    ) -> None:
        """Append the events to the log, and set the counters to what they now add up to."""
        connection.execute(_APPEND, [{"campaign": self.id, **event._asdict()} for event in events])
        if course is not None and snapshot.due(counts.arms, counts.seq - counts.snapshot):
            self._keep_snapshot(connection, course)
            counts.snapshot = course.seq
        counted = {name: getattr(counts, name) for name in _COUNTERS}
        connection.execute(_COUNT, {"campaign": self.id, **counted})

    def add_arms(self, connection: Connection, start: int, arms: Sequence[Arm]) -> None:
        """Write down new arms."""
        connection.execute(
            insert(tables.arms),
            [
                {"campaign": self.id, "number": number, **arm._asdict()}
                for number, arm in enumerate(arms, start)
            ],
        )

    def delete(self, connection: Connection) -> None:
        """Delete all that there is of the campaign."""
        connection.execute(delete(tables.campaigns).where(tables.campaigns.c.id == self.id))
        for table in (tables.arms, tables.log, tables.snapshots):
            connection.execute(delete(table).where(table.c.campaign == self.id))

    def _from_log(self, connection: Connection) -> Course:
        [first] = self.events(connection, 0, 1)
        return Course.begin(self.terms, self.arms(connection), first)

    def _from_snapshot(self, connection: Connection) -> Course | None:
        kept = connection.scalar(
            select(tables.snapshots.c.content).where(tables.snapshots.c.campaign == self.id)
        )
        return snapshot.read(kept, self.terms, self.arms(connection)) if kept else None

    def _keep_snapshot(self, connection: Connection, course: Course) -> None:
        connection.execute(delete(tables.snapshots).where(tables.snapshots.c.campaign == self.id))
        connection.execute(
            insert(tables.snapshots).values(
                campaign=self.id, seq=course.seq, content=snapshot.taken(course)
            )
        )


def created(
    connection: Connection, database: Database, name: str, terms: Terms
) -> tuple[Rows, Counts, float]:
    """Write down a new campaign, whose log is empty."""
    database.be_alone(connection)
    if connection.scalar(select(tables.campaigns.c.id).where(tables.campaigns.c.name == name)):
        raise Conflict(
            "the name of the campaign", name, "a new one", "Open the one there is, or delete it."
        )
    nothing = {column.name: 0 for column in _COUNTED} | {"stopped": False}
    del nothing["id"]
    values = {**nothing, "name": name, "terms": terms.to_json()}
    inserted = connection.execute(insert(tables.campaigns).values(values))
    id_ = int((inserted.inserted_primary_key or [0])[0])
    rows = Rows(database, name, id_, terms)
    return rows, *rows.counts(connection, lock=True)


def opened(connection: Connection, database: Database, name: str, policy: Policy | None) -> Rows:
    """Return the rows of the campaign of that name."""
    c = tables.campaigns.c
    found = connection.execute(select(c.id, c.terms).where(c.name == name)).one_or_none()
    if found is None:
        known = listed(connection)
        accepted = "one of " + ", ".join(repr(counts.name) for counts, _ in known[:5])
        raise UnknownCampaign("the campaign", name, accepted if known else "created first")
    return Rows(database, name, found.id, Terms.from_json(found.terms, policy))


def listed(connection: Connection) -> list[tuple[Counts, str]]:
    """Return the counters and the terms of all campaigns, by name."""
    columns = [*_COUNTED, tables.campaigns.c.terms]
    found = connection.execute(select(*columns).order_by(tables.campaigns.c.name))
    names = [column.name for column in _COUNTED]
    return [(Counts(**dict(zip(names, counted, strict=True))), terms) for *counted, terms in found]


def books(counts: Counts, terms: str) -> Status:
    """Return the books of a campaign from its counters and terms, as they are written down."""
    agreed = json.loads(terms)
    confidence = agreed.get("confidence", CONFIDENCE)  # older databases do not say it
    return counts.status(agreed["policy"]["name"], agreed["threshold"], confidence)
