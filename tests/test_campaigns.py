"""Durable campaigns, seen from one process, on every kind of database."""

import asyncio
import random
import sqlite3
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import text

import overbar as ob
from overbar.campaigns import database as databases
from overbar.campaigns import snapshot
from overbar.campaigns.database import journal_mode
from overbar.campaigns.rows import Rows
from overbar.policies.ranking import compared, spare_bits
from tests.accounts import check_accounts, engine_of

SEVEN = list("abcdefg")


class Clock:
    """A clock that the tests set."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1e9
        monkeypatch.setattr(databases, "seconds", lambda: self.now)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


@pytest.fixture
def file(tmp_path: Path) -> str:
    return str(tmp_path / "overbar.db")


def pay(arm: str, chance: random.Random) -> float:
    return float(chance.random() < 0.1 + 0.1 * SEVEN.index(arm))


def test_ask_and_tell(database: str) -> None:
    chance = random.Random(1)
    with ob.Campaign.create("tests", ["a", "b", "g"], 0.5, 200, database=database) as campaign:
        while tickets := campaign.ask(5):
            for ticket in tickets:
                assert datetime.now(UTC) < ticket.expires < datetime.now(UTC) + timedelta(hours=2)
                campaign.tell(ticket, pay(ticket.arm, chance))
        status = campaign.status()
        assert (status.told, status.waiting, status.remaining) == (200, 0, 0)
        assert status.finished
        first, second, last = campaign.findings()
        assert (first.verdict, second.verdict, last.verdict) == ("under", "under", "over")
        assert second.high < 0.5 < last.low
        assert last.mean is not None
        assert last.low < last.mean < last.high
    check_accounts(database, "tests")


@pytest.mark.parametrize("always", [False, True], ids=["from the log", "from snapshots"])
def test_decisions_are_those_of_a_sampler(
    database: str, always: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the same results in the same order, undisturbed; and after each reopening too."""
    monkeypatch.setattr(snapshot, "due", lambda *_: always)
    for policy in (ob.AugUCB(), ob.APT(), ob.CSAR(), ob.UniformAllocation(), ob.UntilSure(0.5)):
        chance = random.Random(2)
        sampler = ob.Sampler(policy, SEVEN, 0.5, 150, scale=(0, 1), seed=3)
        campaign = ob.Campaign.create(
            policy.name, SEVEN, 0.5, 150, policy=policy, database=database, seed=3
        )
        for turn in range(200):
            asks = sampler.ask(2)
            tickets = campaign.ask(2)
            assert [ticket.arm for ticket in tickets] == [ask.arm for ask in asks]
            if not asks:
                break
            pairs = list(zip(asks, tickets, strict=True))
            chance.shuffle(pairs)
            for ask, ticket in pairs:
                if chance.random() < 0.1:
                    sampler.give_up(ask)
                    campaign.fail(ticket, "no answer")
                else:
                    reward = pay(ask.arm, chance)
                    sampler.tell(ask, reward)
                    campaign.tell(ticket, reward)
            if turn % 11 == 2:
                campaign.close()
                campaign = ob.Campaign.open(policy.name, database)
        assert [decision.agrees for decision in campaign.replay()].count(False) == 0
        campaign.close()
        check_accounts(database, policy.name)


def test_telling_twice_changes_nothing_and_another_reward_is_a_conflict(database: str) -> None:
    with ob.Campaign.create("c", ["a", "b"], 0.5, 10, database=database) as campaign:
        [ticket] = campaign.ask()
        campaign.tell(ticket, 1)
        campaign.tell(ticket, 1)
        campaign.tell(ticket.id, True)
        with pytest.raises(ob.Conflict, match=r"reward of ticket 2 is 0, but must be 1\.0"):
            campaign.tell(ticket, 0)
        with pytest.raises(ob.AskClosed, match="told before"):
            campaign.fail(ticket)
        with pytest.raises(ob.UnknownTicket, match="99"):
            campaign.tell(99, 1)
        status = campaign.status()
        assert (status.told, status.waiting, status.remaining) == (1, 0, 9)
        assert [finding.tries for finding in campaign.findings()] == [1, 0]
    check_accounts(database, "c")


