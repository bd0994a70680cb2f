"""Wrong input: one clear error that names the value, what is accepted and what to do."""

import math
from collections.abc import Callable

import numpy as np
import pytest

import overbar as ob

FOUR = ["a", "b", "c", "d"]
ARMS = [ob.Bernoulli(0.2), ob.Bernoulli(0.4), ob.Bernoulli(0.6), ob.Bernoulli(0.8)]
PROBLEM = ob.Problem(ARMS, 0.5)


def problem_of(K: int) -> ob.Problem:
    return ob.Problem([ob.Bernoulli(0.5)] * K, 0.5)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        # arms and problems
        (lambda: ob.Problem([], 0.5), r"list of arms is \[\], but must be one arm or more"),
        (lambda: ob.Problem([0.5], 0.5), "an arm is 0.5, but must be a distribution"),  # type: ignore[list-item]
        (lambda: ob.Problem(ARMS, math.nan), "threshold is nan.*finite"),
        (lambda: ob.Problem(ARMS, "0.5"), "threshold is '0.5'"),  # type: ignore[arg-type]
        (lambda: ob.Problem(ARMS, 0.5, names=["a", "b"]), "number of names is 2, but must be 4"),
        (lambda: ob.Problem(ARMS, 0.5, names=["a", "b", "a", "c"]), "'a'.*came twice"),
        (lambda: PROBLEM.loss({"nobody"}), "'nobody'"),
        (lambda: ob.Problem([ob.Bernoulli(0.5)], 0.5, indifference=-0.1), "indifference is -0.1"),
        (
            lambda: ob.simulate(PROBLEM, [ob.APT()], 50, 2, at=[51]),
            "time step of `at` is 51.*at most 50",
        ),
        (
            lambda: ob.simulate(PROBLEM, [ob.APT()], 50, 2, at=[9]).misjudged("APT", 10),
            "time step is 10, but must be one of 9, 50",
        ),
        (lambda: ob.Gaussian(0, -1), "sd of a Gaussian arm is -1.*at least 0"),
        (lambda: ob.Gaussian(math.inf, 1), "mean of a Gaussian arm is inf"),
        (lambda: ob.Bernoulli(1.2), "p of a Bernoulli arm is 1.2.*at least 0 and at most 1"),
        (lambda: ob.Beta(0, 1), "a of a Beta arm is 0.*above 0"),
        (lambda: ob.Uniform(1, 0), "high end of a Uniform arm is 0.*at least 1"),
        (lambda: ob.Exponential(-1), "mean of an Exponential arm is -1"),
        (lambda: ob.Empirical([]), "one reward or more"),
        (lambda: ob.Empirical([0.1, math.nan]), "reward of an Empirical arm is nan"),
        # policies
        (lambda: ob.AugUCB(rho=-1), "rho is -1.*above 0.*Theorem 1 takes 1/3"),
        (lambda: ob.APT(epsilon=-0.1), "epsilon is -0.1"),
        (lambda: ob.UCBE(a=math.nan), "a is nan"),
        (lambda: ob.UCBEV(factor=-4), "factor is -4"),
        # simulation
        (lambda: ob.simulate(PROBLEM, [], 100), "one policy or more"),
        (lambda: ob.simulate(PROBLEM, ["APT"], 100), "a policy is 'APT'.*APT()"),  # type: ignore[list-item]
        (lambda: ob.simulate(PROBLEM, [ob.APT], 100), "a policy is"),  # type: ignore[list-item]
        (lambda: ob.simulate(PROBLEM, [ob.APT(), ob.APT(0)], 100), "'APT'.*Name them"),
        (lambda: ob.simulate(PROBLEM, [ob.APT()], 3), "budget is 3, but must be at least 4"),
        (lambda: ob.simulate(PROBLEM, [ob.APT()], 10.5), "budget is 10.5"),  # type: ignore[arg-type]
        (lambda: ob.simulate(PROBLEM, [ob.APT()], True), "budget is True"),
        (lambda: ob.simulate(PROBLEM, [ob.APT()], 100, repetitions=0), "repetitions is 0"),
        (lambda: ob.simulate(PROBLEM, [ob.APT()], 100, threads=0), "threads is 0"),
        (lambda: ob.simulate(PROBLEM, [ob.APT()], 100, seed=-1), "seed is -1"),
        (lambda: ob.simulate("problem", [ob.APT()], 100), "the problem is 'problem'"),  # type: ignore[arg-type]
        (lambda: ob.trace(PROBLEM, ob.APT(), 100, repetition=-1), "repetition is -1"),
        (
            lambda: ob.simulate(problem_of(3), [ob.AugUCB()], 100),
            "number of arms is 3.*at least 4 for AugUCB.*Use APT",
        ),
        (lambda: ob.simulate(problem_of(1), [ob.CSAR()], 100), "at least 2 for CSAR.*Use APT"),
        (lambda: ob.simulate(PROBLEM, [ob.CSAR()], 4), "budget is 4.*more than K = 4"),
        (lambda: ob.simulate(PROBLEM, [ob.UCBEV()], 7), "at least 2K = 8"),
        (
            lambda: ob.simulate(PROBLEM, [ob.APT()], 50, 2).error_rate("AugUCB"),
            "policy is 'AugUCB', but must be one of APT",
        ),
        (
            lambda: ob.simulate(PROBLEM, [ob.APT()], 50, 2).interval("APT", confidence=95),
            "confidence is 95",
        ),
        # samplers
        (lambda: ob.Sampler(ob.APT(), [], 0.5, 10), "one arm or more"),
        (lambda: ob.Sampler(ob.APT(), "arms", 0.5, 10), "'arms'.*list of names"),
        (lambda: ob.Sampler(ob.APT(), ["a", "a"], 0.5, 10), "'a'.*came twice"),
        (lambda: ob.Sampler(ob.APT(), [1, 2], 0.5, 10), "name of an arm is 1"),  # type: ignore[list-item]
        (lambda: ob.Sampler(ob.AugUCB(), ["a"], 0.5, 10), "at least 4 for AugUCB"),
        (lambda: ob.Sampler(ob.APT(), FOUR, 0.5, 3), "budget is 3.*Each is tried once"),
        (lambda: ob.Sampler(ob.APT(), FOUR, 0.5, -3), "budget is -3"),
        (lambda: ob.Sampler(ob.APT(), FOUR, math.inf, 10), "threshold is inf"),
        (
            lambda: ob.Sampler(ob.APT(), FOUR, 12, 10, scale=(0, 10)),
            "threshold is 12.*at least 0 and at most 10.*scale",
        ),
        (
            lambda: ob.Sampler(ob.APT(), FOUR, 0.5, 10, thresholds={"x": 0.1}),
            "'x'.*one of 'a', 'b'",
        ),
        (
            lambda: ob.Sampler(ob.APT(), FOUR, 5, 10, scale=(0, 10), thresholds={"b": 11}),
            "threshold of 'b' is 11.*at most 10",
        ),
        (lambda: ob.Sampler(ob.APT(), FOUR, 0.5, 10, scale=(1, 0)), "high end of the scale is 0"),
        (lambda: ob.Sampler(ob.APT(), FOUR, 0.5, 10, scale=10), r"scale is 10.*\(low, high\)"),  # type: ignore[arg-type]
        (lambda: ob.Sampler(ob.UCBE(), FOUR, 0.5, 10), r"UCBE.*H_1 is not known.*UCBE\(a="),
        (lambda: ob.Sampler(ob.UCBEV(), FOUR, 0.5, 10), "UCBEV.*H_σ,1 is not known.*AugUCB"),
        (lambda: ob.Sampler(ob.APT(), FOUR, 0.5, 10, seed=-2), "seed is -2"),
    ],
)
def test_one_clear_error(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ob.InvalidInput, match=message) as caught:
        call()
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, ob.OverbarError)


