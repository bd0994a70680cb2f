"""The simulator: same bits, same noise, right counts, right distributions."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import stats

import overbar as ob
from overbar.problem import Arm
from overbar.simulate.wilson import wilson
from tests.games import GAMES

POLICIES = [ob.AugUCB(), ob.APT(), ob.UCBE(), ob.UCBEV(), ob.CSAR(), ob.UniformAllocation()]
PROBLEM, BUDGET = GAMES["every distribution"]


def same(one: ob.Result, other: ob.Result) -> None:
    for policy in one.policies:
        assert np.array_equal(one.errors(policy), other.errors(policy))
        assert np.array_equal(one.pulls(policy), other.pulls(policy))
        assert np.array_equal(one.misjudged(policy), other.misjudged(policy))
        assert np.array_equal(one.tries(policy), other.tries(policy))


def test_same_bits_for_any_number_of_threads_and_any_order_of_policies() -> None:
    one = ob.simulate(PROBLEM, POLICIES, 500, repetitions=110, seed=7, threads=1)
    for threads in (2, 5):
        same(one, ob.simulate(PROBLEM, POLICIES, 500, repetitions=110, seed=7, threads=threads))
    reverse = ob.simulate(PROBLEM, POLICIES[::-1], 500, repetitions=110, seed=7)
    assert reverse.policies == one.policies[::-1]
    same(one, reverse)
    for policy in POLICIES:
        alone = ob.simulate(PROBLEM, [policy], 500, repetitions=110, seed=7)
        assert np.array_equal(alone.errors(policy.name), one.errors(policy.name))


def test_another_seed_gives_other_bits() -> None:
    results = [ob.simulate(PROBLEM, [ob.APT()], 500, 50, seed=s) for s in (1, 2, (1, 2), (2, 1))]
    curves = {tuple(result.errors("APT")) for result in results}
    assert len(curves) == 4


def test_the_first_repetitions_do_not_depend_on_how_many_follow() -> None:
    few = ob.simulate(PROBLEM, [ob.APT()], 300, 13, seed=1)
    many = ob.simulate(PROBLEM, [ob.APT()], 300, 64, seed=1)
    assert np.array_equal(many.wrong("APT")[:13], few.wrong("APT"))


@pytest.mark.parametrize("indifference", [0, 0.03])
@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name)
def test_counts_are_those_of_the_traces(policy: ob.Policy, indifference: float) -> None:
    """What is counted, counted again from each repetition's steps."""
    repetitions, budget, at = 6, 400, (1, 7, 90, 256, 257, 399)
    problem = ob.Problem(PROBLEM.arms, PROBLEM.threshold, indifference=indifference)
    assert sum(problem.either) == (2 if indifference else 0)  # means of 0.5 and 0.475
    result = ob.simulate(problem, [policy], budget, repetitions, seed=3, at=at)
    errors, pulls = np.zeros(budget, int), np.zeros(problem.K, int)
    for repetition in range(repetitions):
        trace = ob.trace(problem, policy, budget, seed=3, repetition=repetition)
        sums = [Fraction(0)] * problem.K
        n = [0] * problem.K
        answer: set[str] = set()
        for t in range(budget):
            if t < len(trace.arms):
                i = trace.arms[t]
                sums[i] += Fraction(float(trace.rewards[t]))
                n[i] += 1
                answer = {
                    name
                    for name, each, count in zip(problem.names, sums, n, strict=True)
                    if count and float(each / count) >= problem.threshold
                }
            misjudged = sum(
                (name in answer) != (arm.mean >= 0.5)
                for name, arm in zip(problem.names, problem.arms, strict=True)
                if indifference == 0 or abs(arm.mean - 0.5) > indifference
            )
            errors[t] += problem.loss(answer)
            assert (misjudged > 0) == problem.loss(answer)
            if t + 1 in at:
                assert result.misjudged(policy.name, t + 1)[repetition] == misjudged
        assert result.misjudged(policy.name)[repetition] == misjudged
        assert result.wrong(policy.name)[repetition] == (misjudged > 0)
        assert result.tries(policy.name)[repetition] == len(trace.arms)
        pulls += n
    assert np.array_equal(result.errors(policy.name), errors)
    assert np.array_equal(result.pulls(policy.name) * repetitions, pulls)
    assert result.saved(policy.name) == budget - pulls.sum() / repetitions