def test_a_repeated_request_gets_the_same_tickets(database: str) -> None:
    with ob.Campaign.create("c", ["a", "b"], 0.5, 10, database=database) as campaign:
        tickets = campaign.ask(3, request="worker 1, turn 1")
        assert campaign.ask(3, request="worker 1, turn 1") == tickets
        campaign.tell(tickets[0], 1)
        with ob.Campaign.open("c", database) as other:
            assert other.ask(5, request="worker 1, turn 1") == tickets
            assert other.ask(2, request="worker 2, turn 1") != tickets[:2]
        campaign.tell("a", 1, request="import 1")
        campaign.tell("a", 1, request="import 1")
        with pytest.raises(ob.Conflict, match="something else"):
            campaign.tell("a", 0, request="import 1")
        assert campaign.status().history == 1
        assert campaign.status().waiting == 4
    check_accounts(database, "c")


def test_expired_tickets_return_and_late_results_are_kept(file: str, clock: Clock) -> None:
    with ob.Campaign.create("c", ["a", "b"], 0.5, 2, database=file, lifetime=60) as campaign:
        first, second = campaign.ask(2)
        assert first.expires == datetime.fromtimestamp(clock.now + 60, UTC)
        assert campaign.ask() == []
        clock.now += 61
        assert campaign.status().remaining == 2  # without anybody doing anything
        assert campaign.status().expired == 2
        campaign.tell(second, 1)  # late, but nobody was given its try
        assert campaign.status().told == 1
        [third] = campaign.ask(2)
        assert third.arm == "a"
        campaign.tell(first, 0)  # later still: the third has its try
        campaign.tell(first, 0)
        with pytest.raises(ob.Conflict):
            campaign.tell(first, 1)
        with pytest.raises(ob.AskClosed):
            campaign.fail(first)
        status = campaign.status()
        assert (status.told, status.waiting, status.expired, status.late) == (1, 1, 1, 1)
        campaign.tell(third, 1)
        assert [finding.mean for finding in campaign.findings()] == [0.5, 1.0]
        assert campaign.status().finished
    check_accounts(file, "c")


def test_a_failed_try_returns_to_the_budget(database: str) -> None:
    with ob.Campaign.create("c", ["a", "b"], 0.5, 2, database=database) as campaign:
        first, second = campaign.ask(2)
        campaign.fail(first, "the network was down")
        campaign.fail(first, "again")
        assert campaign.status().failed == 1
        [again] = campaign.ask(2)
        assert again.arm == first.arm
        campaign.tell(first, 1)  # so there was an answer: kept, and counted apart
        campaign.tell(second, 1)
        campaign.tell(again, 0)
        assert campaign.status().late == 1
        reasons = [event.reason for event in campaign.export() if event.kind == "fail"]
        assert reasons == ["the network was down"]
    check_accounts(database, "c")


def test_history_is_counted_apart(database: str) -> None:
    campaign = ob.Campaign.create(
        "c", ["a", "b"], 0.5, 4, database=database, history={"a": [1, 0, 1]}
    )
    with campaign:
        assert [ticket.arm for ticket in campaign.ask()] == ["b"]
        assert campaign.status().history == 3
        assert campaign.status().remaining == 3
        assert campaign.findings()[0].tries == 3
    check_accounts(database, "c")


