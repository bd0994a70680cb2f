"""Ask and tell, seen from one user's desk."""

import json
import random
from pathlib import Path

import pytest

import overbar as ob


def told(sampler: ob.Sampler, rewards: dict[str, list[float]]) -> ob.Sampler:
    for arm, each in rewards.items():
        for reward in each:
            sampler.tell(arm, reward)
    return sampler


def answers(sampler: ob.Sampler) -> list[tuple[str, int, float | None, bool]]:
    return [(each.name, each.tries, each.mean, each.over) for each in sampler.verdicts()]


def test_verdicts_tell_name_tries_mean_and_side() -> None:
    sampler = ob.Sampler(ob.APT(), ["good", "bad", "new"], threshold=0.5, budget=10)
    told(sampler, {"good": [1, 1, 0], "bad": [0, 1, 0]})
    assert answers(sampler) == [
        ("good", 3, 2 / 3, True),
        ("bad", 3, 1 / 3, False),
        ("new", 0, None, False),
    ]
    assert {verdict.verdict for verdict in sampler.verdicts()} == {"undecided"}


@pytest.mark.parametrize(
    ("tries", "passes", "bar"), [(10, 9, 0.9), (20, 19, 0.95), (300, 291, 0.97)]
)
def test_a_pass_rate_of_exactly_the_bar_is_over_in_any_order(
    tries: int, passes: int, bar: float
) -> None:
    results = [1.0] * passes + [0.0] * (tries - passes)
    for seed in range(20):
        random.Random(seed).shuffle(results)
        sampler = ob.Sampler(ob.APT(), ["test"], threshold=bar, budget=400)
        assert answers(told(sampler, {"test": results})) == [("test", tries, bar, True)]


def test_whole_number_scores_keep_their_exact_mean_on_their_own_scale() -> None:
    sampler = ob.Sampler(ob.APT(), ["a"], threshold=95, budget=100, scale=(0, 100))
    assert answers(told(sampler, {"a": [95] * 7})) == [("a", 7, 95.0, True)]
    sampler = ob.Sampler(ob.APT(), ["a"], threshold=83, budget=100, scale=(0, 100))
    assert answers(told(sampler, {"a": [82, 83, 84]})) == [("a", 3, 83.0, True)]


def test_a_scale_changes_no_choice() -> None:
    """Percent on a scale of (0, 100) are chosen as shares are."""
    arms = [str(i) for i in range(8)]
    shares = ob.Sampler(ob.AugUCB(), arms, threshold=0.75, budget=300)
    percent = ob.Sampler(ob.AugUCB(), arms, threshold=75, budget=300, scale=(0, 100))
    chance = random.Random(5)
    while asks := shares.ask(3):
        assert percent.ask(3) == asks
        for ask in asks:
            eighths = chance.randrange(9) if chance.random() * 8 < int(ask.arm) else 4
            shares.tell(ask, eighths / 8)
            percent.tell(ask, 100 * eighths / 8)


def test_history_counts_for_its_arm_and_not_against_the_budget() -> None:
    sampler = ob.Sampler(ob.APT(), ["old", "new"], threshold=0.5, budget=4)
    told(sampler, {"old": [1, 0, 1]})
    assert sampler.remaining == 4
    [ask] = sampler.ask()
    assert ask.arm == "new"  # the old one was tried before: it needs no first pull
    sampler.tell(ask, 1)
    assert sampler.remaining == 3
    assert [verdict.tries for verdict in sampler.verdicts()] == [3, 1]


def test_late_results_count_after_the_last_ask() -> None:
    sampler = ob.Sampler(ob.APT(), ["a", "b"], threshold=0.5, budget=2)
    first, second = sampler.ask(5)
    assert sampler.ask() == []
    sampler.tell(second, 1)
    sampler.tell("a", 0)  # while a result is awaited, history is welcome
    sampler.tell(first, 1)
    assert [verdict.mean for verdict in sampler.verdicts()] == [0.5, 1.0]


def test_an_arm_that_does_not_answer_does_not_hold_up_the_others() -> None:
    sampler = ob.Sampler(ob.APT(), ["slow", "b", "c"], threshold=0.5, budget=100)
    asks = sampler.ask(3)
    for ask in asks[1:]:
        sampler.tell(ask, 0.6)
    later = sampler.ask(40)
    assert {ask.arm for ask in later} == {"b", "c"}
    sampler.give_up(asks[0])
    assert sampler.ask()[0].arm == "slow"  # it still lacks its first pull


def test_numbers_of_other_kinds_are_taken() -> None:
    import numpy as np

    sampler = ob.Sampler(ob.APT(), ["a"], threshold=np.float64(0.5), budget=np.int64(9))  # type: ignore[arg-type]
    told(sampler, {"a": [True, np.float32(0.5), np.int8(0), np.False_, np.True_]})  # type: ignore[list-item]
    assert answers(sampler) == [("a", 5, 0.5, True)]
    assert ob.Sampler.from_json(sampler.to_json()).verdicts() == sampler.verdicts()


