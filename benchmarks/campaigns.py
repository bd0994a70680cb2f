"""What campaigns cost, and what they are worth, measured on this machine.

python benchmarks/campaigns.py [speed] [size] [delay] [flaky]      all four if none is named

Prints tables in Markdown. `speed` starts a PostgreSQL server of its own, as the tests do.
"""

import json
import multiprocessing
import platform
import random
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing.synchronize import Barrier
from pathlib import Path

import numpy as np
import psutil

import overbar as ob

ROOT = Path(__file__).parent.parent
HERE = multiprocessing.get_context("forkserver")
Work = Callable[[Barrier, str, int, int], None]


def table(columns: Iterable[str], rows: Iterable[Iterable[object]]) -> None:
    """Print a table."""
    columns = list(columns)
    print("| " + " | ".join(columns) + " |")
    print("| " + " | ".join(["---"] + ["---:"] * (len(columns) - 1)) + " |")
    for row in rows:
        print("| " + " | ".join(map(str, row)) + " |", flush=True)
    print()


# How many tries a second


def plainly(ready: Barrier, database: str, _: int, pairs: int, transactions: int) -> None:
    """Do with sqlite3 alone what a pair needs at least: a line in a log, and a counter."""
    connection = sqlite3.connect(database, isolation_level=None, timeout=60)
    connection.execute("PRAGMA journal_mode = TRUNCATE")
    connection.execute("PRAGMA synchronous = FULL")
    ready.wait()
    for _pair in range(pairs):
        for _transaction in range(transactions):
            connection.execute("BEGIN IMMEDIATE")
            [seq] = connection.execute("SELECT seq FROM counter").fetchone()
            connection.execute("INSERT INTO log VALUES (?, 'tell', 0.5, 7)", (seq + 1,))
            connection.execute("UPDATE counter SET seq = seq + 1")
            connection.execute("COMMIT")
    connection.close()


def in_pairs(ready: Barrier, database: str, name: int, pairs: int) -> None:
    """Ask for one, tell one: two transactions."""
    with ob.Campaign.open(str(name), database) as campaign:
        campaign.status()
        ready.wait()
        for _ in range(pairs):
            [ticket] = campaign.ask()
            campaign.tell(ticket, 1.0)


def in_turns(ready: Barrier, database: str, name: int, pairs: int, at_once: int) -> None:
    """Tell what came in and ask for as many, in one transaction, as `run` does."""
    told: dict[int, float] = {}
    with ob.Campaign.open(str(name), database) as campaign:
        campaign.status()
        ready.wait()
        for _ in range(0, pairs, at_once):
            told = {ticket.id: 1.0 for ticket in campaign.turn(told, ask=at_once)}


def rate(work: Work, database: str, name: int, processes: int) -> str:
    """Return how many pairs a second all processes do together: median, least and most of five."""
    rates = []
    for _ in range(5):
        pairs = 1600 // processes
        ready = HERE.Barrier(processes + 1)
        workers = [
            HERE.Process(target=work, args=(ready, database, name, pairs)) for _ in range(processes)
        ]
        for worker in workers:
            worker.start()
        ready.wait()
        began = time.perf_counter()
        for worker in workers:
            worker.join()
        rates.append(pairs * processes / (time.perf_counter() - began))
    return f"{statistics.median(rates):.0f} ({min(rates):.0f} to {max(rates):.0f})"


