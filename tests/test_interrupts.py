"""Ctrl-C, and what else ends a run: every try that was under way is back in the budget."""

import asyncio
import os
import pty
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

import overbar as ob
from tests.accounts import check_accounts
from tests.test_run import OVERBAR, overbar, running, script


@pytest.fixture
def file(tmp_path: Path) -> str:
    return str(tmp_path / "overbar.db")


async def cancelled(_: ob.Ticket) -> float:
    raise asyncio.CancelledError


def by_exit(campaign: ob.Campaign) -> None:
    campaign.run(lambda _: sys.exit(3), 2)


def by_cancelling(campaign: ob.Campaign) -> None:
    asyncio.run(campaign.run_async(cancelled, 2))


def by_a_plain_function(campaign: ob.Campaign) -> None:
    asyncio.run(campaign.run_async(lambda _: 1.0, 3))  # type: ignore[arg-type, return-value]


@pytest.mark.parametrize(
    ("end", "error"),
    [
        (by_exit, SystemExit),
        (by_cancelling, asyncio.CancelledError),
        (by_a_plain_function, ob.InvalidInput),
    ],
)
def test_whatever_ends_a_run_its_tries_go_back(
    file: str, end: Callable[[ob.Campaign], None], error: type[BaseException]
) -> None:
    with ob.Campaign.create("c", ["a", "b"], 0.5, 20, database=file) as campaign:
        with pytest.raises(error):
            end(campaign)
        assert campaign.status().waiting == 0
        campaign.run(lambda _: 1.0, 2)
        assert campaign.status().told == 20
    check_accounts(file, "c")


def test_a_crew_that_could_not_leave_is_noticed_by_its_own_process(
    file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object) -> None:
        raise ob.StorageError("The database is away.")

    with ob.Campaign.create("c", ["a", "b"], 0.5, 20, database=file) as campaign:
        monkeypatch.setattr(ob.Campaign, "leave", away)
        with pytest.raises(InterruptedError) as raised:
            asyncio.run(campaign.run_async(interrupts, 2))
        assert "not back in the budget: The database is away" in raised.value.__notes__[0]
        assert campaign.status().waiting > 0
        campaign.run(lambda _: 1.0, 2)
        assert campaign.status().told == 20


def interrupts(_: ob.Ticket) -> Awaitable[float]:
    raise InterruptedError


def test_ctrl_c_at_any_moment_loses_no_ticket(file: str) -> None:
    program = textwrap.dedent("""
        import sys, time
        import overbar as ob
        campaign = ob.Campaign.open(sys.argv[1], sys.argv[2])
        print("ready", flush=True)
        try:
            campaign.run(lambda _: time.sleep(0.001) or 1.0, 4)
        except KeyboardInterrupt:
            print(campaign.status().waiting)
    """)
    for i in range(10):
        ob.Campaign.create(f"{i}", ["a", "b"], 0.5, 10**6, database=file).close()
        process = subprocess.Popen(
            [sys.executable, "-c", program, str(i), file], stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.1 + 0.013 * i)
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=30)[0] == "0\n"


RUN = ["run", "--arm", "a", "--arm", "b", "--threshold", "0.5", "--budget", "9", "--name", "c"]


def wait_for(path: Path, words: int, process: subprocess.Popen[bytes]) -> list[int]:
    while not path.exists() or len(path.read_text().split()) < words:
        assert process.poll() is None
        time.sleep(0.02)
    return list(map(int, path.read_text().split()))


def test_a_second_ctrl_c_leaves_nothing_behind(tmp_path: Path) -> None:
    script(tmp_path, "ign", "#!/bin/sh\ntrap '' TERM INT\necho $$ >> pids\nsleep 30\nsleep 30\n")
    process = subprocess.Popen([OVERBAR, *RUN, "--", "./ign"], cwd=tmp_path, stderr=subprocess.PIPE)
    [pid] = wait_for(tmp_path / "pids", 1, process)
    for pause in (0.5, 0.3, 0):
        process.send_signal(signal.SIGINT)
        time.sleep(pause)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert b"went back to the budget" in said
    assert not running(pid)
    assert "under way" not in overbar("campaign", "status", "c", cwd=tmp_path).stderr
    assert check_accounts(str(tmp_path / "overbar.db"), "c")["fail"] == 1


def test_a_terminal_that_closes_ends_the_run(tmp_path: Path) -> None:
    script(tmp_path, "slow", "#!/bin/sh\necho $$ >> pids\nsleep 30\n")
    terminal, end = pty.openpty()
    process = subprocess.Popen(
        [OVERBAR, *RUN, "--", "./slow"], cwd=tmp_path, stdin=end, stdout=end, stderr=end
    )
    os.close(end)
    [pid] = wait_for(tmp_path / "pids", 1, process)
    os.close(terminal)
    process.send_signal(signal.SIGHUP)
    process.wait(30)
    assert not running(pid)
    assert check_accounts(str(tmp_path / "overbar.db"), "c")["fail"] == 1


def test_a_campaign_that_was_deleted_does_not_go_on(tmp_path: Path) -> None:
    script(tmp_path, "try", '#!/bin/sh\n"$0".delete\n')
    script(tmp_path, "try.delete", f"#!/bin/sh\n{OVERBAR} campaign delete c --yes\n")
    said = overbar(*RUN, "--", "./try", cwd=tmp_path, code=1).stderr
    assert "must be one that was not deleted" in said
    assert "goes on" not in said
