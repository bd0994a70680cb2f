"""Complexities and bounds: against their equations, and in the relations that the paper prints."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import overbar as ob
from overbar import theory
from overbar.experiments.paper import experiment

PROBLEMS = st.lists(
    st.tuples(st.floats(-1, 2).filter(lambda mean: abs(mean - 0.5) > 1e-6), st.floats(0, 2)),
    min_size=1,
    max_size=60,
).map(lambda arms: ob.Problem([ob.Gaussian(mean, sd) for mean, sd in arms], 0.5))


def with_gaps(gaps: list[float]) -> ob.Problem:
    return ob.Problem([ob.Gaussian(0.5 - gap, 0.0) for gap in gaps], 0.5)


def test_complexities_by_hand() -> None:
    problem = ob.Problem([ob.Gaussian(0.25, 0.5), ob.Gaussian(1.0, 0.25)], 0.5)
    assert theory.H_1(problem) == 1 / 0.25**2 + 1 / 0.5**2
    assert theory.H_CSAR_2(problem) == theory.H_2(problem) == max(1 / 0.25**2, 2 / 0.5**2)
    first = (0.5 + math.sqrt(0.25 + 16 / 3 * 0.25)) / 0.25**2
    second = (0.25 + math.sqrt(0.0625 + 16 / 3 * 0.5)) / 0.5**2
    assert theory.H_sigma_1(problem) == pytest.approx(first + second)
    assert theory.H_sigma_2(problem) == pytest.approx(max(1 * first, 2 * second))
    assert theory.log_bar(4) == pytest.approx(0.5 + 1 / 2 + 1 / 3 + 1 / 4)


def test_what_certainty_costs() -> None:
    """(1 − 2δ) ln((1 − δ)/δ) / d(r, τ), an arm at a time, by hand."""
    kl = 0.8 * math.log(9)
    normal = ob.Problem([ob.Gaussian(0.7, 0.3), ob.Gaussian(0.2, 0.5)], 0.5)
    assert theory.fewest_tries(normal, 0.9) == pytest.approx(
        kl * (2 * 0.09 / 0.04 + 2 * 0.25 / 0.09)
    )
    passes = ob.Problem([ob.Bernoulli(0.9), ob.Bernoulli(1)], 0.8)
    d = 0.9 * math.log(0.9 / 0.8) + 0.1 * math.log(0.1 / 0.2)
    assert theory.fewest_tries(passes, 0.9) == pytest.approx(kl * (1 / d - 1 / math.log(0.8)))
    assert theory.fewest_tries(ob.Problem([ob.Bernoulli(0.5)], 0.5), 0.9) == math.inf
    assert theory.fewest_tries(ob.Problem([ob.Gaussian(0.4, 0)], 0.5), 0.9) == 0
    assert theory.fewest_tries(ob.Problem([ob.Bernoulli(0.4)], 1), 0.9) == 0  # one failure tells
    assert theory.fewest_tries(passes, 0.5) == 0
    zone = ob.Problem([ob.Gaussian(0.7, 0.3), ob.Gaussian(0.45, 0.3)], 0.5, indifference=0.1)
    assert theory.fewest_tries(zone, 0.9) == pytest.approx(kl * 2 * 0.09 / 0.3**2)
    with pytest.raises(ob.InvalidInput, match=r"Uniform.*but must be Bernoulli or Gaussian"):
        theory.fewest_tries(ob.Problem([ob.Uniform(0, 1)], 0.4), 0.9)


def harmonic(K: int) -> float:
    return sum(1 / i for i in range(1, K + 1))


@given(PROBLEMS)
@example(with_gaps([math.sqrt(i) for i in range(1, 40)]))
def test_chains_that_hold(problem: ob.Problem) -> None:
    K = problem.K
    for one, two in (
        (theory.H_1(problem), theory.H_CSAR_2(problem)),
        (theory.H_sigma_1(problem), theory.H_sigma_2(problem)),
    ):
        assert two <= one * (1 + 1e-12)
        assert one <= (theory.log_bar(K) + 0.5) * two * (1 + 1e-12)
        if K >= 5:
            assert one <= math.log(2 * K) * two * (1 + 1e-12)


def test_the_printed_chains_that_do_not() -> None:
    """H_1 ≤ log(K) H_CSAR,2 and H_σ,1 ≤ lōg(K) H_σ,2 fail where gaps grow as sqrt(i)."""
    for K in (2, 8, 100):
        problem = with_gaps([math.sqrt(i) for i in range(1, K + 1)])
        assert theory.H_1(problem) == pytest.approx(harmonic(K) * theory.H_CSAR_2(problem))
        assert theory.H_1(problem) > math.log(K) * theory.H_CSAR_2(problem)
    K = 20  # Δ̃_i² = Δ_i^1.5 / sqrt(16/3) with no spread
    problem = with_gaps([i ** (2 / 3) for i in range(1, K + 1)])
    assert theory.H_sigma_1(problem) > theory.log_bar(K) * theory.H_sigma_2(problem)
    four = with_gaps([math.sqrt(i) for i in range(1, 5)])
    assert theory.H_1(four) > math.log(2 * 4) * theory.H_2(four)  # with max, from K = 5 only


@given(st.integers(8, 10**9))
def test_the_comparison_with_UCBEV_holds_from_eight_arms(K: int) -> None:
    assert math.log(K * math.log(K)) > math.log(2 * K)


def test_H_2_with_min_as_printed_would_break_its_relation() -> None:
    problem = with_gaps([0.1, 10.0] + [10.0] * 8)
    with_min = min(i / gap**2 for i, gap in enumerate(sorted(problem.gaps), start=1))
    assert theory.H_1(problem) > math.log(2 * problem.K) * with_min


def test_an_arm_on_the_threshold_has_infinite_complexity() -> None:
    problem = ob.Problem([ob.Gaussian(0.5, 0.3), ob.Gaussian(0.5, 0), ob.Gaussian(0.9, 0.3)], 0.5)
    for H in (theory.H_1, theory.H_2, theory.H_CSAR_2, theory.H_sigma_1, theory.H_sigma_2):
        assert H(problem) == math.inf


def test_bounds_by_hand() -> None:
    problem = with_gaps([0.5] * 4)
    T = 10_000
    bounds = {bound.policy: bound for bound in theory.bounds(problem, T)}
    assert list(bounds) == ["AugUCB", "UCBEV", "APT", "CSAR"]
    H = theory.H_sigma_2(problem)
    by_hand = 2 * 4 * T * math.exp(-T / (4096 * math.log(4 * math.log(4)) * H))
    assert bounds["AugUCB"].value == pytest.approx(by_hand)
    by_hand = math.exp(-(T - 8) / (512 * theory.H_sigma_1(problem)) + math.log(24 * T))
    assert bounds["UCBEV"].value == pytest.approx(by_hand)
    by_hand = math.exp(-T / (64 * 16) + 2 * math.log((math.log(T) + 1) * 4))
    assert bounds["APT"].value == pytest.approx(by_hand)
    by_hand = math.exp(-(T - 4) / (72 * math.log(4) * 16) + 2 * math.log(4))
    assert bounds["CSAR"].value == pytest.approx(by_hand)


@pytest.mark.parametrize("number", [1, 2, 3, 4, 5])
def test_every_bound_of_the_paper_s_experiments_is_vacuous(number: int) -> None:
    for bound in theory.bounds(experiment(number, "written").problem(), 10_000):
        assert bound.vacuous
        assert bound.value > 1  # reported as it is, not clipped
        assert "vacuous" in str(bound)


def test_a_bound_that_says_something_and_one_that_no_float_holds() -> None:
    problem = with_gaps([0.5] * 10)
    certain = theory.bound_APT(problem, 10**7)
    assert not certain.vacuous
    assert certain.log < -2000  # far below what a float holds: kept in logs
    assert certain.value == 0.0
    huge = theory.Bound("any", 1000.0)
    assert huge.value == math.inf
    assert str(huge) == "any: 10^434 (vacuous)"


def test_bounds_ask_for_their_arms_and_budget() -> None:
    with pytest.raises(ob.InvalidInput, match="at least 4"):
        theory.bound_AugUCB(with_gaps([0.5] * 3), 100)
    with pytest.raises(ob.InvalidInput, match="at least 20"):
        theory.bound_UCBEV(with_gaps([0.5] * 10), 19)
    with pytest.raises(ob.InvalidInput, match="at least 2 "):
        theory.bound_CSAR(with_gaps([0.5]), 100)


def test_moments_of_the_paper_s_first_experiment() -> None:
    problem = experiment(1, "written").problem()
    assert problem.over == {"6", "7", "8", "9", "10"}
    assert np.allclose(problem.means[:10], [0.2, 0.25, 0.3, 0.35, 0.45, 0.55, 0.65, 0.7, 0.75, 0.8])
    assert np.allclose(problem.variances[:10], [0.5] * 5 + [0.6] * 5)
    assert problem.means[10:].tolist() == [0.4] * 90
    assert 0.38 <= problem.variances[10:].min() < 0.39
    assert 0.41 < problem.variances[10:].max() <= 0.42