def speed() -> None:
    """Pairs of ask and tell a second, durable."""
    sys.path.insert(0, str(ROOT))
    from tests.postgres import Server

    print("## Pairs of ask and tell a second\n")
    HERE.set_forkserver_preload(["overbar.campaigns.rows", "psycopg"])
    server = Server(durable=True)
    try:
        with tempfile.TemporaryDirectory(dir=".", prefix=".benchmark-") as folder:
            plain = f"{folder}/plain.db"
            connection = sqlite3.connect(plain)
            connection.execute("CREATE TABLE log (seq INTEGER PRIMARY KEY, kind, reward, arm)")
            connection.execute("CREATE TABLE counter AS SELECT 0 AS seq")
            connection.commit()
            connection.close()
            kinds: list[tuple[str, str, Work]] = [
                ("sqlite3 alone, two transactions a pair", plain, partial(plainly, transactions=2)),
                ("sqlite3 alone, one transaction a pair", plain, partial(plainly, transactions=1)),
            ]
            for database, shown in (
                (f"{folder}/c.db", "SQLite"),
                (server.database(), "PostgreSQL"),
            ):
                kinds += [
                    (f"{shown}, ask then tell", database, in_pairs),
                    (
                        f"{shown}, told and asked in one turn",
                        database,
                        partial(in_turns, at_once=1),
                    ),
                    (f"{shown}, in turns of eight", database, partial(in_turns, at_once=8)),
                ]
            rows = []
            for number, (shown, database, work) in enumerate(kinds):
                if database != plain:
                    arms = [f"arm {i}" for i in range(100)]
                    ob.Campaign.create(
                        str(number), arms, 0.5, 10**6, policy=ob.APT(), database=database
                    ).close()
                rows.append([shown, *(rate(work, database, number, n) for n in (1, 8))])
    finally:
        server.delete()
    table(["", "1 process", "8 processes"], rows)


# How large


def size(arms: int = 100_000, results: int = 1_000_000) -> None:
    """Opening and asking, with many arms and results."""
    print(f"## {arms:,} arms, {results:,} results\n")
    chance = random.Random(1)
    with tempfile.TemporaryDirectory(dir=".", prefix=".benchmark-") as folder:
        database = f"{folder}/overbar.db"
        names = [f"arm {i}" for i in range(arms)]
        with ob.Campaign.create("c", names, 0.5, 10 * results, database=database) as campaign:
            told: dict[int, float] = {}
            while campaign.status().told < results:
                tickets = campaign.turn(told, ask=20_000)
                told = {ticket.id: float(chance.random() < 0.5) for ticket in tickets}
        opening, asking = [], []
        for _ in range(5):
            began = time.perf_counter()
            with ob.Campaign.open("c", database) as campaign:
                campaign.status()
                opening.append(time.perf_counter() - began)
                for _ in range(100):
                    began = time.perf_counter()
                    [ticket] = campaign.ask()
                    asking.append(1000 * (time.perf_counter() - began))
                    campaign.tell(ticket, 1.0)
    asking.sort()
    table(
        ["", "median", "least", "most"],
        [
            ["opening, s", *(f"{f(opening):.2f}" for f in (statistics.median, min, max))],
            ["an ask, ms", *(f"{f(asking):.1f}" for f in (statistics.median, min, max))],
        ],
    )


# What batches and delays cost


def wrong(policy: ob.Policy, seed: int, batch: int, delay: int) -> bool:
    """Play a campaign in memory, and return whether its answer is wrong."""
    chance = random.Random(seed)
    rates = [0.1 + 0.8 * i / 19 for i in range(20)]
    names = [str(i) for i in range(20)]
    sampler = ob.Sampler(policy, names, 0.5, 2000, seed=seed)
    late: deque[ob.Ask] = deque()
    while (asks := sampler.ask(batch)) or late:
        late.extend(asks)
        while len(late) > (delay if asks else 0):
            ask = late.popleft()
            sampler.tell(ask, float(chance.random() < rates[int(ask.arm)]))
    return any(verdict.over != (rates[int(verdict.name)] >= 0.5) for verdict in sampler.verdicts())


def error(policy: ob.Policy, batch: int, delay: int, campaigns: int = 400) -> str:
    """Return the error over many campaigns, and its standard error, in percent."""
    p = sum(wrong(policy, seed, batch, delay) for seed in range(campaigns)) / campaigns
    return f"{100 * p:.1f} ± {100 * (p * (1 - p) / campaigns) ** 0.5:.1f}"