def test_the_budget_is_raised_and_arms_are_added(database: str) -> None:
    chance = random.Random(3)
    with ob.Campaign.create("c", SEVEN, 0.5, 50, database=database) as campaign:
        while tickets := campaign.ask(9):
            for ticket in tickets:
                campaign.tell(ticket, pay(ticket.arm, chance))
        assert campaign.status().finished
        with ob.Campaign.open("c", database) as other:
            other.extend(budget=70, arms=["new", "newer"], thresholds={"newer": 0.9})
        assert not campaign.status().finished
        assert [ticket.arm for ticket in campaign.ask(2)] == ["new", "newer"]
        assert campaign.arms() == {**dict.fromkeys(SEVEN, 0.5), "new": 0.5, "newer": 0.9}
        assert campaign.status().budget == 70
        assert all(decision.agrees for decision in campaign.replay())
        for call, message in [
            (lambda: campaign.extend(budget=60), "budget is 60, but must be at least 70"),
            (lambda: campaign.extend(arms=["a"]), "new arm is 'a'"),
            (lambda: campaign.extend(arms=["x", "x"]), "'x'.*came twice"),
        ]:
            with pytest.raises(ob.InvalidInput, match=message):
                call()  # type: ignore[no-untyped-call]
    check_accounts(database, "c")


def test_replay_tells_why(file: str) -> None:
    apt = ob.APT()
    with ob.Campaign.create("c", ["a", "b", "c"], 0.5, 9, policy=apt, database=file) as campaign:
        for ticket in campaign.ask(3):
            campaign.tell(ticket, {"a": 1.0, "b": 0.6, "c": 0.0}[ticket.arm])
        [fourth] = campaign.ask()
        *_, decision = campaign.replay()
        assert (decision.ticket, decision.arm, decision.runner_up) == (fourth.id, "b", "a")
        assert decision.by == "index"
        index = [apt.index(1, mean, 0, 0.5, 0.05) for mean in (0.6, 1.0)]
        told = [compared(each, spare_bits(3)) for each in index]
        assert [decision.index, decision.runner_up_index] == told
        assert [each.by for each in campaign.replay()] == ["first try"] * 3 + ["index"]