def test_all_policies_see_the_same_noise() -> None:
    """With arms that pay alike, the t-th try pays the same whoever tries what."""
    problem = ob.Problem([ob.Gaussian(0.3, 1.0)] * 8, 0.5)
    traces = [ob.trace(problem, policy, 300, seed=5, repetition=2) for policy in POLICIES]
    choices = {tuple(trace.arms[:250]) for trace in traces}
    assert len(choices) >= 4
    for trace in traces:
        assert np.array_equal(trace.rewards[:250], traces[0].rewards[:250])


def test_stays_in_step_whatever_distribution_is_pulled() -> None:
    """A step takes one word, even where a Beta or a tail of a normal needs many."""
    fixed, mixed = ob.Uniform(0, 1), ob.Beta(0.3, 4)
    a = ob.trace(ob.Problem([fixed, fixed], 0.5), ob.UniformAllocation(), 500, seed=1)
    b = ob.trace(ob.Problem([fixed, mixed], 0.5), ob.UniformAllocation(), 500, seed=1)
    assert np.array_equal(a.arms, b.arms)
    first = a.arms == 0
    assert np.array_equal(a.rewards[first], b.rewards[first])
    assert not np.array_equal(a.rewards[~first], b.rewards[~first])


def test_the_noise_is_numpy_s_sfc64() -> None:
    numpy_s = np.random.SFC64(np.random.SeedSequence(9, spawn_key=(0, 4))).random_raw(400)
    trace = ob.trace(ob.Problem([ob.Uniform(0, 1)], 0.5), ob.APT(), 400, seed=9, repetition=4)
    assert np.array_equal(trace.rewards, (numpy_s >> np.uint64(11)) * 2.0**-53)


@pytest.mark.parametrize(
    ("arm", "law"),
    [
        (ob.Gaussian(0, 1), stats.norm()),
        (ob.Gaussian(-2, 0.1), stats.norm(-2, 0.1)),
        (ob.Beta(2, 3), stats.beta(2, 3)),
        (ob.Beta(0.2, 0.3), stats.beta(0.2, 0.3)),
        (ob.Beta(40, 1), stats.beta(40, 1)),
        (ob.Uniform(-1, 3), stats.uniform(-1, 4)),
        (ob.Exponential(0.7), stats.expon(scale=0.7)),
    ],
    ids=str,
)
def test_rewards_follow_their_law(arm: Arm, law: Any) -> None:
    """Kolmogorov-Smirnov at 400 000 draws: p below 0.0001 by chance once in 10 000 seeds."""
    rewards = ob.trace(ob.Problem([arm], 0.5), ob.APT(), 400_000, seed=21).rewards
    assert stats.kstest(rewards, law.cdf).pvalue > 1e-4
    assert arm.mean == pytest.approx(law.mean())
    assert arm.variance == pytest.approx(law.var())


def test_the_tail_of_the_normal() -> None:
    """Beyond ±3.654, where the ziggurat turns to its tail: the count and the shape."""
    rewards = ob.trace(ob.Problem([ob.Gaussian(0, 1)], 0.5), ob.APT(), 4_000_000, seed=2).rewards
    tail = np.abs(rewards[np.abs(rewards) > 3.6541528853610088])
    expected = 4_000_000 * 2 * stats.norm.sf(3.6541528853610088)
    assert abs(len(tail) - expected) < 4 * np.sqrt(expected)  # by chance once in 15 000 seeds
    p = stats.kstest(
        tail, lambda x: 1 - stats.norm.sf(x) / stats.norm.sf(3.6541528853610088)
    ).pvalue
    assert p > 1e-4
    assert abs(np.mean(rewards > 0) - 0.5) < 4 * 0.5 / 2000


def test_discrete_rewards_follow_their_law() -> None:
    rewards = ob.trace(ob.Problem([ob.Bernoulli(0.3)], 0.5), ob.APT(), 100_000, seed=1).rewards
    assert set(rewards) == {0.0, 1.0}
    assert abs(rewards.mean() - 0.3) < 4 * np.sqrt(0.21 / 100_000)
    log = [0.1, 0.5, 0.5, 0.9]
    problem = ob.Problem([ob.Empirical([7.0]), ob.Empirical(log)], 0.5)
    trace = ob.trace(problem, ob.UniformAllocation(), 100_000, seed=1)
    assert set(trace.rewards[trace.arms == 0]) == {7.0}
    resampled = trace.rewards[trace.arms == 1]
    assert set(resampled) == set(log)
    assert abs((resampled == 0.5).mean() - 0.5) < 4 * 0.5 / np.sqrt(len(resampled))


