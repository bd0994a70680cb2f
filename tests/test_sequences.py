"""Confidence sequences: against the integrals that they stand for, and for what they promise."""

from collections import defaultdict
from math import exp, inf, lgamma, log, log1p

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import dblquad, quad
from scipy.stats import beta, norm

from overbar.sequences import BETS, Noise, bounded, growth, log_evidence, log_gamma

LEVEL = log(1 / 0.05)


def evidence(xs: list[float], m: float, noise: str = "bounded") -> float:
    known = Noise.read(noise)
    x = np.array(xs)
    return exp(log_evidence(len(x), x.mean(), x.var(), m, known.model, known.sigma))


@pytest.mark.parametrize("m", [0.1, 0.5, 0.95])
@pytest.mark.parametrize("xs", [[1.0], [0.0] * 4, [1, 0, 1, 1, 1, 0, 1], [0.3, 0.8, 0.25]])
def test_bounded_is_a_mixture_of_likelihood_ratios_and_of_bets(xs: list[float], m: float) -> None:
    x = np.array(xs)
    S, F = x.sum(), (1 - x).sum()

    def ratio(q: float) -> float:
        return float((q / m) ** S * ((1 - q) / (1 - m)) ** F)

    mixture, _ = quad(lambda q: ratio(q) * beta.pdf(q, 0.5, 0.5), 0, 1)
    side = 1 if x.mean() > m else -1
    bets = [
        exp(bet * side * (x - m).sum() - (-log1p(-bet) - bet) * ((x - m) ** 2).sum())
        for bet in (0.58, 0.29, 0.145, 0.0725)
    ]
    expected = 3 / 4 * mixture + 1 / 8 * np.mean(bets)
    assert evidence(xs, m) == pytest.approx(expected, rel=1e-4)


@given(st.floats(0.5, 1e9))
def test_log_gamma(x: float) -> None:
    assert log_gamma(x) == pytest.approx(lgamma(x), rel=1e-14, abs=2e-14)


@pytest.mark.parametrize("xs", [[0.4], [1.3, -0.2, 0.9], [0.1, 0.2, 0.15, 0.3]])
def test_sub_gaussian_is_a_mixture_of_normal_likelihood_ratios(xs: list[float]) -> None:
    x, m, sigma = np.array(xs), 0.5, 0.3

    def weighted(mu: float) -> float:
        ratio = np.prod(norm.pdf(x, mu, sigma) / norm.pdf(x, m, sigma))
        return float(ratio * norm.pdf(mu, m, sigma))

    mixture, _ = quad(weighted, m - 12 * sigma, m + 12 * sigma, points=[m])
    assert evidence(xs, m, f"sub-gaussian:{sigma}") == pytest.approx(mixture, rel=1e-6)


@pytest.mark.parametrize("xs", [[0.4], [1.3, -0.2, 0.9], [0.1, 0.2, 0.15]])
def test_normal_is_a_mixture_that_no_scale_changes(xs: list[float]) -> None:
    """Over σ by dσ/σ, and over (mean − m)/σ by N(0, 1)."""
    x, m = np.array(xs), 0.5

    def density(log_sigma: float, delta: float) -> float:
        return float(np.prod(norm.pdf(x, m + delta * exp(log_sigma), exp(log_sigma))))

    mixed, _ = dblquad(lambda s, d: density(s, d) * norm.pdf(d), -8, 8, -6, 9, epsrel=1e-5)
    null, _ = quad(lambda s: density(s, 0), -6, 9, limit=200)
    assert evidence(xs, m, "normal") == pytest.approx(mixed / null, rel=1e-3)
    assert evidence([m + 100 * (each - m) for each in xs], m, "normal") == pytest.approx(
        evidence(xs, m, "normal")
    )


def chance_of_reaching(payouts: dict[float, float], tries: int) -> float:
    """Return how probable it is, exactly, that a try brings the evidence of the mean to 20.

    By going through all records that there can be: how often each of the rewards came.
    """
    values = np.array(list(payouts))
    m = float(values @ list(payouts.values()))
    records: dict[tuple[int, ...], float] = {(0,) * len(values): 1.0}
    reached = 0.0
    for n in range(1, tries + 1):
        after: defaultdict[tuple[int, ...], float] = defaultdict(float)
        for record, weight in records.items():
            for i, chance in enumerate(payouts.values()):
                more = (*record[:i], record[i] + 1, *record[i + 1 :])
                after[more] += weight * chance
        records = {}
        for record, weight in after.items():
            r = float(values @ record) / n
            v = max(0.0, float(values**2 @ record) / n - r * r)
            if bounded(n, r, v, m) >= LEVEL:
                reached += weight
            else:
                records[record] = weight
    return reached


