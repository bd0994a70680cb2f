"""How sure verdicts are: in simulation, live, in campaigns, and at the terminal."""

import importlib.util
import itertools
import json
import random
import sqlite3
import sys
from collections.abc import Callable
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any

import pytest

import overbar as ob
from overbar.policies import BUILT_IN
from tests.test_run import overbar, script

PAGE = Path(__file__).parents[1] / "docs" / "sure.py"


@pytest.fixture(scope="module")
def sure() -> Any:
    """The script that measures what the page says."""
    spec = importlib.util.spec_from_file_location("sure", PAGE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["sure"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def file(tmp_path: Path) -> str:
    return str(tmp_path / "overbar.db")


@pytest.mark.parametrize("kind", BUILT_IN)
def test_intervals_hold_whatever_policy_plays(sure: Any, kind: type[ob.Policy]) -> None:
    """5 kinds of rewards, 12 campaigns each: 11 misses by chance with probability below 10⁻³."""
    missed = fixed = 0
    for arms, noise in sure.COVERED:
        policy = kind()
        if isinstance(policy, ob.UntilSure):
            policy = replace(policy, noise=noise)
        seen = sure.coverage(arms, noise, policy, 12)
        missed += int(seen.miss)
        fixed += int(seen.fixed) if (arms, noise) == sure.COVERED[0] else 0
    assert missed < 11
    assert fixed > 5  # of 12: what an interval for a fixed number of tries would miss


@pytest.mark.parametrize("noise", ["bounded", "sub-gaussian:0.25", "normal"])
def test_a_campaign_that_is_sure_is_seldom_wrong(sure: Any, noise: str) -> None:
    """30 problems, 20 campaigns each: 49 wrong ones by chance with probability below 10⁻³."""
    ended = list(sure.stopped(noise, 30, 20, seed=1))
    assert sum(each.wrong for each in ended) < 49
    for each in ended:
        assert each.tries > each.fewest


def test_until_sure_settles_more_than_others_when_the_budget_ends(sure: Any) -> None:
    problem = ob.Problem([ob.Bernoulli((i + 0.5) / 30) for i in range(30)], 0.8)
    settled = {
        policy.name: sum(sure.settled(policy, problem, 1000, i)[0] for i in range(5))
        for policy in (ob.UntilSure(), sure.LeastEvidenceFirst(), ob.UniformAllocation())
    }
    assert settled["UntilSure"] > 1.2 * settled["UA"] > settled["LeastEvidenceFirst"]


@pytest.mark.parametrize("seed", range(3))
def test_simulated_arms_that_mirror_each_other_tie_as_live_ones_do(seed: int) -> None:
    """At a bar of a half, passes weigh as failures do, and a last bit would tell the arms apart."""
    problem = ob.Problem([ob.Bernoulli(0.5 + each) for each in (-0.1, -0.02, 0.02, 0.1) * 16], 0.5)
    policy = ob.UntilSure(0.9999)
    trace = ob.trace(problem, policy, 6000, seed=seed)
    live = ob.Sampler(policy, problem.names, 0.5)
    for arm, reward in zip(trace.arms, trace.rewards, strict=True):
        [ask] = live.ask()
        assert ask.arm == problem.names[arm]
        live.tell(ask, reward)


def sampler(**terms: Any) -> ob.Sampler:
    return ob.Sampler(ob.UntilSure(), ["a", "b"], 0.5, **terms)


def verdicts(of: ob.Sampler) -> list[str]:
    return [each.verdict for each in of.verdicts()]


def test_without_a_budget_it_ends_when_all_are_settled() -> None:
    live, chance = sampler(), random.Random(1)
    rates = {"a": 0.9, "b": 0.3}
    while asks := live.ask(3):
        for ask in asks:
            live.tell(ask, chance.random() < rates[ask.arm])
    assert verdicts(live) == ["over", "under"]
    assert live.remaining == float("inf")
    low, high = live.verdicts()
    assert low.low >= 0.5 > high.high
    again = ob.Sampler.from_json(live.to_json())
    assert again.ask() == []
    assert again.verdicts() == live.verdicts()
    live.tell("b", 1)  # history is welcome at any time


def test_what_is_settled_stays_so_and_what_contradicts_itself_does_not() -> None:
    live = sampler()
    for _ in range(12):
        live.tell("a", 1)
    assert verdicts(live)[0] == "over"
    for _ in range(8):
        live.tell("a", 0)
    first = live.verdicts()[0]
    assert (first.verdict, first.low) == ("over", 0.5)
    for _ in range(100):
        live.tell("a", 0)  # it is another arm now
    first = live.verdicts()[0]
    assert (first.verdict, first.high < 0.5) == ("undecided", True)


def test_rewards_beyond_0_and_1_are_no_evidence_without_a_scale() -> None:
    """A single one of them may be worth any number of others."""
    live = sampler(budget=200)
    for _ in range(60):
        live.tell("a", 0.9)
        live.tell("b", 0.9)
    live.tell("a", -1000)
    for each in (live, ob.Sampler.from_json(live.to_json())):
        first, second = each.verdicts()
        assert (first.verdict, first.low, first.high) == ("undecided", -inf, inf)
        assert (first.over, second.verdict) == (False, "over")
    normal = ob.Sampler(ob.APT(), ["a"], 0.5, 200, noise="normal")
    for i in range(20):
        normal.tell("a", 2 + i % 2)
    assert verdicts(normal) == ["over"]


def test_failures_that_take_long_are_waited_for() -> None:
    """An arm that hangs when it fails looks perfect at first."""
    live = sampler()
    asks = live.ask(60)
    slow = [ask for ask in asks if ask.arm == "a"]
    for ask in asks:
        if ask.arm == "b" or ask is not slow[0]:
            live.tell(ask, 1)
    assert verdicts(live) == ["undecided", "over"]
    assert live.verdicts()[0].tries == len(slow) - 1 > 20
    assert live.ask(5) == []  # held: no tries are spent on it until the first is in
    twin = ob.Sampler.from_json(live.to_json())
    for each in (live, twin):
        each.tell(slow[0], 0)
        assert verdicts(each) == ["over", "over"]
        assert each.ask() == []
    other = sampler()
    asks = other.ask(60)
    other.tell(asks[0], 0)
    other.give_up(asks[1])
    assert other.ask(5) != []


def test_held_arms_come_after_the_others() -> None:
    live = sampler()
    asks = live.ask(30)
    first = next(ask for ask in asks if ask.arm == "a")
    for ask in asks:
        if ask.arm == "a" and ask is not first:
            live.tell(ask, 1)
    assert {ask.arm for ask in live.ask(10)} == {"b"}


def test_more_arms_need_more_evidence(file: str) -> None:
    campaign = ob.Campaign.create("c", ["a"], 0.5, database=file, confidence=0.95)
    with campaign:
        while tickets := campaign.ask(1):
            campaign.tell(tickets[0], 1)
        assert campaign.status().finished
        [before] = campaign.findings()
        campaign.extend(arms=[f"new {i}" for i in range(9)])
        after, *_ = campaign.findings()
        assert (before.verdict, after.verdict) == ("over", "undecided")
        assert after.low < 0.5 < before.low
        assert not campaign.status().finished
        campaign.run(lambda ticket: True, workers=2)
        assert {finding.verdict for finding in campaign.findings()} == {"over"}


def test_a_campaign_without_a_budget(file: str) -> None:
    chance = random.Random(2)
    rates = {"good": 0.95, "fair": 0.75, "bad": 0.2}
    with ob.Campaign.create("c", list(rates), 0.5, database=file, confidence=0.9) as campaign:
        assert campaign.terms.policy == ob.UntilSure(0.9)
        campaign.run(lambda ticket: chance.random() < rates[ticket.arm], workers=3)
        status = campaign.status()
        assert (status.budget, status.remaining, status.confidence) == (None, None, 0.9)
        assert status.finished
        found = campaign.findings()
        assert [each.verdict for each in found] == ["over", "over", "under"]
        with pytest.raises(ob.InvalidInput, match="budget is 900, but must be left out"):
            campaign.extend(900)
    with ob.Campaign.open("c", file) as again:
        assert again.findings() == found
    assert ob.Campaign.all(file)[0] == status


def test_a_campaign_ends_with_its_budget_though_it_is_not_sure(file: str) -> None:
    campaign = ob.Campaign.create("c", ["a", "b"], 0.5, 30, database=file, confidence=0.95)
    with campaign:
        results = itertools.cycle([1, 0])
        campaign.run(lambda ticket: next(results), workers=1)
        assert campaign.status().told == 30
        assert {each.verdict for each in campaign.findings()} == {"undecided"}


def test_a_database_from_before_confidence_is_opened(file: str) -> None:
    with ob.Campaign.create("c", ["a", "b"], 0.5, 60, database=file) as campaign:
        campaign.run(lambda ticket: ticket.arm == "a", workers=1)
        found = campaign.findings()
    with sqlite3.connect(file) as database:
        [[terms]] = database.execute("SELECT terms FROM overbar_campaigns").fetchall()
        old = {k: v for k, v in json.loads(terms).items() if k not in ("confidence", "noise")}
        database.execute("UPDATE overbar_campaigns SET terms = ?", [json.dumps(old)])
    with ob.Campaign.open("c", file) as campaign:
        assert campaign.findings() == found
        assert campaign.status().confidence == 0.95
    assert ob.Campaign.all(file)[0].confidence == 0.95


def test_rewards_of_known_spread_are_settled_sooner(file: str) -> None:
    """On their own scale, where σ is a share of its width."""
    tries = []
    for noise in ("bounded", "sub-gaussian:0.1", "normal"):
        chance = random.Random(3)
        scores = {"good": 80.0, "bad": 60.0}
        campaign = ob.Campaign.create(
            noise, list(scores), 70, database=file, scale=(0, 100), confidence=0.99,
            noise=noise,
        )  # fmt: skip
        with campaign:
            campaign.run(lambda ticket: chance.gauss(scores[ticket.arm], 5), workers=1)  # noqa: B023
            good, bad = campaign.findings()
            assert (good.verdict, bad.verdict) == ("over", "under")
            assert 0 <= bad.low < bad.high < 70 <= good.low < good.high <= 100
            tries.append(campaign.status().told)
    assert tries[0] > 3 * max(tries[1:])


SURE = ("run", "--arm", "good", "--arm", "bad", "--threshold", "0.5", "--confidence", "0.95")


def test_at_the_terminal(tmp_path: Path) -> None:
    script(tmp_path, "try", '#!/bin/sh\n[ "$1" = good ]\n')
    end = ("--", "./try", "{arm}")
    done = overbar(*SURE, *end, cwd=tmp_path, code=3)
    assert "With 0.95 confidence, all intervals and verdicts hold together." in done.stdout
    assert "tries, the policy needs no more." in done.stderr
    read = json.loads(overbar(*SURE, "--json", *end, cwd=tmp_path, code=3).stdout)
    assert (read["campaign"]["budget"], read["campaign"]["confidence"]) == (None, 0.95)
    assert [each["verdict"] for each in read["findings"]] == ["over", "under"]
    listed = overbar("campaign", "list", cwd=tmp_path).stdout
    assert f"{read['campaign']['told']} tries, the policy needs no more" in listed
    status = overbar("campaign", "status", "./try {arm}", cwd=tmp_path).stderr
    assert "remaining" not in status
    first = overbar("campaign", "export", "./try {arm}", cwd=tmp_path).stdout.splitlines()[0]
    assert "budget" not in json.loads(first)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            ("--confidence", "1"),
            "is 1.0, but must be a number above 0 and below 1. 95 % is 0.95",
        ),
        (("--confidence", "0"), "confidence is 0.0, but must be a number above 0 and below 1"),
        (("--confidence", "95"), "confidence is 95.0"),
        (("--confidence", "nan"), "confidence is nan"),
        ((), "the budget is None, but must be given when a campaign begins. Or give the conf"),
        (("--confidence", "0.9", "--policy", "APT"), "APT does not stop when sure. UntilSure does"),
        (("--confidence", "0.9", "--noise", "gauss"), "must be bounded, normal or sub-gaussian:"),
        (("--confidence", "0.9", "--noise", "sub-gaussian:-1"), "σ of the noise is -1.0"),
        (("--confidence", "0.9", "--noise", "sub-gaussian:x"), "σ of the noise is 'x'"),
        (("--confidence", "0.9", "--noise", "sub-gaussian:1e-300"), "must be a finite number at l"),
        (("--confidence", "0.9", "--noise", "sub-gaussian:1e300"), "at most 1e+06"),
    ],
)
def test_wrong_words(options: tuple[str, ...], said: str, tmp_path: Path) -> None:
    run = ("run", "--arm", "a", "--threshold", "0.5", *options, "--", "true")
    assert said in overbar(*run, cwd=tmp_path, code=1).stderr
    assert list(tmp_path.iterdir()) == []


