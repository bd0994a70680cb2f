"""The tables. The log is the truth; counters stand beside it, and snapshots may be thrown away."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
)

VERSION = 1  # of this schema

metadata = MetaData()

schema = Table("overbar_schema", metadata, Column("version", Integer, nullable=False))

campaigns = Table(
    "overbar_campaigns",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("terms", Text, nullable=False),  # JSON: policy, threshold, scale, seed, lifetime
    # counters: what the log adds up to
    Column("seq", BigInteger, nullable=False),  # of the last event
    Column("arms", Integer, nullable=False),
    Column("budget", BigInteger, nullable=False),
    Column("asked", BigInteger, nullable=False),
    Column("told", BigInteger, nullable=False),
    Column("failed", BigInteger, nullable=False),
    Column("expired", BigInteger, nullable=False),
    Column("late", BigInteger, nullable=False),
    Column("history", BigInteger, nullable=False),
    Column("stopped", Boolean, nullable=False),
    Column("snapshot", BigInteger, nullable=False),  # the seq that the last snapshot was taken at
    sqlite_autoincrement=True,  # an id never comes again
)

arms = Table(
    "overbar_arms",
    metadata,
    Column("campaign", Integer, primary_key=True, autoincrement=False),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("name", Text, nullable=False),
    Column("threshold", Float(53), nullable=False),
    sqlite_with_rowid=False,
)

log = Table(
    "overbar_log",
    metadata,
    Column("campaign", Integer, primary_key=True, autoincrement=False),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("kind", Text, nullable=False),
    Column("at", Float(53), nullable=False),
    Column("ticket", BigInteger),
    Column("arm", Integer),
    Column("reward", Float(53)),
    Column("expires", Float(53)),
    Column("request", Text),
    Column("worker", Text),
    Column("reason", Text),
    Column("budget", BigInteger),
    Column("arms", Integer),
    sqlite_with_rowid=False,
)

# No ticket has two results, two failures or two ends: the database itself sees to it.
_with_ticket, _with_request = log.c.ticket.is_not(None), log.c.request.is_not(None)
Index(
    "overbar_log_ticket",
    *(log.c.campaign, log.c.ticket, log.c.kind),
    unique=True,
    sqlite_where=_with_ticket,
    postgresql_where=_with_ticket,
)
Index(
    "overbar_log_request",
    *(log.c.campaign, log.c.request),
    sqlite_where=_with_request,
    postgresql_where=_with_request,
)

snapshots = Table(
    "overbar_snapshots",
    metadata,
    Column("campaign", Integer, primary_key=True, autoincrement=False),
    Column("seq", BigInteger, nullable=False),
    Column("content", LargeBinary, nullable=False),
)