@pytest.mark.parametrize("p", [0.02, 0.3, 0.5, 0.9, 0.99])
def test_the_mean_of_passes_is_left_out_ever_with_probability_below_alpha(p: float) -> None:
    chance = chance_of_reaching({0.0: 1 - p, 1.0: p}, tries=300)
    assert 0.001 < chance < 0.05


@pytest.mark.parametrize(
    "payouts",
    [
        {0.0: 0.1, 0.5: 0.8, 1.0: 0.1},
        {0.0: 0.02, 0.9: 0.98},
        {0.45: 0.5, 0.55: 0.5},
        {0.0: 0.3, 0.7: 0.4, 1.0: 0.3},
    ],
)
def test_the_mean_of_shares_is_left_out_ever_with_probability_below_alpha(
    payouts: dict[float, float],
) -> None:
    assert chance_of_reaching(payouts, tries=60) < 0.05


def test_bets_lose_all_the_way_to_the_mean() -> None:
    """So that the means that are left are an interval. It is so up to λ = 0.58."""
    for bet, psi in BETS:
        assert psi == pytest.approx(-log1p(-bet) - bet)
        assert bet >= 2 * psi


@settings(max_examples=300, deadline=None)
@given(
    st.integers(1, 5000),
    st.floats(0, 1),
    st.floats(0, 1),
    st.floats(0, 1),
    st.sampled_from(["bounded", "normal", "sub-gaussian:0.3"]),
    st.floats(0.5, 20),
)
def test_an_interval_holds_the_means_whose_evidence_is_too_little(
    n: int, r: float, spread: float, m: float, noise: str, level: float
) -> None:
    v = spread * r * (1 - r)
    known = Noise.read(noise)
    low, high = known.interval(n, r, v, level)
    found = log_evidence(n, r, v, m, known.model, known.sigma)
    assert low <= r <= high
    if abs(m - low) > 1e-6 and abs(m - high) > 1e-6:
        assert (low < m < high) == (found < level)
    wider, wide = known.interval(n, r, v, level + 1)
    assert wider <= low
    assert high <= wide


def test_the_ends_of_the_scale_and_what_is_not_on_it() -> None:
    assert Noise().interval(0, 0.0, 0.0, LEVEL) == (0, 1)
    assert Noise.read("normal").interval(0, 0.0, 0.0, LEVEL) == (-inf, inf)
    assert Noise.read("normal").interval(1, 0.4, 0.0, LEVEL) == (-inf, inf)
    assert bounded(3, 2 / 3, 2 / 9, 1.0) > LEVEL  # a single failure: the mean is not 1
    assert bounded(1000, 1.0, 0.0, 1.0) < 0
    assert bounded(3, 1 / 3, 2 / 9, 0.0) > LEVEL
    for r, v in [(1.5, 0.0), (-0.1, 0.0), (0.5, 0.3)]:  # no rewards in [0, 1] have these
        assert bounded(100, r, v, 0.5) == -inf
        assert Noise().interval(100, r, v, LEVEL) == (0, 1)
    assert bounded(100, 1 + 1e-15, 0.0, 0.5) == bounded(100, 1.0, 0.0, 0.5)  # but for rounding


def test_evidence_grows_as_it_is_said_to() -> None:
    for noise, v in [("bounded", 0.24), ("bounded", 0.002), ("normal", 0.1)]:
        known = Noise.read(noise)
        n, r, m = 10**6, 0.6, 0.5
        grown = log_evidence(n, r, v, m, known.model, known.sigma)
        assert grown / n == pytest.approx(growth(r, v, m, known.model, known.sigma), rel=0.01)
    assert growth(0.6, 0.0, 0.5, 1, 0.2) == pytest.approx(0.125)


def test_normal_rewards_seldom_leave_out_their_mean() -> None:
    """Of 400 arms with 200 tries, 38 or more do with probability below 10⁻³, if α = 0.05."""
    x = np.random.default_rng(3).normal(0.7, 0.4, (400, 200))
    n = np.arange(1, 201)
    r = np.cumsum(x, axis=1) / n
    v = np.maximum(0, np.cumsum(x**2, axis=1) / n - r**2)
    rows = list(zip(r.tolist(), v.tolist(), strict=True))
    for noise in ("normal", "sub-gaussian:0.4"):
        known = Noise.read(noise)

        def misses(r: float, v: float, n: int, known: Noise = known) -> bool:
            low, high = known.interval(n, r, v, LEVEL)
            return not low < 0.7 < high

        missed = sum(any(map(misses, *row, n.tolist())) for row in rows)
        assert 0 < missed < 38
