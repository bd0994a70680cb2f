"""Campaigns under many processes, sudden deaths, full disks, locks, and servers that go away."""

import json
import multiprocessing
import random
import resource
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path

import pytest

import overbar as ob
from tests.accounts import check_accounts, rewards_in_log
from tests.hammer import hammer, reward_of
from tests.postgres import Server

ARMS = [f"arm {i}" for i in range(40)]
OVERBAR = str(Path(sys.executable).parent / "overbar")


@pytest.fixture(scope="module")
def processes() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.hammer", "overbar.campaigns.rows", "psycopg"])
    return context


def started(
    processes: ForkServerContext, *arguments: object, count: int = 1
) -> list[ForkServerProcess]:
    workers = [
        processes.Process(target=hammer, args=(arguments[0], i, *arguments[1:]))
        for i in range(count)
    ]
    for worker in workers:
        worker.start()
    return workers


def test_eight_processes_hammer_one_campaign(database: str, processes: ForkServerContext) -> None:
    """The budget is spent to the last try; each ticket is given once, each result counted once."""
    budget = 10_000
    ob.Campaign.create("c", ARMS, 0.5, budget, policy=ob.APT(), database=database).close()
    # On a machine that does much else, a process may wait longer than by default.
    patient = database if "://" in database else f"sqlite:///{database}?timeout=100"
    workers = started(processes, patient, count=8)
    for worker in workers:
        worker.join(120)
        assert worker.exitcode == 0
    kinds = check_accounts(database, "c")
    assert kinds["tell"] == budget
    assert kinds["ask"] == budget + kinds["fail"]
    assert kinds["fail"] > 0
    assert all(ticket % 50 for ticket, _ in rewards_in_log(database, "c"))  # those failed
    assert kinds["late"] == kinds["history"] == 0
    assert all(reward == reward_of(ticket) for ticket, reward in rewards_in_log(database, "c"))
    with ob.Campaign.open("c", database) as campaign:
        assert campaign.status().finished
        assert sum(finding.tries for finding in campaign.findings()) == budget
        # Decisions are a function of the log, whoever made them, and whatever he had folded.
        assert all(decision.agrees for decision in campaign.replay())


def test_arms_are_added_while_others_look(database: str) -> None:
    ob.Campaign.create("c", ARMS, 0.5, 10**4, policy=ob.APT(), database=database).close()

    def add() -> None:
        with ob.Campaign.open("c", database) as campaign:
            while not enough.is_set():
                campaign.extend(arms=[f"new {campaign.status().arms}"])
                for ticket in campaign.ask(90):
                    if ticket.id % 9 == 0:
                        campaign.tell(ticket, 1.0)

    enough = threading.Event()
    adding = threading.Thread(target=add)
    adding.start()
    try:
        for _ in range(15):
            with ob.Campaign.open("c", database) as campaign:
                before = campaign.status().arms
                assert before <= len(campaign.findings()) <= campaign.status().arms
    finally:
        enough.set()
        adding.join()
    assert check_accounts(database, "c")["extend"] > 3


def test_workers_are_killed_at_random_moments(
    database: str, processes: ForkServerContext, tmp_path: Path
) -> None:
    """Seventy times in all. What was told stays told; what was out comes back."""
    kills = 35
    chance = random.Random(6)
    told = tmp_path / "told"
    with ob.Campaign.create(
        "c", ARMS, 0.5, 10**6, policy=ob.APT(), database=database, lifetime=0.5
    ) as campaign:
        steady = started(processes, database, told)
        campaign.ask(3)  # that nobody tells: of slow workers, none may die with a ticket
        for _ in range(kills):
            [worker] = started(processes, database, told)
            time.sleep(chance.random() * 0.15)
            worker.kill()
            worker.join()
        for worker in steady:
            worker.kill()
            worker.join()
        time.sleep(0.6)  # until the tickets of the dead expire
        status = campaign.status()
        assert status.waiting == 0
        assert status.remaining == 10**6 - status.told
        assert campaign.ask(7)
    kinds = check_accounts(database, "c")
    assert kinds["tell"] > 100
    assert kinds["expire"] > 0
    in_log = rewards_in_log(database, "c")
    confirmed = {int(line) for line in told.read_text().split()}
    assert len(in_log) == len(dict(in_log))
    assert confirmed <= dict(in_log).keys()
    assert all(reward == reward_of(ticket) for ticket, reward in in_log)


