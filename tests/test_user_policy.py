"""A policy that a user writes in a file of his own plays in simulation and live."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import overbar as ob

SOURCE = '''
"""A policy of my own: APT at first, in rounds, with some chance, that deletes clear arms."""

from dataclasses import dataclass
from math import log, sqrt

import overbar as ob


def radius(n, level):
    return sqrt(helper(level) / n)


def helper(level):
    return log(1 + level) / 2


@dataclass(frozen=True)
class Mine(ob.Policy):
    level: float = 3.0
    first_pulls = 2

    def rounds(self, game):
        return [ob.Round((self.level, 0.0), 20, settles=1), ob.Round((1.0, 0.1), game.T)]

    @staticmethod
    def index(n, r, v, tau, level, epsilon):
        return sqrt(n) * (abs(r - tau) + epsilon) - 0.1 * radius(n, level)

    @staticmethod
    def deleted(n, r, v, tau, level, epsilon):
        return abs(r - tau) - sqrt(v / n) > 3 * radius(n, level)

    @staticmethod
    def pick(u, K):
        if u < 0.25:
            return int(4 * u * K)
        return -1
'''
PROBLEM = ob.Problem(
    [ob.Gaussian(m, 0.3) for m in (0.1, 0.3, 0.45, 0.5, 0.55, 0.7, 0.95, 2.0)], 0.5
)


@pytest.fixture
def mine(tmp_path: Path) -> ModuleType:
    path = tmp_path / "my_policies.py"
    path.write_text(SOURCE)
    spec = importlib.util.spec_from_file_location("my_policies", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["my_policies"] = module
    spec.loader.exec_module(module)
    return module


def test_plays_alike_simulated_and_live(mine: ModuleType) -> None:
    policy = mine.Mine()
    trace = ob.trace(PROBLEM, policy, 800, seed=3)
    assert trace.arms[:16].tolist() == [*range(8), *range(8)]  # two first pulls each
    sampler = ob.Sampler(policy, PROBLEM.names, 0.5, 800, seed=3)
    for arm, reward in zip(trace.arms, trace.rewards, strict=True):
        [ask] = sampler.ask()
        assert ask.arm == PROBLEM.names[arm]
        sampler.tell(ask, float(reward))
    pulls = np.bincount(trace.arms, minlength=8)
    assert pulls.min() < 30 < pulls.max()


def test_stands_beside_the_built_in_ones(mine: ModuleType) -> None:
    result = ob.simulate(PROBLEM, [mine.Mine(), ob.APT(), ob.UniformAllocation()], 800, 60, seed=1)
    assert result.policies == ["Mine", "APT", "UA"]
    assert 0 < result.error_rate("Mine")[-1] < 1


def test_a_policy_without_parameters_needs_an_index_alone() -> None:
    class Nearest(ob.Policy):
        @staticmethod
        def index(n: int, r: float, v: float, tau: float) -> float:
            return n * abs(r - tau)

    assert Nearest.name == "Nearest"
    assert len(ob.trace(PROBLEM, Nearest(), 100).arms) == 100


def test_mistakes_in_a_policy_are_pointed_out() -> None:
    with pytest.raises(TypeError, match=r"Selfish\.index must be a @staticmethod"):

        class Selfish(ob.Policy):
            def index(self, n: int, r: float, v: float, tau: float) -> float:
                return r

    with pytest.raises(TypeError, match="has no index"):

        class Empty(ob.Policy):
            pass

    class Forgetful(ob.Policy):
        @staticmethod
        def index(n: int, r: float, v: float, tau: float, epsilon: float) -> float:
            return n * (abs(r - tau) + epsilon)

    with pytest.raises(ob.InvalidInput, match=r"round of Forgetful is \(\).*1 constants"):
        ob.simulate(PROBLEM, [Forgetful()], 100)


def plays_alike(policy: ob.Policy, budget: int = 120) -> None:
    """Play the policy simulated and live, and compare each choice."""
    trace = ob.trace(PROBLEM, policy, budget, seed=4)
    sampler = ob.Sampler(policy, PROBLEM.names, 0.5, budget, seed=4)
    for arm, reward in zip(trace.arms, trace.rewards, strict=True):
        [ask] = sampler.ask()
        assert ask.arm == PROBLEM.names[arm]
        sampler.tell(ask, float(reward))


def helper_with_default(x: float, c: float = 2.0) -> float:
    return c * x


class Spreads(ob.Policy):
    def constants(self, game: ob.Game) -> tuple[float, ...]:
        return (0.3, 0.1)

    @staticmethod
    def index(n: int, r: float, v: float, tau: float, *constants: float) -> float:
        return n * (abs(r - tau) + constants[0]) * (2 - len(constants)) - constants[1] * r

    @staticmethod
    def deleted(n: int, r: float, v: float, tau: float, near: float, far: float) -> bool:
        return helper_with_default(abs(r - tau)) > 1.5


def test_constants_reach_a_function_however_it_takes_them() -> None:
    plays_alike(Spreads())


class Six(ob.Policy):
    def rounds(self, game: ob.Game) -> list[ob.Round]:
        return [ob.Round((1, 2, 3, 4, 5, 6), length=2**62)]

    @staticmethod
    def index(
        n: int, r: float, v: float, tau: float, a: int, b: int, c: int, d: int, e: int, f: int
    ) -> float:
        return n * abs(r - tau) + a / b + c / d + e / f


def test_many_constants_and_a_round_without_end() -> None:
    plays_alike(Six())
    assert len(ob.trace(PROBLEM, Six(), 120).arms) == 120


class Greedy(ob.Policy):
    def constants(self, game: ob.Game) -> tuple[float, ...]:
        return (0.05,)

    @staticmethod
    def index(n: int, r: float, v: float, tau: float, epsilon: float) -> float:
        return n * (abs(r - tau) + epsilon)

    @staticmethod
    def deleted(n: int, r: float, v: float, tau: float, epsilon: float, more: float) -> bool:
        return n > more


class Recursive(ob.Policy):
    @staticmethod
    def index(n: int, r: float, v: float, tau: float) -> float:
        return down(n) * abs(r - tau)


def down(n: int) -> int:
    return down(n - 1) if n > 1 else n


class Text(ob.Policy):
    @staticmethod
    def index(n: int, r: float, v: float, tau: float) -> float:
        return float(f"{n}")


class Beyond(ob.Policy):
    @staticmethod
    def pick(u: float, K: int) -> int:
        return K

    @staticmethod
    def index(n: int, r: float, v: float, tau: float) -> float:
        return n


@pytest.mark.parametrize(
    ("policy", "error", "message"),
    [
        (Greedy(), ob.InvalidInput, r"round of Greedy is .* 2 constants, as its deleted takes"),
        (Recursive(), ob.InvalidInput, "one that calls itself"),
        (Text(), ob.OverbarError, "functions of Text cannot be compiled: they may use numbers"),
        (Beyond(), IndexError, "pick named an arm that there is not"),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_what_cannot_be_simulated_is_told(
    policy: ob.Policy, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        ob.simulate(PROBLEM, [policy], 100, 2)


def test_a_helper_that_changes_is_seen(tmp_path: Path, mine: ModuleType) -> None:
    """As in a notebook, where a cell is run again."""
    before = ob.trace(PROBLEM, mine.Mine(), 200, seed=3)
    mine.helper = lambda level: 50.0 * level  # type: ignore[attr-defined]
    plays_alike(mine.Mine(), 200)
    after = ob.trace(PROBLEM, mine.Mine(), 200, seed=3)
    assert not np.array_equal(before.arms, after.arms)