def test_a_bar_at_an_end_of_the_scale_without_a_budget_is_warned_of(tmp_path: Path) -> None:
    create = ("campaign", "create", "--arm", "a", "--confidence", "0.9", "--scale", "0", "5")
    for number, (bar, more, warned) in enumerate(
        [
            ("5", (), True),
            ("0", (), True),
            ("4.9", (), False),
            ("5", ("--budget", "9"), False),
            ("5", ("--indifference", "0.1"), False),
        ]
    ):
        said = overbar(*create, "--threshold", bar, *more, str(number), cwd=tmp_path).stderr
        assert ("Warning: The bar is" in said) == warned
        assert said.count("\n") == warned


def test_an_arm_on_the_bar_is_left_alone_within_the_indifference(tmp_path: Path) -> None:
    script(tmp_path, "try", "#!/bin/sh\nexit $((OVERBAR_TICKET / 2 % 2))\n")
    run = ("run", "--arm", "a", "--threshold", "0.5", "--confidence", "0.9")
    end = ("--", "./try")
    read = json.loads(
        overbar(*run, "--indifference", "0.2", "--json", *end, cwd=tmp_path, code=4).stdout
    )
    [found] = read["findings"]
    assert found["verdict"] == "undecided"
    assert 0.3 < found["low"] < 0.5 < found["high"] < 0.7
    assert read["campaign"]["stopped"]
    assert (
        "policy of the campaign"
        in overbar(*run, "--indifference", "0.1", *end, cwd=tmp_path, code=1).stderr
    )
    for wrong in (("--indifference", "0.1", "--policy", "APT"), ("--indifference", "x")):
        overbar(*run, *wrong, *end, cwd=tmp_path, code=2)
    no = ("run", "--arm", "a", "--threshold", "0.5", "--indifference", "0.1", *end)
    assert "goes with --confidence" in overbar(*no, cwd=tmp_path, code=2).stderr
    problem = ob.Problem([ob.Bernoulli(0.5), ob.Bernoulli(0.55), ob.Bernoulli(0.9)], 0.5)
    trace = ob.trace(problem, ob.UntilSure(indifference=0.1), 20_000, seed=1)
    assert len(trace.arms) < 5000 < len(ob.trace(problem, ob.UntilSure(), 20_000, seed=1).arms)


