"""What a step, a run and a command take, beside what they might take at best: `make bench`.

Everything is a ratio of two times taken in turn in one run, each the least of several, so that
machines can be compared and a noisy one does little harm. Prints a table, and writes it to
benchmarks/speed.md with a description of the machine.
"""

import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from dataclasses import replace as changed
from functools import partial
from importlib.metadata import version
from pathlib import Path
from time import perf_counter

import numpy as np

import overbar as ob
from overbar.policies import released
from overbar.problem import Arm
from overbar.simulate.blocks import Block, play
from overbar.simulate.simulation import opening_block

HERE = Path(__file__).parent
OVERBAR = Path(sys.executable).parent / "overbar"
K, T = 100, 10_000
GAUSSIAN = ob.Gaussian(0.4, 0.5)
MEANS = [0.2, 0.2, 0.2, 0.45, 0.55, 0.65, 0.8, 0.8, 0.8, 0.8]


@dataclass
class Row:
    """A line of the table."""

    what: str
    measured: str
    ratio: float | None = None
    must: float | None = None
    aim: float | None = None
    at_least: bool = False  # whether more is better

    def __str__(self) -> str:
        sign = "≥" if self.at_least else "≤"
        limits = [f"{sign} {limit:g}" if limit else "" for limit in (self.must, self.aim)]
        ratio = "" if self.ratio is None else f"{self.ratio:.2f}"
        return (
            f"| {self.what} | {self.measured} | {ratio} | {limits[0]} | {limits[1]} | {self.met} |"
        )

    @property
    def met(self) -> str:
        """Whether what must be is, and the aim."""
        if self.ratio is None or self.must is None:
            return ""
        sign = -1 if self.at_least else 1
        if sign * self.ratio > sign * self.must:
            return "**missed**"
        return "aim" if self.aim is None or sign * self.ratio <= sign * self.aim else "must"


def least(*works: Callable[[], object], times: int = 9) -> list[float]:
    """Return the least seconds that each takes, doing them in turn."""
    best = [float("inf")] * len(works)
    for _ in range(times):
        for i, work in enumerate(works):
            began = perf_counter()
            work()
            best[i] = min(best[i], perf_counter() - began)
    return best


def problem(arm: Arm = GAUSSIAN, K: int = K) -> ob.Problem:
    """Ten arms near and far, and fillers; or all of a kind."""
    if arm is not GAUSSIAN:
        return ob.Problem([arm] * K, arm.mean)
    return ob.Problem([ob.Gaussian(mean, 0.5) for mean in MEANS] + [arm] * (K - 10), 0.5)


def block(policy: ob.Policy, of: ob.Problem, budget: int = T, repetitions: int = 100) -> Block:
    """Repetitions to play, whose kernel is compiled."""
    whole = changed(opening_block(of, policy, budget, 1), repetitions=range(repetitions))
    play(changed(opening_block(of, policy, 2 * of.K, 1), repetitions=range(1)))
    return whole


def bare_draws() -> dict[str, tuple[Arm, Callable[[], object]]]:
    """For each distribution an arm, and numpy's draw of a million such rewards, with SFC64."""
    rng, n = np.random.Generator(np.random.SFC64(1)), 1_000_000
    out, log = np.empty(n), np.array([0.1, 0.4, 0.4, 0.7, 0.9])
    return {
        "Gaussian": (GAUSSIAN, lambda: rng.standard_normal(out=out)),
        "Bernoulli": (ob.Bernoulli(0.5), lambda: np.less(rng.random(out=out), 0.5)),
        "Uniform": (ob.Uniform(0, 1), lambda: rng.random(out=out)),
        "Exponential": (ob.Exponential(0.5), lambda: rng.standard_exponential(out=out)),
        "Beta": (ob.Beta(2, 3), lambda: rng.beta(2, 3, size=n)),
        "Empirical": (ob.Empirical(log.tolist()), lambda: rng.choice(log, size=n)),
    }


POLICIES: list[tuple[ob.Policy, float | None, float | None]] = [
    (ob.APT(), 1.6, 1.2),
    (ob.AugUCB(), 2.4, 1.7),
    *((policy, None, None) for policy in (ob.UCBE(), ob.UCBEV(), ob.CSAR())),
    (ob.UniformAllocation(), None, None),
    *((policy, None, None) for policy in (ob.LSA(), ob.FWT(), ob.EVT())),
    *((policy, None, None) for policy in (ob.BernoulliLR(), ob.GaussianLR(), ob.AnytimeAugUCB())),
    (released.ReleasedAugUCB(), 2.4, 1.7),
    (released.ReleasedUCBEV(), None, None),
]