def test_extreme_betas_stay_in_the_unit_interval() -> None:
    for a, b in ((0.001, 0.001), (1e-5, 2), (1e6, 1e6), (0.01, 1e4)):
        rewards = ob.trace(ob.Problem([ob.Beta(a, b)], 0.5), ob.APT(), 2000, seed=1).rewards
        assert np.all((rewards >= 0) & (rewards <= 1))


def test_variance_survives_an_offset_of_ten_to_the_eighth() -> None:
    """AugUCB's choices depend on v̂: with every reward moved by 10⁸ they stay the same.

    At 10⁸ a float resolves 1.5e-8; eighths are exact there.
    """
    log = [0.0, 0.25, 0.375, 0.5, 1.0]
    spreads = (1, 2, 3, 1, 2, 3, 1)
    games = [
        ob.Problem([ob.Empirical([offset + s * x for x in log]) for s in spreads], offset + 0.75)
        for offset in (0.0, 1e8)
    ]
    near, far = (ob.trace(game, ob.AugUCB(), 2000, seed=1) for game in games)
    assert np.array_equal(near.rewards + 1e8, far.rewards)
    assert np.mean(near.arms == far.arms) == 1.0


def test_wilson_is_scipy_s() -> None:
    errors = np.array([0, 1, 37, 250, 499, 500])
    for confidence in (0.5, 0.95, 0.999):
        low, high = wilson(errors, 500, confidence)
        for i, k in enumerate(errors):
            interval = stats.binomtest(int(k), 500).proportion_ci(confidence, method="wilson")
            assert (low[i], high[i]) == pytest.approx((interval.low, interval.high), abs=1e-12)


def test_result_s_interval_holds_the_rate() -> None:
    result = ob.simulate(PROBLEM, [ob.APT()], 300, 50, seed=1)
    low, high = result.interval("APT")
    assert np.all(low <= result.error_rate("APT"))
    assert np.all(result.error_rate("APT") <= high)
    assert len(low) == 300


def test_a_stopped_policy_s_curve_stays_and_its_savings_are_told() -> None:
    problem, budget = GAMES["all deleted"]
    result = ob.simulate(problem, [ob.AugUCB()], budget, 40, seed=1)
    assert result.saved("AugUCB") > budget / 2
    assert result.errors("AugUCB")[-1] == result.wrong("AugUCB").sum()
    assert len(set(result.errors("AugUCB")[-budget // 2 :])) == 1


def test_tries_are_told_of_each_repetition() -> None:
    problem = ob.Problem([ob.Gaussian(0.5 + i, 0.8) for i in (-4, -3, -2, -1, 1, 2, 3, 4)], 0.5)
    policy, budget = ob.AugUCB(rho=0.1), 2000
    result = ob.simulate(problem, [policy], budget, 9, seed=1)
    traces = [ob.trace(problem, policy, budget, seed=1, repetition=i) for i in range(9)]
    assert result.tries("AugUCB").tolist() == [len(trace.arms) for trace in traces]
    assert len(set(result.tries("AugUCB"))) > 3


def test_a_zone_of_indifference_ends_where_it_is_said_to() -> None:
    """At 0.05 from the bar, though 0.55 − 0.5 and 1000.05 − 1000 are not 0.05 in floats."""
    for tau in (0.5, 1000, -3e5):
        arms = [ob.Gaussian(tau + d, 1) for d in (-0.06, -0.05, -0.01, 0, 0.05, 0.0501)]
        zone = ob.Problem(arms, tau, indifference=0.05)
        assert zone.either.tolist() == [False, True, True, True, True, False]
        assert zone.over == {"4", "5", "6"}
        assert [zone.loss(answer) for answer in ({"6"}, {"2", "3", "6"}, {"5"}, {"1", "6"})] == [
            *(0, 0, 1, 1)
        ]
    assert not any(ob.Problem(arms, tau).either)  # without a zone, an arm at the bar is over it
    assert ob.Problem(arms, tau).loss({"5", "6"}) == 1


def test_two_policies_of_one_name_are_told_apart_by_names_given() -> None:
    result = ob.simulate(PROBLEM, {"wide": ob.APT(0.5), "narrow": ob.APT(0)}, 400, 50, seed=1)
    assert result.policies == ["wide", "narrow"]
    assert not np.array_equal(result.pulls("wide"), result.pulls("narrow"))
