"""A database of campaigns: SQLite in a file, or PostgreSQL by its URL."""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    Float,
    bindparam,
    cast,
    create_engine,
    event,
    func,
    insert,
    inspect,
    select,
)
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError
from tenacity import Retrying, retry_if_exception_type, stop_after_delay, wait_random

from overbar.campaigns.tables import VERSION, metadata, schema
from overbar.errors import InvalidInput, StorageError, UnknownCampaign, a_number

PATIENCE = 30  # seconds that a transaction waits for others
NAP = 0.002  # seconds between two looks whether it is its turn
WAL_IS_SOUND = (3, 51, 3)  # before it, SQLite's write-ahead log may corrupt a database (WAL reset)
CREATING = 0x0BA2  # the number of our advisory lock on PostgreSQL
FORBIDDEN = ("readonly database", "unable to open database file")  # what SQLite says


class Database:
    """Opens transactions, and tells what is wrong when it cannot."""

    def __init__(self, given: str | Path, create: bool = False) -> None:
        self.url = _url(given)
        self.shown = _shown(self.url)
        if _is_file(self.url):
            _check_file(Path(str(self.url.database)), create)
        #: the time in seconds since 1970, by a clock that all who share the database share
        self.clock: ColumnElement[float] = (
            bindparam("now", callable_=seconds, type_=Float(53))
            if _is_file(self.url)
            else cast(func.extract("epoch", func.clock_timestamp()), Float(53))
        )
        self._engine = _engine(self.url)
        try:
            self._see_to_schema(create)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the connections."""
        self._engine.dispose()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that reads, and sees the database as it was at one moment."""
        with self._explained(), self._engine.connect() as connection:
            if not _is_file(self.url):
                connection.execution_options(isolation_level="REPEATABLE READ")
            with connection.begin():
                yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that may write: on SQLite the only one, from its beginning."""
        with (
            self._explained(),
            self._engine.connect() as connection,
            connection.execution_options(overbar_writes=True).begin(),
        ):
            yield connection

    def be_alone(self, connection: Connection) -> None:
        """Let no other transaction create anything until this one ends."""
        if not _is_file(self.url):  # on SQLite, who writes is alone
            connection.execute(select(func.pg_advisory_xact_lock(CREATING)))

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (DBAPIError, sqlite3.Error) as error:
            said = _first_line(error.orig if isinstance(error, DBAPIError) else error)
            if "not a database" in said:
                raise InvalidInput(
                    "the database", self.shown, "an SQLite database, or a new file"
                ) from None
            if any(words in said for words in FORBIDDEN):
                raise StorageError(
                    f"The database {self.shown!r} cannot be used: {said}. "
                    "You must be allowed to read and write the file, and to write in its folder."
                ) from error
            raise StorageError(
                f"The database {self.shown!r} cannot be used now: {said}. "
                "Try again: it is safe to tell a result, or to make a request, a second time."
            ) from error
        except SQLAlchemyError as error:
            raise StorageError(f"The database {self.shown!r} cannot be used: {error}") from error

    def _see_to_schema(self, create: bool) -> None:
        with self.writing() if create else self.reading() as connection:
            if create:
                self.be_alone(connection)
            version = 0
            if inspect(connection).has_table(schema.name):
                version = connection.scalar(select(schema.c.version)) or 0
            if not version and create:
                metadata.create_all(connection)
                connection.execute(insert(schema).values(version=VERSION))
            elif not version:
                raise UnknownCampaign(
                    "the database", self.shown, "one with campaigns", "Create one first."
                )
            elif version != VERSION:
                raise InvalidInput(
                    f"the schema of the database {self.shown!r}",
                    version,
                    f"{VERSION} for this version of Overbar",
                    "A newer version of Overbar made it: update Overbar.",
                )


def seconds() -> float:
    """Return the time in seconds since 1970."""
    return time.time()


def journal_mode(version: tuple[int, ...]) -> str:
    """Return how SQLite of that version keeps what it needs to undo a transaction."""
    return "WAL" if version >= WAL_IS_SOUND else "TRUNCATE"


def _url(given: str | Path) -> URL:
    if not str(given):
        raise InvalidInput("the database", given, "the path of a file, or a URL")
    if str(given) == ":memory:":
        raise InvalidInput("the database", given, "the path of a file", "It has to outlive you.")
    if "://" not in str(given):
        return URL.create("sqlite", database=str(given))
    try:
        url = make_url(str(given))
    except ArgumentError:
        raise InvalidInput("the database", given, "the path of a file, or a URL") from None
    if url.get_backend_name() == "postgresql":
        return url.set(drivername="postgresql+psycopg")
    if url.get_backend_name() != "sqlite" or url.database in (None, "", ":memory:"):
        raise InvalidInput(
            "the database",
            url.render_as_string(),
            "the path of a file, or the URL of a PostgreSQL database",
            "For example postgresql://user@host/database.",
        )
    _patience(url)
    return url


def _shown(url: URL) -> str:
    """Return the URL as its user knows it, without the password."""
    if _is_file(url):
        return str(url.database)
    return url.set(drivername="postgresql").render_as_string()


def _is_file(url: URL) -> bool:
    return url.get_backend_name() == "sqlite"


def _check_file(path: Path, create: bool) -> None:
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise InvalidInput("the database", str(path), "a file, or a new one in a folder")
    if not path.exists() and not create:
        raise UnknownCampaign("the database", str(path), "a file with campaigns")


def _engine(url: URL) -> Engine:
    if _is_file(url):
        engine = create_engine(url.update_query_dict({"timeout": str(_patience(url))}))
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", partial(_begin_sqlite, _patience(url)))
        return engine
    options = f"-c lock_timeout={PATIENCE}s -c idle_in_transaction_session_timeout={2 * PATIENCE}s"
    try:
        return create_engine(
            url, pool_pre_ping=True, connect_args={"connect_timeout": 10, "options": options}
        )
    except ModuleNotFoundError:
        raise InvalidInput(
            "the database",
            _shown(url),
            "the path of a file where psycopg is not installed",
            "Install it: pip install 'overbar[postgres]'.",
        ) from None


def _prepare_sqlite(connection: Any, _: object) -> None:
    connection.isolation_level = None  # transactions begin where we say
    wanted = journal_mode(sqlite3.sqlite_version_info)
    [mode] = connection.execute(f"PRAGMA journal_mode = {wanted}").fetchone()
    if mode.upper() != wanted:
        raise sqlite3.OperationalError(
            f"its journal mode is {mode}, which SQLite {sqlite3.sqlite_version} must not use, "
            "and another process keeps it so"
        )
    connection.execute("PRAGMA synchronous = FULL")


def _begin_sqlite(patience: float, connection: Connection) -> None:
    if not connection.get_execution_options().get("overbar_writes"):
        connection.exec_driver_sql("BEGIN")
        return
    # SQLite waits for a lock in naps of up to 0.1 s. Many writers get on faster with short ones.
    again = Retrying(
        retry=retry_if_exception_type(sqlite3.OperationalError),
        stop=stop_after_delay(patience),
        wait=wait_random(NAP / 2, NAP),
        reraise=True,
    )
    cursor: Any = connection.connection.cursor()
    cursor.execute("PRAGMA busy_timeout = 0")
    try:
        again(cursor.execute, "BEGIN IMMEDIATE")
    finally:
        cursor.execute(f"PRAGMA busy_timeout = {round(1000 * patience)}")
        cursor.close()


def _patience(url: URL) -> float:
    given = url.query.get("timeout", PATIENCE)
    try:
        return a_number("", float(str(given)), least=0, most=86400)
    except ValueError:
        raise InvalidInput(
            "the timeout of the database", given, "a number of seconds, at most a day"
        ) from None


def _first_line(error: BaseException | None) -> str:
    said = " ".join(str(error).split("\n")[0].split())
    return "it is locked by another process" if said == "database is locked" else said