def sampler_in_the_middle() -> tuple[ob.Sampler, ob.Ask, ob.Ask, ob.Ask]:
    """With an ask that waits, one that was told, one that was given up."""
    sampler = ob.Sampler(ob.APT(), FOUR, 5, 10, scale=(0, 10))
    waits, told, given_up = sampler.ask(3)
    sampler.tell(told, 7)
    sampler.give_up(given_up)
    return sampler, waits, told, given_up


Wrong = Callable[[ob.Sampler, ob.Ask, ob.Ask, ob.Ask], object]


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda s, waits, _, __: s.tell(waits, math.nan), ob.InvalidInput, "reward is nan"),
        (lambda s, waits, _, __: s.tell(waits, -math.inf), ob.InvalidInput, "reward is -inf"),
        (lambda s, waits, _, __: s.tell(waits, np.float64("nan")), ob.InvalidInput, "nan"),
        (lambda s, waits, _, __: s.tell(waits, "7"), ob.InvalidInput, "reward is '7'"),
        (lambda s, waits, _, __: s.tell(waits, None), ob.InvalidInput, "reward is None"),
        (lambda s, waits, _, __: s.tell(waits, 10**400), ob.InvalidInput, "finite"),
        (lambda s, waits, _, __: s.tell(waits, 11), ob.InvalidInput, "reward is 11.*at most 10"),
        (lambda s, waits, _, __: s.tell(waits, -1), ob.InvalidInput, "-1.*at least 0.*the scale"),
        (lambda s, _, told, __: s.tell(told, 7), ob.AskClosed, "told or given up before"),
        (lambda s, _, told, __: s.give_up(told), ob.AskClosed, "told or given up before"),
        (lambda s, _, __, gone: s.tell(gone, 7), ob.AskClosed, "told or given up before"),
        (lambda s, *_: s.tell(ob.Ask(99, "a"), 7), ob.InvalidInput, "this sampler's"),
        (lambda s, waits, *_: s.tell(ob.Ask(waits.id, "d"), 7), ob.InvalidInput, "this sampler's"),
        (lambda s, *_: s.tell(3, 7), ob.InvalidInput, "the ask is 3"),
        (lambda s, *_: s.tell("nobody", 7), ob.UnknownArm, "'nobody'.*one of 'a', 'b'"),
        (lambda s, *_: s.tell("a", 70), ob.InvalidInput, "reward is 70"),
        (lambda s, *_: s.give_up("a"), ob.InvalidInput, "the ask is 'a'"),
        (lambda s, *_: s.ask(0), ob.InvalidInput, "number of asks is 0"),
        (lambda s, *_: s.ask(2.0), ob.InvalidInput, "number of asks is 2.0"),
    ],
)
def test_nothing_is_changed_by_a_call_that_failed(
    call: Wrong, kind: type[Exception], message: str
) -> None:
    sampler, *asks = sampler_in_the_middle()
    before = sampler.to_json()
    with pytest.raises(kind, match=message):
        call(sampler, *asks)
    assert sampler.to_json() == before
    twin = ob.Sampler.from_json(before)
    assert sampler.ask(7) == twin.ask(7)


def test_telling_after_the_budget_is_spent() -> None:
    sampler = ob.Sampler(ob.APT(), ["a", "b"], 0.5, 2)
    asks = sampler.ask(2)
    for ask in asks:
        sampler.tell(ask, 1)
    assert sampler.ask() == []
    with pytest.raises(ob.AskClosed):
        sampler.tell(asks[0], 1)
    with pytest.raises(ob.BudgetSpent, match="the verdicts stand"):
        sampler.tell("a", 0)
    assert [verdict.tries for verdict in sampler.verdicts()] == [1, 1]


def test_a_threshold_that_looks_like_another_scale_is_pointed_out() -> None:
    with pytest.warns(ob.OverbarWarning, match=r"threshold is 95.*scale=\(low, high\)"):
        ob.Sampler(ob.APT(), FOUR, 95, 10)


def test_an_error_survives_a_pickle() -> None:
    """Errors come back from other processes."""
    import pickle

    with pytest.raises(ob.UnknownArm) as caught:
        ob.Sampler(ob.APT(), FOUR, 0.5, 10).tell("x", 1)
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is ob.UnknownArm
    assert str(again) == str(caught.value)
