"""Laws of live use, for every policy."""

from collections.abc import Callable

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import overbar as ob
from overbar.policies.policy import Policy

POLICIES = st.sampled_from(
    [
        ob.AugUCB(),
        ob.AugUCB(rho=0.02),
        ob.APT(),
        ob.APT(epsilon=0),
        ob.UCBE(a=4),
        ob.UCBEV(a=2, factor=0.5),
        ob.CSAR(),
        ob.UniformAllocation(),
        ob.LSA(),
        ob.FWT(),
        ob.EVT(),
        ob.BernoulliLR(),
        ob.GaussianLR(),
        ob.AnytimeAugUCB(),
        ob.UntilSure(),
        ob.UntilSure(0.5, "normal"),
    ]
)
#: A mean an arm, on tenths, so that arms on the bar and ties are common.
MEANS = st.lists(st.integers(0, 10), min_size=7, max_size=12).map(lambda m: np.array(m) / 10)
THRESHOLD = st.integers(1, 9).map(lambda tenths: tenths / 10)
SEED = st.integers(0, 2**32)
BATCHES = st.lists(st.integers(1, 9), min_size=1, max_size=6)


def rewards(
    means: "np.ndarray[tuple[int], np.dtype[np.float64]]", seed: int
) -> Callable[[str], float]:
    """Pass or fail, or a decimal that floats cannot hold, for an arm named by its number."""
    chance = np.random.default_rng(seed)

    def pay(arm: str) -> float:
        i = int(arm)
        if i % 2:
            return float(chance.random() < means[i])
        return round(float(means[i]) + 0.1 * int(chance.integers(-3, 4)), 1)

    return pay


