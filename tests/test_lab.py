"""Running experiments: same bits wherever and however often, and nothing lost."""

import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import psutil
import pytest

import overbar as ob
from overbar.experiments import engines, paper, store
from overbar.experiments.experiment import Experiment
from overbar.experiments.run import Ran, plan, run
from overbar.experiments.store import Store
from overbar.simulate.sources import code_digest


def small(number: int, reading: str = "released", repetitions: int = 250) -> Experiment:
    return replace(
        paper.experiment(number, reading, seed=3), budget=10_000, repetitions=repetitions
    )


def same(one: Ran, other: Ran) -> None:
    for (a, x), (b, y) in zip(one.results, other.results, strict=True):
        assert a == b
        assert x.policies == y.policies
        for policy in x.policies:
            for this, that in zip(x.played[policy], y.played[policy], strict=True):
                assert np.array_equal(this, that)


@pytest.fixture(scope="module")
def on_one_thread(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    folder = tmp_path_factory.mktemp("one")
    with engines.threads(1) as engine:
        return run([small(1), small(6)], engine, Store(folder))


def test_two_threads_and_alone_or_together(on_one_thread: Ran, tmp_path: Path) -> None:
    with engines.threads(2) as engine:
        same(on_one_thread, run([small(1), small(6)], engine, Store(tmp_path / "both")))
        alone = run([small(6)], engine, Store(tmp_path / "alone"))
    same(replace(on_one_thread, results=on_one_thread.results[1:]), alone)


def test_it_is_what_simulate_gives(on_one_thread: Ran) -> None:
    experiment, result = on_one_thread.results[1]
    again = ob.simulate(
        experiment.problem(), experiment.policies, experiment.budget, 250, seed=experiment.seed
    )
    for policy in again.policies:
        assert np.array_equal(again.errors(policy), result.errors(policy))


class Stops(Exception):
    """What interrupts a run in a test."""


def test_goes_on_where_it_was_interrupted(on_one_thread: Ran, tmp_path: Path) -> None:
    def stop_at_half(done: int, total: int) -> None:
        if done > total / 2:
            raise Stops

    kept = Store(tmp_path)
    with pytest.raises(Stops), engines.threads(2) as engine:
        run([small(1), small(6)], engine, kept, stop_at_half)
    with engines.threads(2) as engine:
        ran = run([small(1), small(6)], engine, kept)
        assert ran.found >= 15
        assert ran.played >= 10
        same(on_one_thread, ran)
        again = run([small(1), small(6)], engine, kept)
    assert (again.played, again.found) == (0, ran.played + ran.found)
    same(on_one_thread, again)


def test_more_repetitions_reuse_those_that_are_there(tmp_path: Path) -> None:
    with engines.threads(2) as engine:
        run([small(6, repetitions=200)], engine, Store(tmp_path))
        more = run([small(6, repetitions=300)], engine, Store(tmp_path))
    assert (more.found, more.played) == (8, 4)


@pytest.mark.parametrize("damage", ["torn", "flipped", "empty", "garbage"])
def test_a_damaged_block_is_played_again(on_one_thread: Ran, tmp_path: Path, damage: str) -> None:
    kept = Store(tmp_path)
    with engines.threads(2) as engine:
        run([small(6)], engine, kept)
        victim = sorted(tmp_path.glob("*.block"))[5]
        content = victim.read_bytes()
        victim.write_bytes(
            {
                "torn": content[: len(content) // 2],
                "flipped": content[:-50] + bytes([content[-50] ^ 1]) + content[-49:],
                "empty": b"",
                "garbage": b"\x00" * 5000,
            }[damage]
        )
        ran = run([small(6)], engine, kept)
    assert ran.played == 1
    same(replace(on_one_thread, results=on_one_thread.results[1:]), ran)
    assert victim.read_bytes() == content


def test_a_block_of_another_version_is_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with engines.threads(2) as engine:
        run([small(6, repetitions=100)], engine, Store(tmp_path))
        digest = code_digest()
        monkeypatch.setattr(store, "code_digest", lambda: f"another than {digest}")
        [blocks, *_] = plan(small(6, repetitions=100)).values()
        assert Store(tmp_path).find(blocks) == {}


def test_a_block_s_key_tells_apart_all_that_matters() -> None:
    base = small(6, repetitions=100)
    others = [
        replace(base, seed=(4, 6)),
        replace(base, budget=9000),
        replace(base, threshold=0.51),
        replace(base, indifference=0.01),
        replace(base, policies={"UCBEV(1)": ob.UCBEV()}),
        replace(base, policies={"UCBEV(1)": ob.UCBEV(factor=2)}),
        small(6, "written", repetitions=100),
        small(5, repetitions=100),
    ]
    keys = [
        store.key(block)
        for experiment in [base, *others]
        for blocks in plan(experiment).values()
        for block in blocks[:1]
    ]
    assert len(set(keys)) == len(keys)


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ob.InvalidInput, match="one that can be written to"):
        Store(tmp_path / "file" / "blocks")


def test_a_folder_that_goes_away_or_is_full(tmp_path: Path) -> None:
    kept = Store(tmp_path / "blocks")
    (tmp_path / "blocks").rmdir()
    with (
        pytest.raises(ob.OverbarError, match="Cannot keep a finished block.*the same command"),
        engines.threads(1) as engine,
    ):
        run([small(6, repetitions=50)], engine, kept)


def test_blocks_travel_to_other_processes(on_one_thread: Ran, tmp_path: Path) -> None:
    with ProcessPoolExecutor(2) as engine:
        ran = run([small(6)], engine, Store(tmp_path))
    same(replace(on_one_thread, results=on_one_thread.results[1:]), ran)


def test_a_worker_of_another_version_is_noticed() -> None:
    [block, *_] = next(iter(plan(small(6)).values()))
    with pytest.raises(ob.OverbarError, match="another version"):
        engines.play_as("some other digest", block)


# A real Dask cluster: a scheduler and two worker processes.


@pytest.fixture
def scheduler() -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{probe.getsockname()[1]}"
    port = address.rpartition(":")[2]
    dask = [sys.executable, "-m", "distributed.cli"]
    command = [*dask[:2], "distributed.cli.dask_scheduler"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    processes = [
        subprocess.Popen(
            [*command, "--host", "127.0.0.1", "--port", port, "--no-dashboard", "--no-show"],
            **quiet,  # type: ignore[call-overload]
        )
    ]
    worker = [*dask[:2], "distributed.cli.dask_worker", address]
    for _ in range(2):
        processes.append(
            subprocess.Popen(
                [*worker, "--nthreads", "1", "--no-dashboard", "--host", "127.0.0.1"],
                **quiet,  # type: ignore[call-overload]
            )
        )
    yield address
    for process in processes:
        for child in psutil.Process(process.pid).children(recursive=True):
            child.kill()
        process.kill()
        process.wait()


def kill_a_worker(address: str) -> None:
    """SIGKILL one of the processes in which blocks are played, with its nanny."""
    for process in psutil.process_iter(["cmdline"]):
        said = " ".join(process.info["cmdline"] or ())
        if "dask_worker" in said and address in said:
            for child in process.children(recursive=True):
                child.kill()
            process.kill()
            return
    raise AssertionError("no worker to kill")


def test_dask_with_a_worker_killed_in_the_middle(
    on_one_thread: Ran, scheduler: str, tmp_path: Path
) -> None:
    killed: list[float] = []

    def kill_in_the_middle(done: int, total: int) -> None:
        if not killed and done > total / 4:
            kill_a_worker(scheduler)
            killed.append(done / total)

    with engines.dask(scheduler) as engine:
        ran = run([small(1), small(6)], engine, Store(tmp_path), kill_in_the_middle)
    assert 0.2 < killed[0] < 0.8
    same(on_one_thread, ran)


def test_a_scheduler_that_does_not_answer() -> None:
    began = time.monotonic()
    with pytest.raises(ob.OverbarError, match="does not answer.*dask scheduler"):
        enter(engines.dask("tcp://127.0.0.1:9"))
    assert time.monotonic() - began < 10
    with pytest.raises(ob.OverbarError, match="does not answer"):
        enter(engines.dask("no address at all"))


@pytest.mark.parametrize("said", [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n"])
def test_one_that_takes_the_call_and_is_no_scheduler(said: bytes) -> None:
    """It may be silent, or speak another language."""
    over = threading.Event()
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()

        def answer() -> None:
            with suppress(OSError):
                connection, _ = server.accept()
                with connection:
                    connection.sendall(said)
                    over.wait(30)

        answering = threading.Thread(target=answer)
        answering.start()
        began = time.monotonic()
        with pytest.raises(ob.OverbarError, match="does not answer"):
            enter(engines.dask(f"tcp://127.0.0.1:{server.getsockname()[1]}"))
        assert time.monotonic() - began < 10
        over.set()
        answering.join()


def test_a_worker_is_no_scheduler(scheduler: str) -> None:
    from distributed import Client

    with Client(scheduler, set_as_default=False) as client:  # type: ignore[no-untyped-call]
        client.wait_for_workers(1, timeout=60)
        worker, *_ = client.scheduler_info()["workers"]
    with pytest.raises(ob.InvalidInput, match=r"a Worker', but must be a Dask scheduler's address"):
        enter(engines.dask(worker))


def test_ctrl_c_on_a_cluster_ends_at_once(scheduler: str, tmp_path: Path) -> None:
    command = [str(Path(sys.executable).parent / "overbar"), "paper", "--repetitions", "3000"]
    process = subprocess.Popen(
        [*command, "--engine", "dask", "--scheduler", scheduler, "--out", "o"],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    blocks = tmp_path / "o/blocks"
    while not (blocks.exists() and len(list(blocks.glob("*.block"))) >= 3):
        assert process.poll() is None, "it ended before it was interrupted"
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    began = time.monotonic()
    _, err = process.communicate(timeout=60)
    assert time.monotonic() - began < 5  # a second, on a machine that is not shared
    assert process.returncode == 130
    assert err.startswith("Stopped. What is finished is kept in o/blocks. The same command goes on")
    assert len(err.splitlines()) == 1


def enter(engine: AbstractContextManager[Executor]) -> None:
    with engine:
        pass
