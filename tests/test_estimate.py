"""The running mean and variance, against exact fractions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from overbar.live.record import Estimate, Record


def of(rewards: list[float]) -> Estimate:
    estimate = Estimate()
    for reward in rewards:
        estimate = estimate.plus(reward)
    return estimate


def exact(rewards: list[float]) -> tuple[float, float]:
    mean = sum(map(Fraction, rewards)) / len(rewards)
    return float(mean), float(sum((Fraction(x) - mean) ** 2 for x in rewards) / len(rewards))


@pytest.mark.parametrize("offset", [0.0, 1.0, -1e4, 1e8, -1e8])
@pytest.mark.parametrize("sd", [1e-3, 1.0, 50.0])
def test_variance_is_right_at_any_offset(offset: float, sd: float) -> None:
    rewards = [float(x) for x in offset + sd * np.random.default_rng(1).standard_normal(5000)]
    mean, variance = exact(rewards)
    assert of(rewards).mean == pytest.approx(mean, rel=1e-14)
    assert of(rewards).variance == pytest.approx(variance, rel=1e-6 if sd < 0.1 else 1e-11)


def test_a_first_reward_far_out_does_no_harm() -> None:
    """(r̂ − c)² ≤ n v̂, so the difference of sums loses at most a factor n: n² 2⁻⁵² in all."""
    rewards = [1e9, *(float(x) for x in np.random.default_rng(1).standard_normal(1000))]
    mean, variance = exact(rewards)
    assert of(rewards).mean == pytest.approx(mean, rel=1e-12)
    assert of(rewards).variance == pytest.approx(variance, rel=1001**2 * 2**-52)


@given(st.lists(st.integers(-1000, 1000).map(float), min_size=1, max_size=60), st.randoms())
def test_whole_numbers_are_exact_in_any_order(rewards: list[float], chance: object) -> None:
    expected = exact(rewards)
    chance.shuffle(rewards)  # type: ignore[attr-defined]
    assert (of(rewards).mean, of(rewards).variance) == expected


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=40))
def test_variance_is_never_negative(rewards: list[float]) -> None:
    assert of(rewards).variance >= 0


@given(st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=20), st.randoms(), st.data())
def test_a_record_is_a_function_of_its_results_alone(
    rewards: list[float], chance: object, data: st.DataObject
) -> None:
    """Whatever the order of arrival, at every moment the sum is that in the order of the asks."""
    record = Record()
    orders = sorted(data.draw(st.sets(st.integers(0, 99), min_size=len(rewards))))[: len(rewards)]
    record.waiting.update(orders)
    results = dict(zip(orders, rewards, strict=True))
    arriving = list(results)
    chance.shuffle(arriving)  # type: ignore[attr-defined]
    for count, order in enumerate(arriving, start=1):
        if data.draw(st.booleans()):
            record.add(order, results[order])
        else:
            record.give_up(order)
            del results[order]
        known = [results[o] for o in sorted(set(arriving[:count]) & set(results))]
        assert record.estimate == of(known)
    assert not record.waiting
