"""The compiled loop: its tournament, its keys, its speed, and that it is never a stale one.

What it chooses is compared with the reference in test_policies.
"""

import json
import os
import shutil
import subprocess
import sys
import time
from math import inf, isnan, nan
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import overbar as ob
from overbar.policies.ranking import FARTHEST, compared, spare_bits
from overbar.simulate import kernel
from overbar.simulate.blocks import LANES
from tests.games import GAMES

INDEX = st.floats() | st.sampled_from([0.0, -0.0, 0.5, -0.5, 1 / 3, inf, -inf, nan, 1e-310])


@settings(max_examples=300, deadline=None)
@given(st.integers(1, 5000), st.data())
def test_keys_are_in_the_order_of_the_rule(K: int, data: st.DataObject) -> None:
    """Packed keys order arms as live use does: by what counts of the index, then by number."""
    mask = spare_bits(K)
    arms = st.tuples(INDEX, st.integers(0, K - 1))
    (one, i), (other, j) = data.draw(arms), data.draw(arms)
    one = data.draw(st.sampled_from([one, float(np.nextafter(other, 1)), other]))
    keys = kernel.packed(one, i, mask), kernel.packed(other, j, mask)
    assert (keys[0] < keys[1]) == ((compared(one, mask), i) < (compared(other, mask), j))
    assert [kernel.place_in(key, mask) for key in keys] == [i, j]
    assert max(keys) < kernel.CLOSED


@given(INDEX, st.integers(1, 10**6))
@example(0.3 - 0.5, 100)
def test_only_the_last_bits_do_not_count(index: float, K: int) -> None:
    counted = compared(index, spare_bits(K))
    if abs(index) < FARTHEST and abs(index) > 1e-300:
        assert abs(counted) <= abs(index)
        assert abs(index - counted) <= abs(index) * 2.0**-52 * (2 * K)
    elif index in (inf, -inf):
        assert abs(counted) > 1e308
    if isnan(index):
        assert counted == compared(inf, spare_bits(K))
    if K == 1 and abs(index) < FARTHEST:
        assert counted == index


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 6), st.data())
def test_the_root_is_the_lowest_leaf(depth: int, data: st.DataObject) -> None:
    P = 1 << depth
    keys = st.floats(-10, 10)
    tree = np.zeros((2, 2 * P))
    tree[1, P:] = data.draw(st.lists(keys, min_size=P, max_size=P))
    assert kernel.enter_all(tree, np.uint64(1), np.uint64(P)) == tree[1, P:].min() == tree[1, 1]
    for leaf, key in data.draw(st.lists(st.tuples(st.integers(P, 2 * P - 1), keys), max_size=20)):
        assert kernel.enter(tree, np.uint64(1), np.uint64(leaf), key) == tree[1, P:].min()
        assert tree[1, leaf] == key
    assert not tree[0].any()  # another lane's


def test_an_arm_lies_on_a_cache_line_and_a_million_arms_are_small() -> None:
    for K in (1, 7, 100):
        table = kernel.table(K)
        assert table.arms.ctypes.data % 64 == 0
        assert table.arms.itemsize == 64
    table = kernel.table(1_000_000)
    bytes_an_arm = (table.arms.nbytes + table.tree.nbytes) / (1_000_000 * LANES)
    assert bytes_an_arm < 150


def played(game: str, policy: ob.Policy, repetitions: int = 5) -> list[list[int]]:
    problem, budget = GAMES[game]
    result = ob.simulate(problem, [policy], min(budget, 800), repetitions, seed=3, threads=1)
    pulls = (result.pulls(policy.name) * repetitions).round().astype(int)
    return [result.errors(policy.name).tolist(), pulls.tolist()]


UNCOMPILED = """
import json
from tests.test_kernel import *
print(json.dumps([played(game, policy) for game, policy in SAMPLES]))
"""
SAMPLES: list[tuple[str, ob.Policy]] = [
    ("some deleted in the middle", ob.AugUCB(rho=0.02)),
    ("all deleted", ob.AugUCB()),
    ("every distribution", ob.APT()),
    ("every distribution", ob.CSAR()),
    ("ties", ob.UniformAllocation()),
    ("near the bar", ob.UCBEV()),
]


def test_the_same_bits_uncompiled() -> None:
    """The loop is Python: without compilation it gives the same, and can be stepped through."""

    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", UNCOMPILED],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert json.loads(done.stdout) == [played(game, policy) for game, policy in SAMPLES]