def names(means: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> list[str]:
    return [str(i) for i in range(len(means))]


@settings(max_examples=60, deadline=None)
@given(POLICIES, MEANS, THRESHOLD, SEED, BATCHES)
def test_the_budget_is_spent_exactly_or_the_rest_is_reported(
    policy: Policy, means: np.ndarray, threshold: float, seed: int, batches: list[int]
) -> None:
    budget = 150
    sampler = ob.Sampler(policy, names(means), threshold, budget, seed=seed)
    pay = rewards(means, seed)
    told = 0
    while asks := sampler.ask(batches[told % len(batches)]):
        for ask in asks:
            sampler.tell(ask, pay(ask.arm))
            told += 1
        assert told + sampler.remaining == budget
    assert sum(verdict.tries for verdict in sampler.verdicts()) == told
    settles_early = isinstance(policy, ob.AugUCB | ob.CSAR | ob.UntilSure)
    assert sampler.remaining == 0 or settles_early
    if isinstance(policy, ob.CSAR):
        assert sampler.remaining < len(means)


@settings(max_examples=60, deadline=None)
@given(POLICIES, MEANS, THRESHOLD, SEED, BATCHES, st.integers(0, 120), st.data())
def test_saved_and_loaded_goes_on_alike(
    policy: Policy,
    means: np.ndarray,
    threshold: float,
    seed: int,
    batches: list[int],
    when: int,
    data: st.DataObject,
) -> None:
    sampler = ob.Sampler(policy, names(means), threshold, 150, seed=seed)
    pay = rewards(means, seed)
    sampler.tell("0", 0.3)  # history
    waiting: list[ob.Ask] = []
    for turn in range(when):
        waiting += sampler.ask(batches[turn % len(batches)])
        comes: bool = data.draw(st.booleans(), label="a result comes")
        if waiting and comes:
            late = waiting.pop(data.draw(st.integers(0, len(waiting) - 1)))
            if data.draw(st.integers(0, 5), label="0: it failed") == 0:
                sampler.give_up(late)
            else:
                sampler.tell(late, pay(late.arm))
        if not sampler.remaining:
            break
    twin = ob.Sampler.from_json(sampler.to_json())
    assert twin.to_json() == sampler.to_json()
    assert twin.waiting == sampler.waiting == sorted(waiting, key=lambda ask: ask.id)
    for ask in waiting:
        reward = pay(ask.arm)
        sampler.tell(ask, reward)
        twin.tell(ask, reward)
    while asks := sampler.ask(3):
        assert twin.ask(3) == asks
        for ask in asks:
            reward = pay(ask.arm)
            sampler.tell(ask, reward)
            twin.tell(ask, reward)
    assert twin.ask() == []
    assert twin.verdicts() == sampler.verdicts()


@settings(max_examples=40, deadline=None)
@given(POLICIES, MEANS, THRESHOLD, SEED)
def test_renaming_arms_renames_the_answer(
    policy: Policy, means: np.ndarray, threshold: float, seed: int
) -> None:
    plain = ob.Sampler(policy, names(means), threshold, 120, seed=seed)
    renamed = ob.Sampler(policy, [f"arm {n}" for n in names(means)], threshold, 120, seed=seed)
    pay = rewards(means, seed)
    while asks := plain.ask(4):
        others = renamed.ask(4)
        assert [other.arm for other in others] == [f"arm {ask.arm}" for ask in asks]
        for ask, other in zip(asks, others, strict=True):
            reward = pay(ask.arm)
            plain.tell(ask, reward)
            renamed.tell(other, reward)
    expected = [verdict._replace(name=f"arm {verdict.name}") for verdict in plain.verdicts()]
    assert renamed.verdicts() == expected


@settings(max_examples=60, deadline=None)
@given(POLICIES, MEANS, THRESHOLD, SEED, st.integers(2, 30), st.randoms(use_true_random=False))
def test_the_order_of_late_results_in_a_batch_changes_nothing(
    policy: Policy, means: np.ndarray, threshold: float, seed: int, batch: int, chance: object
) -> None:
    in_order = ob.Sampler(policy, names(means), threshold, 150, seed=seed)
    shuffled = ob.Sampler(policy, names(means), threshold, 150, seed=seed)
    pay = rewards(means, seed)
    while asks := in_order.ask(batch):
        assert shuffled.ask(batch) == asks
        results = [(ask, pay(ask.arm)) for ask in asks]
        for ask, reward in results:
            in_order.tell(ask, reward)
        chance.shuffle(results)  # type: ignore[attr-defined]
        for ask, reward in results:
            shuffled.tell(ask, reward)
        assert shuffled.verdicts() == in_order.verdicts()


@settings(max_examples=40, deadline=None)
@given(POLICIES, MEANS, THRESHOLD, SEED, st.integers(1, 100))
def test_giving_up_returns_the_try(
    policy: Policy, means: np.ndarray, threshold: float, seed: int, n: int
) -> None:
    sampler = ob.Sampler(policy, names(means), threshold, 100, seed=seed)
    asks = sampler.ask(n)
    assert sampler.remaining == 100 - len(asks)
    for ask in asks:
        sampler.give_up(ask)
    assert sampler.remaining == 100
    assert sampler.waiting == []
    for verdict in sampler.verdicts():
        assert verdict[1:3] == (0, None)
        assert verdict.low <= 0
        assert verdict.high >= 1
        assert (verdict.verdict, verdict.over) == ("undecided", False)


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from([ob.AugUCB(), ob.APT(), ob.APT(epsilon=0.5), ob.UCBE(a=4), ob.UCBEV(a=2)]),
    MEANS,
    SEED,
)
def test_a_batch_spreads(policy: Policy, means: np.ndarray, seed: int) -> None:
    """Asks that wait count as pulls: with equal records, all are asked for before one is again."""
    K = len(means)
    sampler = ob.Sampler(policy, names(means), 0.5, 20 * K, seed=seed)
    assert [ask.arm for ask in sampler.ask(K)] == names(means)  # the first pulls, in order
    for ask in sampler.waiting:
        sampler.tell(ask, 0.25)
    assert sorted(ask.arm for ask in sampler.ask(K)) == sorted(names(means))


@settings(max_examples=30, deadline=None)
@given(POLICIES, MEANS, SEED)
def test_a_batch_larger_than_the_arms_before_any_result(
    policy: Policy, means: np.ndarray, seed: int
) -> None:
    sampler = ob.Sampler(policy, names(means), 0.5, 100, seed=seed)
    asks = sampler.ask(60)
    assert len(asks) == 60
    tries = [sum(ask.arm == name for ask in asks) for name in names(means)]
    if not isinstance(policy, ob.UniformAllocation | ob.CSAR):  # these do not look at results
        assert max(tries) - min(tries) <= 1