def test_another_confidence_is_another_campaign(tmp_path: Path) -> None:
    run = ("run", "--arm", "a", "--threshold", "0.5", "--name", "c")
    overbar(*run, "--confidence", "0.9", "--", "true", cwd=tmp_path)
    overbar(*run, "--", "true", cwd=tmp_path)  # it goes on as it was
    for options, what in [
        (("--confidence", "0.95"), "confidence of the campaign 'c' is 0.95, but must be 0.9"),
        (("--noise", "normal"), "noise of the campaign 'c' is 'normal', but must be 'bounded'"),
        (("--budget", "100"), "budget is 100, but must be left out"),
    ]:
        assert what in overbar(*run, *options, "--", "true", cwd=tmp_path, code=1).stderr


def test_a_campaign_for_a_budget_does_not_go_on_until_it_is_sure(tmp_path: Path) -> None:
    run = ("run", "--arm", "a", "--threshold", "0.5", "--name", "c")
    end = ("--", "true")
    overbar(*run, "--budget", "3", *end, cwd=tmp_path, code=4)
    for more in ((), ("--budget", "9")):
        sure = (*run, "--confidence", "0.95", *more)
        said = overbar(*sure, *end, cwd=tmp_path, code=1).stderr
        assert "confidence of the campaign 'c' is 0.95, but must be left out, or given with" in said
    assert "3 of 3 tries" in overbar(*run, *end, cwd=tmp_path, code=4).stderr
    named = (*run, "--confidence", "0.95", "--policy", "AnytimeAugUCB", "--budget", "4")
    assert "4 of 4 tries" in overbar(*named, *end, cwd=tmp_path, code=4).stderr


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ob.UntilSure(1), "confidence is 1, but must be a number above 0 and below 1"),
        (lambda: ob.UntilSure("0.9"), "confidence is '0.9'"),  # type: ignore[arg-type]
        (lambda: ob.UntilSure(0.9, indifference=-0.1), "indifference is -0.1.*at least 0"),
        (lambda: ob.UntilSure(0.9, "binary"), "noise is 'binary'"),
        (lambda: ob.UntilSure(0.9, None), "noise is None"),  # type: ignore[arg-type]
        (lambda: ob.Sampler(ob.APT(), ["a"], 0.5), "APT does not stop when sure"),
        (lambda: ob.Sampler(ob.APT(), ["a"], 0.5, 9, confidence=95), "confidence is 95"),
        (lambda: sampler(confidence=0.9), "confidence is 0.9, but must be 0.95, as UntilSure has"),
        (lambda: sampler(noise="normal"), "noise is 'normal', but must be 'bounded'"),
    ],
)
def test_one_clear_error(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ob.InvalidInput, match=message):
        call()


def test_a_simulation_says_what_certainty_costs(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(
        "threshold = 0.5\nbudget = 2000\nrepetitions = 20\n"
        '[[arms]]\ndistribution = "bernoulli"\np = [0.9, 0.3]\n'
        '[policies]\nUntilSure = { confidence = 0.9 }\n"σ known" = '
        '{ policy = "UntilSure", noise = "sub-gaussian:0.5" }\n'
    )
    said = overbar("simulate", "mine.toml", cwd=tmp_path).stdout
    assert "tries on average until it stopped; to be right with 0.9, any policy needs 26.1." in said
    assert "any policy needs 39.4." in said
    assert "any policy needs 39.4." in (tmp_path / "overbar-simulate" / "report.html").read_text()