def test_opening_from_a_snapshot_is_opening_from_the_log(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And neither a torn snapshot nor one of another version does harm."""
    chance = random.Random(4)
    arms = [str(i) for i in range(30)]
    policy = ob.UniformAllocation()
    with ob.Campaign.create("c", arms, 0.5, 9000, database=database, policy=policy) as campaign:
        told: dict[int, float] = {}
        while campaign.status().told < 2800:
            tickets = campaign.turn(told, ask=70)
            told = {ticket.id: chance.random() for ticket in tickets[3:]}
        expected = campaign.findings(), [ticket.arm for ticket in campaign.ask(40)]
        waiting = campaign.status().waiting
        assert waiting > 100
    with monkeypatch.context() as without_log:
        without_log.setattr(Rows, "_from_log", lambda *_: pytest.fail("the log was added up"))
        with ob.Campaign.open("c", database) as again:
            assert again.findings() == expected[0]
    engine = engine_of(database)
    content = None
    for torn in (None, b"torn", b""):
        with engine.begin() as connection:
            content = content or connection.scalar(text("SELECT content FROM overbar_snapshots"))
            assert content
            if torn is not None:
                connection.execute(text("UPDATE overbar_snapshots SET content = :x"), {"x": torn})
        with ob.Campaign.open("c", database) as again:
            assert again.findings() == expected[0]
            assert [decision.arm for decision in again.replay()][-40:] == expected[1]
            assert again.status().waiting == waiting
            following = [ticket.arm for ticket in again.ask(20)]
            for decision in list(again.replay())[-20:]:
                assert decision.agrees
        assert len(following) == 20
        waiting += 20
        expected = expected[0], expected[1][20:] + following
    engine.dispose()
    check_accounts(database, "c")


def test_run_tries_in_threads_and_in_coroutines(database: str) -> None:
    def of_thread(ticket: ob.Ticket) -> float:
        return float(ticket.arm > "c")

    async def of_coroutine(ticket: ob.Ticket) -> float:
        await asyncio.sleep(0)
        return float(ticket.arm > "c")

    with ob.Campaign.create("c", SEVEN, 0.5, 200, database=database) as campaign:
        campaign.run(of_thread, workers=8)
        assert campaign.status().finished
        campaign.extend(budget=500)
        asyncio.run(campaign.run_async(of_coroutine, workers=8))
        status = campaign.status()
        assert status.finished
        assert status.told == status.budget or status.stopped
        assert [finding.mean for finding in campaign.findings()] == [0, 0, 0, 1, 1, 1, 1]
    check_accounts(database, "c")


def test_a_function_that_raises_ends_the_run_and_loses_nothing(file: str) -> None:
    def flawed(ticket: ob.Ticket) -> float:
        if ticket.arm == "d":
            raise ZeroDivisionError("of mine")
        time.sleep(0.01)
        return 1.0

    async def flawed_too(ticket: ob.Ticket) -> float:
        return flawed(ticket)

    with ob.Campaign.create("c", SEVEN, 0.5, 200, database=file) as campaign:
        with pytest.raises(ZeroDivisionError, match="of mine"):
            campaign.run(flawed, workers=3)
        with pytest.raises(ZeroDivisionError, match="of mine"):
            asyncio.run(campaign.run_async(flawed_too, workers=3))
        assert campaign.status().waiting == 0
        assert campaign.status().failed >= 2
    check_accounts(file, "c")


def test_a_reward_outside_the_scale_ends_the_run(file: str) -> None:
    with ob.Campaign.create("c", SEVEN, 5, 200, database=file, scale=(0, 10)) as campaign:
        with pytest.raises(ob.InvalidInput, match="reward is 11.*at most 10"):
            campaign.run(lambda _: 11, workers=2)
        assert campaign.status().waiting == 0
        assert campaign.status().remaining == 200


def test_a_bar_in_the_interval_leaves_it_open(file: str) -> None:
    history = {"over": [1] * 200, "near": [1] * 100, "under": [0] * 4}
    campaign = ob.Campaign.create("c", [*history, "new"], 0.95, 9, database=file, history=history)
    with campaign:
        sides = [finding.verdict for finding in campaign.findings()]
        assert sides == ["over", "undecided", "under", "undecided"]
        over, near, under, new = campaign.findings()
        assert near.low < 0.95 < over.low < over.high == near.high == 1
        assert under.low == 0 < under.high < 0.95
        assert (new.tries, new.mean, new.low, new.high) == (0, None, 0, 1)


def test_campaigns_share_a_database(database: str) -> None:
    for name in ("one", 'it\'s "two"\n; DROP TABLE overbar_log'):
        ob.Campaign.create(name, ["a", "b"], 0.5, 10, database=database).close()
    assert {status.name for status in ob.Campaign.all(database)} == {
        "one",
        'it\'s "two"\n; DROP TABLE overbar_log',
    }
    with pytest.raises(ob.Conflict, match="'one', but must be a new one"):
        ob.Campaign.create("one", ["a"], 0.5, 10, database=database)
    with pytest.raises(ob.UnknownCampaign, match="'three', but must be one of"):
        ob.Campaign.open("three", database)
    one = ob.Campaign.open("one", database)
    with ob.Campaign.open("one", database) as other:
        other.ask()
        one.delete()
        with pytest.raises(ob.UnknownCampaign, match="not deleted"):
            other.ask()
    assert len(ob.Campaign.all(database)) == 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda d: ob.Campaign.create("", ["a"], 0.5, 9, database=d), "text of 1 to 500"),
        (lambda d: ob.Campaign.create("c", [], 0.5, 9, database=d), "one arm or more"),
        (lambda d: ob.Campaign.create("c", "ab", 0.5, 9, database=d), "a list of names"),
        (lambda d: ob.Campaign.create("c", ["a", "a"], 0.5, 9, database=d), "came twice"),
        (lambda d: ob.Campaign.create("c", ["a\0"], 0.5, 9, database=d), "without NUL"),
        (lambda d: ob.Campaign.create("c", ["\ud800"], 0.5, 9, database=d), "UTF-8"),
        (lambda d: ob.Campaign.create("c", ["a"], 5, 9, database=d), "at most 1.*scale"),
        (lambda d: ob.Campaign.create("c", ["a", "b"], 0.5, 1, database=d), "budget is 1"),
        (lambda d: ob.Campaign.create("c", ["a"], 0.5, 2.5, database=d), "budget is 2.5"),  # type: ignore[arg-type]
        (lambda d: ob.Campaign.create("c", ["a"], 0.5, 9, database=d, lifetime=0), "above 0"),
        (
            lambda d: ob.Campaign.create("c", ["a"], 0.5, 9, database=d, thresholds={"b": 1}),
            "'b'.*one of 'a'",
        ),
        (
            lambda d: ob.Campaign.create("c", ["a"], 0.5, 9, database="mysql://x/y"),
            "mysql://x/y.*PostgreSQL",
        ),
        (lambda d: ob.Campaign.open("c", "/nowhere/overbar.db"), "/nowhere/overbar.db"),
        (lambda d: ob.Campaign.open("c", "://overbar"), "a URL"),
        (
            lambda d: ob.Campaign.open("c", "postgresql://u:secret@/d?host=/nowhere"),
            "postgresql://u:.*cannot be used now",
        ),
    ],
)
def test_one_clear_error(call: Callable[[str], object], message: str, tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    with pytest.raises(ob.OverbarError, match=message) as caught:
        call(str(path))
    assert "secret" not in str(caught.value)
    if path.exists():
        assert ob.Campaign.all(path) == []


def test_history_that_is_wrong_leaves_no_campaign(file: str) -> None:
    for history in ({"b": [1]}, {"a": [2]}, {"a": [1, "x"]}):
        with pytest.raises(ob.InvalidInput):
            ob.Campaign.create("c", ["a"], 0.5, 9, database=file, history=history)  # type: ignore[arg-type]
        assert ob.Campaign.all(file) == []


def test_a_database_that_is_none_or_another_or_newer(tmp_path: Path) -> None:
    none = tmp_path / "notes.txt"
    none.write_text("These are notes, and no database at all. " * 50)
    with pytest.raises(ob.InvalidInput, match="notes.txt.*must be an SQLite database"):
        ob.Campaign.open("c", none)
    with pytest.raises(ob.InvalidInput, match="notes.txt.*must be an SQLite database"):
        ob.Campaign.create("c", ["a"], 0.5, 9, database=none)
    with pytest.raises(ob.UnknownCampaign, match="file with campaigns"):
        ob.Campaign.open("c", tmp_path / "none.db")
    assert not (tmp_path / "none.db").exists()
    other = sqlite3.connect(tmp_path / "other.db")
    other.execute("CREATE TABLE mine (x)")
    other.close()
    with pytest.raises(ob.UnknownCampaign, match="one with campaigns"):
        ob.Campaign.open("c", tmp_path / "other.db")
    newer = tmp_path / "newer.db"
    ob.Campaign.create("c", ["a"], 0.5, 9, database=newer).close()
    made = sqlite3.connect(newer, isolation_level=None)
    made.execute("UPDATE overbar_schema SET version = 2")
    made.close()
    for call in (lambda: ob.Campaign.open("c", newer), lambda: ob.Campaign.all(newer)):
        with pytest.raises(ob.InvalidInput, match="version of Overbar.*update Overbar"):
            call()


def test_a_file_in_write_ahead_mode_is_not_used_as_such_where_that_is_unsound(
    file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two versions of SQLite on one file: the older turns the mode back, or waits until it can."""
    with monkeypatch.context() as newer:
        newer.setattr(databases, "journal_mode", lambda _: "WAL")
        with ob.Campaign.create("c", ["a", "b"], 0.5, 9, database=file) as campaign:
            campaign.tell(campaign.ask()[0], 1)
            newer.setattr(databases, "journal_mode", lambda _: "TRUNCATE")
            with pytest.raises(ob.StorageError, match="locked by another process"):
                ob.Campaign.open("c", f"sqlite:///{file}?timeout=0.1")
        with ob.Campaign.open("c", file) as campaign:
            assert campaign.status().told == 1
            connection = sqlite3.connect(file)
            assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
            connection.close()


def test_what_postgresql_needs_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(
        ob.InvalidInput, match=r"postgresql://x/y.*pip install 'overbar\[postgres\]'"
    ):
        ob.Campaign.open("c", "postgresql://x/y")


def test_the_write_ahead_log_is_used_only_where_it_is_sound(file: str) -> None:
    assert journal_mode((3, 51, 2)) == "TRUNCATE"
    assert journal_mode((3, 40, 1)) == "TRUNCATE"
    assert journal_mode((3, 51, 3)) == "WAL"
    assert journal_mode((4, 0, 0)) == "WAL"
    with ob.Campaign.create("c", ["a"], 0.5, 9, database=file):
        reader = sqlite3.connect(file)
        [mode] = reader.execute("PRAGMA journal_mode").fetchone()
        reader.close()
        # Each connection sets its own, but for WAL, which stays with the file.
        assert (mode == "wal") == (journal_mode(sqlite3.sqlite_version_info) == "WAL")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda c: c.extend(2**70), "budget is 1180591620717411303424"),
        (lambda c: c.turn({2**70: 1}), "ticket is 1180591620717411303424"),
        (lambda c: c.turn({"2": 1}), "ticket is '2', but must be a whole number"),
        (lambda c: c.turn(failed={2: 5}), "reason is 5, but must be text"),
        (lambda c: c.turn(ask=-1), "number of tickets is -1"),
        (lambda c: c.ask(lifetime=1e15), "at most 3.*ten years"),
        (lambda c: c.add_history({"a": 1}), "results of the arm 'a' is 1.*in a list"),
        (lambda c: c.add_history({"a": "1"}), "results of the arm 'a' is '1'"),
    ],
)
def test_wrong_numbers_and_reasons(
    file: str, call: Callable[[ob.Campaign], object], message: str
) -> None:
    with ob.Campaign.create("c", ["a", "b"], 0.5, 10, database=file) as campaign:
        campaign.ask()
        before = campaign.status()
        with pytest.raises(ob.InvalidInput, match=message):
            call(campaign)
        assert campaign.status() == before
        campaign.turn({np.int64(2): 1})  # type: ignore[dict-item]
        assert campaign.status().told == 1