def delay() -> None:
    """The error in percent, by the size of a batch and by how late results come."""
    print("## Error by batch and delay, in %: 20 arms with pass rates 0.1 to 0.9, 2 000 tries\n")
    policies = (ob.AnytimeAugUCB(), ob.AugUCB(), ob.APT())
    cases = [("one by one", 1, 0)]
    cases += [(f"batches of {n}", n, 0) for n in (10, 50, 200, 500)]
    cases += [(f"results {n} asks late", 1, n) for n in (10, 50, 200, 500)]
    with ProcessPoolExecutor(mp_context=HERE) as pool:
        futures = [
            (shown, [pool.submit(error, policy, n, late) for policy in policies])
            for shown, n, late in cases
        ]
        rows = [[shown, *(each.result() for each in row)] for shown, row in futures]
    table(["", *(policy.name for policy in policies)], rows)


# What it is worth


def flaky_rates(seed: int) -> dict[str, float]:
    """300 tests, of which 60 are flaky."""
    chance = random.Random(seed)
    rates = [chance.uniform(0.99, 1.0) for _ in range(240)]
    rates += [chance.uniform(0.4, 0.95) for _ in range(60)]
    chance.shuffle(rates)
    return {f"test_{i:03}": rate for i, rate in enumerate(rates)}


def side_errors(seed: int) -> tuple[int, int]:
    """Return how many verdicts are wrong: of the default policy, and with ten tries for each."""
    rates, chance = flaky_rates(seed), np.random.default_rng(seed)
    sampler = ob.Sampler(ob.AnytimeAugUCB(), list(rates), 0.9, 3000)
    while asks := sampler.ask(8):
        for ask in asks:
            sampler.tell(ask, float(chance.random() < rates[ask.arm]))
    chosen = sum(each.over != (rates[each.name] >= 0.9) for each in sampler.verdicts())
    evenly = sum((chance.binomial(10, rate) >= 9) != (rate >= 0.9) for rate in rates.values())
    return chosen, evenly


def flaky() -> None:
    """A folder of fake flaky tests, and `overbar run`; then the same many times, in memory."""
    print("## 300 tests, 60 of them flaky, bar 0.9, 3 000 tries: wrong by the mean\n")
    rates = flaky_rates(0)
    with tempfile.TemporaryDirectory() as folder:
        for name, rate in rates.items():
            Path(folder, name).write_text(
                "#!/bin/sh\nread -r n < /proc/sys/kernel/random/uuid\n"
                f"[ $((0x${{n%%-*}} % 10000)) -lt {round(rate * 10000)} ]\n"
            )
            Path(folder, name).chmod(0o755)
        Path(folder, "tests.txt").write_text("\n".join(rates))
        overbar = Path(sys.executable).parent / "overbar"
        began = time.perf_counter()
        run = [overbar, "run", "--arms", "tests.txt", "--threshold", "0.9", "--budget", "3000"]
        options = ["--jobs", "4", "--json", "--exit-zero", "--", "./{arm}"]
        said = subprocess.run([*run, *options], cwd=folder, capture_output=True, check=True).stdout
        seconds = time.perf_counter() - began
        found = json.loads(said)["findings"]
        chosen = sum((each["mean"] >= 0.9) != (rates[each["arm"]] >= 0.9) for each in found)
        evenly = 0
        for name, rate in rates.items():
            tries = [subprocess.run([f"{folder}/{name}"], check=False) for _ in range(10)]
            evenly += (sum(each.returncode == 0 for each in tries) >= 9) != (rate >= 0.9)
    with ProcessPoolExecutor(mp_context=HERE) as pool:
        many = np.array(list(pool.map(side_errors, range(1, 101))))
    mean, spread = many.mean(axis=0), many.std(axis=0) / 10
    table(
        ["", "default policy", "10 tries for each"],
        [
            [f"`overbar run`, once, in {seconds:.0f} s", chosen, evenly],
            [
                "mean of 100, in memory",
                *(f"{m:.1f} ± {s:.1f}" for m, s in zip(mean, spread, strict=True)),
            ],
        ],
    )


if __name__ == "__main__":
    chosen = sys.argv[1:] or ["speed", "size", "delay", "flaky"]
    cores, memory = psutil.cpu_count(), psutil.virtual_memory().total / 2**30
    print(f"{platform.system()} {platform.machine()}, {cores} cores, {memory:.0f} GB, ", end="")
    print(
        f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, {ob.__version__}\n"
    )
    for each in chosen:
        {"speed": speed, "size": size, "delay": delay, "flaky": flaky}[each]()