def test_the_run_command_is_killed_at_random_moments(tmp_path: Path) -> None:
    """Thirty times; then to the end. No try is lost, and none waits for its ticket to expire."""
    chance = random.Random(7)
    (tmp_path / "arms.txt").write_text("\n".join(ARMS))
    command = [
        *(OVERBAR, "run", "--arms", "arms.txt", "--threshold", "0.5", "--budget", "1500"),
        *("--jobs", "3", "--name", "c", "--", "sh", "-c", "exit $((OVERBAR_TICKET % 3))"),
    ]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    database = str(tmp_path / "overbar.db")
    began = time.monotonic()
    short = [{"1500": "40", "c": "short"}.get(word, word) for word in command]
    subprocess.run(short, cwd=tmp_path, check=False, **quiet)  # type: ignore[call-overload]
    usual = time.monotonic() - began
    for _ in range(30):
        process = subprocess.Popen(command, cwd=tmp_path, **quiet)  # type: ignore[call-overload]
        time.sleep(usual * (0.4 + 0.7 * chance.random()))
        process.send_signal(signal.SIGKILL)
        process.wait()
    done = subprocess.run(
        [*command[:-4], "--json", *command[-4:]], cwd=tmp_path, capture_output=True, text=True,
        timeout=100, check=False,
    )  # fmt: skip
    assert done.returncode in (3, 4), done.stderr
    books = json.loads(done.stdout)["campaign"]
    assert books["finished"]
    assert books["told"] == 1500 or books["stopped"]
    kinds = check_accounts(database, "c")
    assert kinds["fail"] > 0  # the tries of the dead, given back at once
    assert kinds["expire"] == 0
    for ticket, reward in rewards_in_log(database, "c"):
        assert reward == (ticket % 3 == 0)


def until_it_fails(campaign: ob.Campaign, told: list[int]) -> None:
    while True:
        for ticket in campaign.ask(10):
            campaign.tell(ticket, 1)
            told.append(ticket.id)


def test_a_full_disk_loses_nothing(tmp_path: Path) -> None:
    """A file-size limit stands in for the disk: the writes fail as on a full one, in the middle."""
    database = str(tmp_path / "overbar.db")
    told: list[int] = []
    with ob.Campaign.create("c", ARMS, 0.5, 10**6, policy=ob.APT(), database=database) as campaign:
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, before[1]))
        try:
            with pytest.raises(ob.StorageError, match=r"(full|disk I/O error).*Try again"):
                until_it_fails(campaign, told)
            for _ in range(3):
                with pytest.raises(ob.StorageError):
                    campaign.ask(1000)
            assert campaign.status().told == len(told)  # reading works
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
            signal.signal(signal.SIGXFSZ, handler)
        assert check_accounts(database, "c")["tell"] == len(told) > 100
        waiting = campaign.status().waiting
        assert len(campaign.ask(10)) == 10
        assert campaign.status().waiting == waiting + 10
        assert all(decision.agrees for decision in campaign.replay())
    check_accounts(database, "c")


def test_a_full_file_system_loses_nothing(tmp_path: Path) -> None:
    """A real one of 512 KiB, where the system lets us mount it."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=512k", "overbar-test", str(disk)]
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("mounting is not permitted here; the limit of the file's size is tested above")
    try:
        database = str(disk / "overbar.db")
        told: list[int] = []
        with ob.Campaign.create(
            "c", ARMS, 0.5, 10**6, policy=ob.APT(), database=database
        ) as campaign:
            with pytest.raises(ob.StorageError, match=r"full.*Try again"):
                until_it_fails(campaign, told)
            assert campaign.status().told == len(told) > 100
            larger = ["mount", "-o", "remount,size=4m", str(disk)]
            subprocess.run(larger, check=True)
            assert len(campaign.ask(10)) == 10
            assert all(decision.agrees for decision in campaign.replay())
        check_accounts(database, "c")
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_a_database_that_is_locked_for_seconds_is_waited_for(tmp_path: Path) -> None:
    database = str(tmp_path / "overbar.db")
    with ob.Campaign.create("c", ARMS, 0.5, 200, database=database) as campaign:
        other = sqlite3.connect(database, isolation_level=None, check_same_thread=False)
        other.execute("BEGIN IMMEDIATE")
        release = threading.Timer(2.5, other.rollback)
        release.start()
        began = time.monotonic()
        campaign.run(lambda _: 1.0, workers=4)
        assert time.monotonic() - began > 2
        release.join()
        with ob.Campaign.open("c", f"sqlite:///{database}?timeout=0.1") as hurried:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(ob.StorageError, match="locked by another process"):
                hurried.extend(300)
            other.rollback()
            hurried.extend(300)
        other.close()
        assert campaign.status().budget == 300
    check_accounts(database, "c")


@pytest.mark.parametrize("mode", ["fast", "immediate"])
def test_the_server_goes_away_and_comes_back(server: Server, mode: str) -> None:
    """A run that is under way goes on by itself; one call alone says what is wrong."""
    database = server.database()
    with ob.Campaign.create("c", ARMS, 0.5, 3000, policy=ob.APT(), database=database) as campaign:
        tried = 0

        def once(ticket: ob.Ticket) -> float:
            nonlocal tried
            tried += 1
            time.sleep(0.002)
            return reward_of(ticket.id)

        worker = threading.Thread(target=campaign.run, args=(once, 4))
        worker.start()
        while tried < 300:
            time.sleep(0.01)
        server.stop(mode)
        with (
            pytest.raises(ob.StorageError, match="cannot be used now"),
            ob.Campaign.open("c", database),
        ):
            pass
        time.sleep(1)
        server.start()
        worker.join(60)
        assert not worker.is_alive()
        status = campaign.status()
        assert status.finished
        assert status.told == 3000
        assert status.expired == status.failed == 0
    check_accounts(database, "c")
    assert all(reward == reward_of(ticket) for ticket, reward in rewards_in_log(database, "c"))