def steps() -> Iterator[Row]:
    """A step with its reward, for each policy and each distribution, beside the bare draw."""
    draws = bare_draws()
    for policy, must, aim in POLICIES:
        a_block = block(policy, problem())
        bare, whole = least(draws["Gaussian"][1], partial(play, a_block))
        name = type(policy).__name__
        yield Row(
            f"{name}, K = 100, against numpy's bare normals",
            f"{whole * 1e3:.1f} / {bare * 1e3:.1f} ns",
            *(whole / bare, must, aim),
        )
    for name, (arm, draw) in draws.items():
        if arm is not GAUSSIAN:
            a_block = block(ob.APT(), problem(arm))
            bare, whole = least(draw, partial(play, a_block), times=5)
            yield Row(
                f"APT, {name} arms, against numpy's bare draw",
                f"{whole * 1e3:.1f} / {bare * 1e3:.1f} ns",
                whole / bare,
            )


class Mine(ob.Policy):
    """APT, as a user would write it in a file of his own."""

    @staticmethod
    def index(n: int, r: float, v: float, tau: float) -> float:
        """As APT's."""
        return float(n**0.5 * (abs(r - tau) + 0.05))


def a_users_policy() -> Row:
    """A policy that is not built in."""
    mine, apt = block(Mine(), problem()), block(ob.APT(), problem())
    of_mine, of_apt = least(lambda: play(mine), lambda: play(apt))
    return Row(
        "a user's own APT against the built-in one",
        f"{of_mine * 1e3:.1f} / {of_apt * 1e3:.1f} ns",
        *(of_mine / of_apt, 3.0),
    )


def with_numpy(of: ob.Problem, repetitions: int) -> None:
    """APT as a careful user writes it: all repetitions at once, and only the index that changed."""
    rng = np.random.Generator(np.random.SFC64(1))
    means, sds = of.means, np.sqrt(of.variances)
    n, total = np.ones((repetitions, of.K)), means + sds * rng.standard_normal((repetitions, of.K))
    index = np.abs(total - of.threshold) + 0.05
    over = total >= of.threshold
    misjudged = np.sum(over != (means >= of.threshold), axis=1)
    errors = np.zeros(T, np.int64)
    each = np.arange(repetitions)
    for t in range(of.K, T):
        i = index.argmin(axis=1)
        n[each, i] += 1
        total[each, i] += means[i] + sds[i] * rng.standard_normal(repetitions)
        count = n[each, i]
        r = total[each, i] / count
        index[each, i] = np.sqrt(count) * (np.abs(r - of.threshold) + 0.05)
        now = r >= of.threshold
        truth = means[i] >= of.threshold
        misjudged += (now != truth).astype(np.int64) - (over[each, i] != truth)
        over[each, i] = now
        errors[t] = np.count_nonzero(misjudged)


def best_numpy() -> Row:
    """The best that numpy alone does."""
    a_block = block(ob.APT(), problem(), repetitions=500)
    ours, numpys = least(lambda: play(a_block), lambda: with_numpy(problem(), 500), times=3)
    return Row(
        "APT, 500 repetitions: numpy, all at once, against ours",
        f"{numpys * 200:.1f} / {ours * 200:.1f} ns a step",
        *(numpys / ours, 8.0, 10.0, True),
    )


def two_threads() -> Iterator[Row]:
    """How much the second core is used."""
    for policy in (ob.APT(), ob.AugUCB()):
        block(policy, problem())
        run = partial(ob.simulate, problem(), [policy], T, 500)
        one, two = least(partial(run, threads=1), partial(run, threads=2))
        yield Row(
            f"{policy.name}, 500 repetitions: one thread against two",
            f"{one * 1e3:.0f} / {two * 1e3:.0f} ms",
            *(one / two, 1.8, 1.9, True),
        )