def test_a_reason_that_no_database_holds(file: str) -> None:
    def flawed(_: ob.Ticket) -> float:
        raise RuntimeError("\0 and \ud800")

    with ob.Campaign.create("c", ["a", "b"], 0.5, 10, database=file) as campaign:
        with pytest.raises(RuntimeError):
            campaign.run(flawed)
        assert campaign.status().failed == 1


def test_what_is_forbidden_is_not_to_be_tried_again(file: str) -> None:
    ob.Campaign.create("c", ["a", "b"], 0.5, 10, database=file).close()
    database = databases.Database(file)
    with pytest.raises(ob.StorageError, match="allowed to read and write"), database.reading():
        raise sqlite3.OperationalError("attempt to write a readonly database")
    database.close()


def test_a_policy_that_stopped_takes_in_what_comes_later(
    file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From a snapshot too, in which no arm has a key any more."""
    monkeypatch.setattr(snapshot, "due", lambda *_: True)
    with ob.Campaign.create("c", SEVEN, 0.5, 60, policy=ob.CSAR(), database=file) as campaign:
        late, *others = campaign.ask(60)
        while others:
            for ticket in others:
                campaign.tell(ticket, ticket.arm in "abc")
            others = campaign.ask(60)
        assert campaign.status().stopped
    with ob.Campaign.open("c", file) as campaign:
        campaign.tell(late, 1)
        campaign.add_history({"g": [0]})
        assert campaign.ask() == []
        assert campaign.status().history == 1
        assert len(list(campaign.replay())) == campaign.status().told
    check_accounts(file, "c")