def test_saves_to_a_file(tmp_path: Path) -> None:
    sampler = ob.Sampler(ob.AugUCB(rho=0.25), list("abcdefg"), 7, 50, scale=(1, 10), seed=4)
    first, *_ = sampler.ask(9)
    sampler.tell(first, 8.1)
    path = tmp_path / "sampler.json"
    sampler.save(path)
    again = ob.Sampler.load(path)
    assert again.policy == sampler.policy
    assert again.to_json() == sampler.to_json()
    assert again.ask(4) == sampler.ask(4)
    assert list(tmp_path.iterdir()) == [path]


def test_arms_have_thresholds_of_their_own() -> None:
    """Every policy plays arms at their own bars as it plays arms moved there, at one bar."""
    arms = [str(i) for i in range(8)]
    own = {arm: int(arm) / 8 for arm in arms[1:]}
    for policy in (ob.AugUCB(), ob.APT(), ob.CSAR(), ob.UCBEV(a=3)):
        moved = ob.Sampler(policy, arms, 0.25, 400, scale=(-1, 2))
        bars = ob.Sampler(policy, arms, 0.25, 400, scale=(-1, 2), thresholds=own)
        chance = random.Random(3)
        while asks := moved.ask(3):
            assert bars.ask(3) == asks
            for ask in asks:
                reward = chance.random()  # no ties, which rounding would break
                moved.tell(ask, reward - own.get(ask.arm, 0.25) + 0.25)
                bars.tell(ask, reward)
        sides = [verdict.over for verdict in moved.verdicts()]
        assert [verdict.over for verdict in bars.verdicts()] == sides
        assert set(sides) == {True, False}
        assert ob.Sampler.from_json(bars.to_json()).verdicts() == bars.verdicts()


def test_a_file_from_before_thresholds_of_single_arms_or_confidence_is_read() -> None:
    sampler = ob.Sampler(ob.APT(), ["a", "b"], 0.5, 50)
    saved = json.loads(sampler.to_json())
    del saved["confidence"], saved["noise"]
    assert ob.Sampler.from_json(json.dumps({**saved, "schema": 2})).to_json() == sampler.to_json()
    del saved["thresholds"]
    assert ob.Sampler.from_json(json.dumps({**saved, "schema": 1})).to_json() == sampler.to_json()


class Careful(ob.Policy):
    """A user's own: like APT, but with n squared."""

    @staticmethod
    def index(n: int, r: float, v: float, tau: float) -> float:
        return n * n * abs(r - tau)


def test_a_policy_of_ones_own_is_given_again_on_loading() -> None:
    sampler = ob.Sampler(Careful(), ["a", "b"], 0.5, 50)
    sampler.tell(sampler.ask()[0], 1)
    text = sampler.to_json()
    with pytest.raises(ob.InvalidInput, match="'Careful'.*load"):
        ob.Sampler.from_json(text)
    with pytest.raises(ob.InvalidInput, match="must be the Careful"):
        ob.Sampler.from_json(text, policy=ob.APT())
    assert ob.Sampler.from_json(text, policy=Careful()).ask(5) == sampler.ask(5)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda saved: saved.update(schema=4), "schema of the saved sampler is 4"),
        (lambda saved: saved.pop("log"), "what Sampler.to_json wrote"),
        (lambda saved: saved.update(overbar="campaign"), "what Sampler.to_json wrote"),
        (lambda saved: saved.update(budget=-3), "the budget is -3"),
        (lambda saved: saved["log"].__setitem__(0, ["ask", 1]), "the policy chooses 'a'"),
        (lambda saved: saved["log"].__setitem__(0, ["dance"]), "no such event"),
        (lambda saved: saved["log"].append(["tell", 77, 1.0]), "77"),
        (lambda saved: saved["log"].append(["ask", 9]), "what happened to a sampler"),
        (lambda saved: saved["policy"].update(parameters={"epsilon": -1}), "epsilon is -1"),
        (lambda saved: saved["policy"].update(parameters={"omega": 1}), "omega"),
    ],
)
def test_a_file_that_was_altered_is_noticed(change: object, message: str) -> None:
    sampler = ob.Sampler(ob.APT(), ["a", "b"], 0.5, 50)
    sampler.tell(sampler.ask()[0], 1)
    saved = json.loads(sampler.to_json())
    change(saved)  # type: ignore[operator]
    with pytest.raises(ob.InvalidInput, match=message):
        ob.Sampler.from_json(json.dumps(saved))


def test_a_file_that_is_no_json_is_said_so() -> None:
    with pytest.raises(ob.InvalidInput, match="what Sampler.to_json wrote"):
        ob.Sampler.from_json("not json")
