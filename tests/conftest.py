"""Databases for the tests of campaigns: each test that asks for one runs over every kind."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.postgres import Server


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    server = Server()
    yield server
    server.delete()


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The path or the URL of a new database."""
    if request.param == "sqlite":
        return str(tmp_path / "overbar.db")
    server: Server = request.getfixturevalue("server")
    return server.database()