def growth() -> Iterator[Row]:
    """A step with many arms, past the first pull of each, against a step with a hundred."""

    def a_step(K: int, budget: int, times: int) -> float:
        few, many = (block(ob.APT(), problem(K=K), K + b, 4) for b in (budget // 10, budget))
        short, long = least(lambda: play(few), lambda: play(many), times=times)
        return (long - short) / (0.9 * budget * 4)

    hundred = a_step(100, 300_000, 9)
    for K, must, aim in ((1000, 1.5, 1.2), (10_000, 2.6, 2.0), (1_000_000, 18.0, 14.0)):
        many = a_step(K, 4_000_000 if K == 1_000_000 else 300_000, 2 if K == 1_000_000 else 9)
        yield Row(
            f"a step of APT, K = {K}, against 100",
            f"{many * 1e9:.1f} / {hundred * 1e9:.1f} ns",
            *(many / hundred, must, aim),
        )


MEMORY = """
import re
from pathlib import Path
from speed import ob, block, play, problem
def most():  # the most memory that the process has had
    return 1024 * int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
of = problem(K=1_000_000)
play(block(ob.APT(), problem()))
before = most()
play(block(ob.APT(), of, 5_000_000, 4))
print((most() - before) / 4_000_000)
"""


def memory() -> Row:
    """All that a run of a million arms takes beyond the problem itself."""
    arms = float(output([sys.executable, "-c", MEMORY], cwd=HERE))
    return Row(
        "memory, K = 10⁶, T = 5·10⁶, bytes an arm and repetition", f"{arms:.0f} bytes", arms, 150
    )


def output(command: list[str], **where: object) -> str:
    """Run a command to its end, and return what it printed."""
    done = subprocess.run(command, check=True, capture_output=True, text=True, **where)  # type: ignore[call-overload]
    return str(done.stdout)


COMPUTE = """
import sys
from pathlib import Path
from time import perf_counter
from overbar.experiments import paper
from overbar.experiments.engines import threads
from overbar.experiments.run import run
from overbar.experiments.store import Store
experiments = [paper.experiment(number, "written") for number in paper.NUMBERS]
best = float("inf")
for turn in range(4):
    with threads(2) as engine:
        began = perf_counter()
        run(experiments, engine, Store(Path(sys.argv[1]) / str(turn)))
        best = min(best, perf_counter() - began)
print(best)
"""


def the_paper() -> Iterator[Row]:
    """`overbar paper`, one reading: what is computed, and the whole command."""
    bare = least(bare_draws()["Gaussian"][1])[0]  # of a million: in seconds, µs a thousand
    with tempfile.TemporaryDirectory() as folder:
        compute = float(output([sys.executable, "-c", COMPUTE, folder]))
        scaled = compute * 7.6e-3 / bare
        yield Row(
            "`overbar paper --reading written`: computing, 2 threads, s where a normal is 7.6 ns",
            f"{compute:.2f} s, a normal {bare * 1e3:.1f} ns",
            *(scaled, 1.6, 1.0),
        )
        command = [str(OVERBAR), "paper", "--reading", "written"]
        cold = os.environ | {"NUMBA_CACHE_DIR": f"{folder}/cache"}

        def from_shell(out: str) -> None:
            output([*command, "--out", f"{folder}/{out}"], env=cold)

        first = least(lambda: from_shell("first"), times=1)[0]
        again = iter(range(9))
        second = least(lambda: from_shell(f"again{next(again)}"), times=4)[0]
        yield Row("the same from the shell, kernels kept, s", f"{second:.1f} s", second, 5, 3)
        yield Row("the same, compiling included, s", f"{first:.1f} s", first, 12, 6)


def helping() -> Row:
    """The command line's help."""
    python = [sys.executable, "-c"]
    numpy, helped = least(
        lambda: output([*python, "import numpy"]),
        lambda: output([str(OVERBAR), "--help"]),
        times=15,
    )
    return Row(
        "`overbar --help` against `import numpy`",
        f"{helped * 1e3:.0f} / {numpy * 1e3:.0f} ms",
        *(helped / numpy, 2.0, 1.3),
    )


def live() -> Iterator[Row]:
    """A pair of ask and tell."""

    def pairs(K: int) -> Callable[[], None]:
        budget = K + 400_000
        sampler = ob.Sampler(ob.APT(), [str(i) for i in range(K)], 0.5, budget)
        rewards = np.random.default_rng(1).random(budget).tolist()

        def do(count: int) -> None:
            for _ in range(count):
                [ask] = sampler.ask()
                sampler.tell(ask, rewards[ask.id])

        do(K)
        return partial(do, 20_000)

    few, many = (taken / 20_000 for taken in least(pairs(100), pairs(100_000), times=15))
    yield Row("live, ask and tell, K = 100, µs", f"{few * 1e6:.1f} µs", few * 1e6, 20, 2)
    yield Row("live, ask and tell, K = 100 000, µs", f"{many * 1e6:.1f} µs", many * 1e6, 20, 2)
    yield Row("the one against the other", "", many / few, 1.3)


def machine() -> str:
    """What this is measured on."""
    names = [
        line.split(":")[1].strip()
        for line in Path("/proc/cpuinfo").read_text().splitlines()
        if line.startswith("model name")
    ] or [platform.processor()]
    libraries = ", ".join(f"{name} {version(name)}" for name in ("numpy", "numba", "llvmlite"))
    return (
        f"{names[0]}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}; "
        f"Python {platform.python_version()}, {libraries}; overbar {ob.__version__}."
    )


TITLE = """# Speed

Written by `make bench`. Two times that are compared were taken in turn, each the least of several.

"""
HEAD = """| what | measured | ratio | must | aim | reached |
| --- | --- | --- | --- | --- | --- |
"""


def main() -> None:
    """Measure all, print it and write it."""
    print(machine(), "\n\n", HEAD, sep="", end="")
    rows = []
    parts = [steps, a_users_policy, two_threads, best_numpy, growth, memory, the_paper, helping]
    for part in (*parts, live):
        found = part()
        for row in [found] if isinstance(found, Row) else found:
            print(row, flush=True)
            rows.append(str(row))
    (HERE / "speed.md").write_text(TITLE + machine() + "\n\n" + HEAD + "\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