PLAY = """
import sys
import overbar as ob

print(ob.__file__)
problem = ob.Problem([ob.Gaussian(m, 0.1) for m in (0.1, 0.45, 0.9, 0.2, 0.8, 0.3, 0.7)], 0.5)
for name in sys.argv[1:]:
    result = ob.simulate(problem, [getattr(ob, name)()], 700, 4, threads=1)
print(*result.pulls("APT"))
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the package, with nothing compiled in it."""
    without = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(ob.__file__).parent, tmp_path / "overbar", ignore=without)
    return tmp_path / "overbar"


def pulls_of_apt(package: Path, *before: str) -> list[float]:
    """Play APT, after others, with that package, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", PLAY, *before, "APT"],
        env=os.environ | {"PYTHONPATH": str(package.parent), "NUMBA_DISABLE_JIT": "0"},
        cwd=package.parent,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    where, numbers = done.stdout.splitlines()
    assert where == str(package / "__init__.py")
    return [float(number) for number in numbers.split()]


def kept(package: Path) -> list[Path]:
    return list((package / "simulate" / "__pycache__").glob("kernel.play_loop-APT*.nbi"))


def test_an_edit_to_a_policy_is_seen(package: Path) -> None:
    """What was compiled before the edit is on disk, and must not answer for it."""
    before = pulls_of_apt(package)
    assert before[1] > 300  # the arm nearest to the bar
    assert len(kept(package)) == 1
    policy = package / "policies" / "apt.py"
    text = policy.read_text()
    edited = text.replace("sqrt(n) * (abs(r - tau) + epsilon)", "-(n * abs(r - tau) + epsilon)")
    assert edited != text
    policy.write_text(edited)
    assert pulls_of_apt(package)[1] < 10
    assert len(kept(package)) == 2


def test_a_kept_kernel_calls_what_it_was_compiled_with(package: Path) -> None:
    """A kernel from the disk stands beside one compiled just now, each with its own functions."""
    compiled = pulls_of_apt(package)
    assert pulls_of_apt(package, "AugUCB") == compiled
    assert pulls_of_apt(package, "AugUCB", "CSAR") == compiled
    assert len(kept(package)) == 1


@pytest.mark.parametrize("suffix", ["nbi", "nbc"])
def test_a_torn_file_is_made_anew(package: Path, suffix: str) -> None:
    compiled = pulls_of_apt(package)
    [torn] = (package / "simulate" / "__pycache__").glob(f"kernel.play_loop-APT*.{suffix}")
    torn.write_bytes(b"")
    assert pulls_of_apt(package) == compiled
    assert torn.stat().st_size > 0


class Untried(ob.Policy):
    """Tries first what it knows least of, and what it knows nothing of before all."""

    first_pulls = 0

    @staticmethod
    def index(n: int, r: float, v: float, tau: float) -> float:
        if n == 0:
            return -inf
        if r > 0.8:
            return nan  # never, unless all others are like that
        return -0.0 if n % 2 else n * 1e308


def test_indices_that_are_no_numbers_play_alike_simulated_and_live() -> None:
    problem = ob.Problem([ob.Uniform(0.1 * i, 0.1 * i + 0.2) for i in range(8)], 0.5)
    trace = ob.trace(problem, Untried(), 200, seed=1)
    assert trace.arms[:8].tolist() == list(range(8))
    sampler = ob.Sampler(Untried(), problem.names, 0.5, 200)
    for arm, reward in zip(trace.arms, trace.rewards, strict=True):
        [ask] = sampler.ask()
        assert ask.arm == problem.names[arm]
        sampler.tell(ask, float(reward))


class Divides(ob.Policy):
    @staticmethod
    def index(n: int, r: float, v: float, tau: float) -> float:
        return 1 / v


def test_a_division_by_zero_in_a_policy_is_an_error() -> None:
    problem = ob.Problem([ob.Bernoulli(1), ob.Bernoulli(0.5)], 0.5)
    with pytest.raises(ZeroDivisionError):
        ob.simulate(problem, [Divides()], 10, 1)
    sampler = ob.Sampler(Divides(), ["one", "two"], 0.5, 10)
    for ask in sampler.ask(2):
        sampler.tell(ask, 1)
    with pytest.raises(ZeroDivisionError):
        sampler.ask()
    assert sampler.remaining == 8


def seconds(K: int) -> float:
    """Return how long 800 000 steps take, the least of five times."""
    problem = ob.Problem([ob.Gaussian(0.4 + 0.2 * (i % 2), 0.5) for i in range(K)], 0.5)
    times = []
    for _ in range(5):
        began = time.perf_counter()
        ob.simulate(problem, [ob.APT()], budget=200_000, repetitions=4, threads=1)
        times.append(time.perf_counter() - began)
    return min(times)


def test_a_step_does_not_look_at_every_arm() -> None:
    """Ten thousand arms cost a step about 1.5 times what a hundred do; a scan, some sixty times."""
    assert seconds(10_000) < 8 * seconds(100)
