"""Every policy chooses, at every step, what the slow reference chooses; and so does live use."""

import warnings

import numpy as np
import pytest

import overbar as ob
from overbar.policies import BUILT_IN
from tests.games import GAMES, Tape, Words, rivals

SEED = 11
CASES = [(game, rival) for game in GAMES for rival in range(20)]


@pytest.mark.parametrize(("game", "rival"), CASES)
def test_chooses_as_the_reference(game: str, rival: int) -> None:
    problem, budget = GAMES[game]
    policy, play_reference = rivals(problem, budget, Words(SEED))[rival]
    trace = ob.trace(problem, policy, budget, seed=SEED)
    tape = Tape(trace.rewards)
    play_reference(tape.pull)
    assert tape.arms == trace.arms.tolist()


@pytest.mark.parametrize(("game", "rival"), CASES)
def test_live_chooses_as_simulated(game: str, rival: int) -> None:
    problem, budget = GAMES[game]
    policy, _ = rivals(problem, budget, Words(SEED))[rival]
    if isinstance(policy, ob.UCBE | ob.UCBEV) and policy.a is None:
        rounds = policy.rounds(ob.Game(problem.K, budget, problem))
        policy = type(policy)(a=rounds[0].constants[0])  # live use does not know the truth
    trace = ob.trace(problem, policy, budget, seed=SEED)
    sampler = ob.Sampler(policy, problem.names, problem.threshold, budget, seed=SEED)
    for arm, reward in zip(trace.arms, trace.rewards, strict=True):
        [ask] = sampler.ask()
        assert ask.arm == problem.names[arm]
        sampler.tell(ask, float(reward))
    assert sampler.ask() == []
    assert sampler.remaining == budget - len(trace.arms)


def test_the_games_bring_out_what_they_are_for() -> None:
    """Deletions in the middle, all deleted, and a change of rounds do happen in the games."""
    problem, budget = GAMES["all deleted"]
    assert 0 < len(ob.trace(problem, ob.AugUCB(), budget, seed=SEED).arms) < budget
    problem, budget = GAMES["some deleted in the middle"]
    arms = ob.trace(problem, ob.AugUCB(), budget, seed=SEED).arms
    assert len(arms) == budget
    assert len(set(arms[-200:])) < problem.K  # some are pulled no more
    for game in ("twenty, rounds change", "some deleted in the middle"):
        problem, budget = GAMES[game]
        first, second, *_ = ob.AugUCB().rounds(ob.Game(problem.K, budget))
        assert problem.K * first.length < budget
        assert second.constants != first.constants


def test_every_built_in_policy_has_a_reference() -> None:
    problem, budget = GAMES["near the bar"]
    assert {type(policy) for policy, _ in rivals(problem, budget, Words(0))} == set(BUILT_IN)


def test_augucb_s_constants_are_those_of_algorithm_1() -> None:
    rounds = ob.AugUCB().rounds(ob.Game(100, 10_000))
    assert len(rounds) == 7  # M = floor(½ log2(10 000 / e)) = 5; m = 0..M can end, M + 1 cannot
    assert rounds[0].length == 73
    assert rounds[0].constants == pytest.approx((1 / 3, 3.9304, 9.2103), abs=1e-4)
    assert rounds[1].constants == pytest.approx((1 / 3, 1.9652, 8.5172), abs=1e-4)


def test_few_arms_and_augucb() -> None:
    """What the warning says: nearly uniform at K = 4, less so at 5 and 6; one round."""
    unevenness = []
    for K in (4, 5, 6):
        problem = ob.Problem([ob.Bernoulli(i / K) for i in range(K)], 0.5)
        with pytest.warns(ob.OverbarWarning, match="much as uniform allocation"):
            result = ob.simulate(problem, [ob.AugUCB()], budget=2000, repetitions=50)
        pulls = result.pulls("AugUCB")
        unevenness.append(max(pulls) / min(pulls))
        assert K * ob.AugUCB().rounds(ob.Game(K, 2000))[0].length > 2000
    assert 1 < unevenness[0] < 1.6 < unevenness[1] < unevenness[2]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ob.AugUCB().check(ob.Game(7, 400))


def test_csar_keeps_within_the_budget_and_stops() -> None:
    for K in (2, 3, 10, 57):
        for T in (K + 1, 2 * K, 10 * K + 3, 1000 + K):
            problem = ob.Problem([ob.Gaussian(0.01 * i, 1.0) for i in range(K)], 0.3)
            tries = len(ob.trace(problem, ob.CSAR(), T).arms)
            n = [sum(r.length for r in ob.CSAR().rounds(ob.Game(K, T))[:k]) for k in range(1, K)]
            assert tries == sum(n) + n[-1] <= T


def test_uniform_allocation_is_uniform() -> None:
    """Chi-squared with 9 degrees of freedom: above 27.9 with probability 0.001."""
    problem = ob.Problem([ob.Bernoulli(0.5)] * 10, 0.5)
    pulls = np.bincount(ob.trace(problem, ob.UniformAllocation(), 100_000, seed=3).arms)
    assert float(((pulls - 10_000) ** 2 / 10_000).sum()) < 27.9
