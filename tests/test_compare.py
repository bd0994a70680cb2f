"""Comparing policies: who wins and by how much, families of problems, and the command."""

import csv
import json
import re
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from io import StringIO
from math import comb, exp, log
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import overbar as ob
from overbar.cli import main
from overbar.cli.compare import DISTRIBUTIONS
from overbar.experiments import families, paper
from overbar.experiments.comparison import Match, standings, steps
from overbar.experiments.engines import threads
from overbar.experiments.entrants import Entered, entered
from overbar.experiments.experiment import Experiment, Listed
from overbar.experiments.families import Family
from overbar.experiments.run import run
from overbar.experiments.significance import paired
from overbar.experiments.totals import totals
from overbar.policies.released import ReleasedAugUCB, ReleasedUCBEV
from overbar.simulate.blocks import Played
from tests.test_cli import OVERBAR, overbar

QUICK = ("--repetitions", "40", "--policies", "APT,AugUCB,UA")
TWENTY = Experiment(
    name="twenty",
    title="Twenty",
    groups=(Listed(tuple(ob.Gaussian(0.4 + 0.01 * i, 0.3) for i in range(20))),),
    threshold=0.5,
    policies={},
    budget=100,
)


def match(**misjudged: Any) -> Match:
    """A match with these wrong verdicts in each repetition, and 80 of 100 tries used."""
    counts = {name: np.asarray(each) for name, each in misjudged.items()}
    repetitions = len(next(iter(counts.values())))
    played = {
        name: Played(
            errors=np.full(100, (each > 0).sum()),
            pulls=np.full(20, 4 * repetitions),
            misjudged=each[:, None],
            tries=np.full(repetitions, 80),
        )
        for name, each in counts.items()
    }
    experiment = replace(TWENTY, repetitions=repetitions)
    result = ob.Result(experiment.problem(), 100, repetitions, played)
    return Match(Entered(experiment, {}), result, dict.fromkeys(counts, 10.0))


def beats(wins: int, losses: int, of: int = 40) -> Match:
    """A match in which `one` is right where `other` is wrong that often, and the other way."""
    one = [0] * wins + [1] * losses + [0] * (of - wins - losses)
    other = [1] * wins + [0] * losses + [0] * (of - wins - losses)
    return match(one=one, other=other)


# Significance


def test_the_sign_test_by_hand() -> None:
    """Fewer wrong verdicts in 9 repetitions, more in 1, however many more: 11 of 1024 ways."""
    found = paired([0] * 9 + [20] + [3] * 5, [1, 2, 3] * 3 + [0] + [3] * 5)
    assert (found.fewer, found.more) == (9, 1)
    assert found.p_less == pytest.approx(11 / 1024)
    assert found.p_greater == pytest.approx(1023 / 1024)
    assert found.p == pytest.approx(22 / 1024)
    for fewer, more in ((0, 0), (5, 5), (30, 12)):
        found = paired([0] * fewer + [1] * more, [1] * fewer + [0] * more)
        n = fewer + more
        assert found.p == pytest.approx(stats.binomtest(fewer, n).pvalue if n else 1.0)


def test_repetitions_are_paired() -> None:
    """10 and 18 wrong of 100: eight alone against none, or against many more that cancel out."""
    one = [1] * 10 + [0] * 90
    nested = match(one=one, other=[1] * 18 + [0] * 82)
    apart = match(one=one, other=[0] * 82 + [1] * 18)
    [first], [second] = standings([nested]), standings([apart])
    assert first.lead
    assert second.lead
    assert first.lead.p == pytest.approx(2 / 2**8)
    n = 28
    assert second.lead.p == pytest.approx(2 * sum(comb(n, k) for k in range(11)) / 2**n)
    assert (first.clear, second.clear) == (True, False)


def test_leads_are_adjusted_for_their_number_by_hand() -> None:
    found = standings([beats(9, 1), beats(10, 0), beats(6, 0)])
    alone = [22 / 1024, 2 / 1024, 2 / 64]
    leads = [each.lead for each in found]
    assert [lead.p for lead in leads if lead] == pytest.approx(alone)
    adjusted = [2 * alone[0], 3 * alone[1], 2 * alone[0]]  # the third may not be below the second
    assert [lead.p_holm for lead in leads if lead] == pytest.approx(adjusted)
    assert [each.clear for each in found] == [True, True, True]
    assert [each.clear for each in standings([beats(6, 0)] * 2)] == [False, False]


def test_winner_runner_up_and_ties() -> None:
    a, b, c = [0] * 36 + [1] * 4, [0] * 30 + [1] * 10, [1] * 10 + [0] * 30
    [standing] = standings([match(b=b, a=a, c=c)])
    assert standing.best == ("a",)
    assert standing.lead is not None
    assert standing.lead.other == "c"  # of two that err alike, the one whose p is greater
    [tied] = standings([match(b=b, a=c, c=a[::-1], d=a)])
    assert (tied.best, tied.lead, tied.clear) == (("c", "d"), None, False)
    [alone] = standings([match(a=a)])
    assert (alone.best, alone.lead) == (("a",), None)


def test_by_verdicts_it_is_their_number_that_decides() -> None:
    often, seldom = [1] * 40, [0] * 20 + [6] * 20
    one = match(often=often, seldom=seldom)
    [by_error], [by_verdicts] = standings([one]), standings([one], by="verdicts")
    assert by_error.best == ("seldom",)
    assert by_error.clear
    assert by_verdicts.best == ("often",)
    assert not by_verdicts.clear  # its mean is less, though it is no better in more repetitions
    [clear] = standings([match(one=[1] * 40, other=[1, 2] * 20)], by="verdicts")
    assert (clear.best, clear.clear) == (("one",), True)
    assert standings([match(one=[1] * 40, other=[1, 2] * 20)])[0].best == ("one", "other")


def test_against_the_baseline() -> None:
    base = [1] * 20 + [0] * 20
    one = match(base=base, better=[0] * 40, worse=[1] * 40, like=[0, *base[:-1]])
    two = match(base=base, better=[0] * 5 + base[5:], worse=[1] * 20 + [1] * 6 + [0] * 14)
    first, second = standings([one, two], baseline="base")
    against = {name: score.against for name, score in first.scores.items()}
    assert against.pop("base") is None
    assert {n: (b.better, b.worse) for n, b in against.items() if b} == {
        "better": (True, False), "worse": (False, True), "like": (False, False)
    }  # fmt: skip
    less, more = second.scores["better"].against, second.scores["worse"].against
    assert less
    assert more
    assert less.p == pytest.approx(2 / 2**5)
    assert more.p == pytest.approx(2 / 2**6)
    assert more.p_holm == pytest.approx(3 * 2 / 2**6)  # the third smallest of five
    assert (more.worse, more.seems_worse, less.better) == (False, True, False)
    added = {total.policy: total for total in totals([first, second], [one, two])}
    worse, better = added["worse"], added["better"]
    assert (worse.better, worse.worse, worse.seem_worse) == (0, 1, 2)
    assert (better.better, better.worse, better.standings) == (1, 0, 2)
    assert added["like"].standings == 1


def test_totals_by_hand() -> None:
    one, two = beats(20, 0), beats(1, 11)
    added = {each.policy: each for each in totals(standings([one, two]), [one, two])}
    first, second = added["one"], added["other"]
    assert (first.best, first.clear, second.best, second.clear) == (1, 1, 1, 1)
    assert first.rate == first.misjudged == pytest.approx((0 + 11 / 40) / 2)
    never, often = 2 / 44, 13 / 44  # with two that erred and two that did not added
    variance = never * (1 - never) / 44 + often * (1 - often) / 44
    assert first.half == pytest.approx(1.96 * variance**0.5 / 2)
    p = 11 / 40
    assert first.misjudged_half == pytest.approx(1.96 * (p * (1 - p) / 40) ** 0.5 / 2)
    assert (first.spent, first.ns) == (0.8, 10.0)


def test_time_steps_of_an_experiment_are_no_more_repetitions() -> None:
    """Judged twice with the same outcome, a mean is no surer than judged once."""
    once = beats(10, 4)
    again = {
        name: played._replace(misjudged=played.misjudged[:, [0, 0]])
        for name, played in once.result.played.items()
    }
    experiment = replace(once.entered.experiment, at=(50, 100))
    result = replace(once.result, played=again, at=(50, 100))
    twice = Match(Entered(experiment, {}), result, once.ns)
    for one, two in zip(
        totals(standings([once]), [once]), totals(standings([twice]), [twice]), strict=True
    ):
        assert two.standings == 2
        assert (two.rate, two.half) == pytest.approx((one.rate, one.half))
        assert two.misjudged_half == pytest.approx(one.misjudged_half)


def clear_leads(chances: list[float], times: int, seed: int) -> int:
    """How often the winner's lead is called more than chance, of policies that err so often."""
    rng = np.random.default_rng(seed)
    found = 0
    for _ in range(times):
        shared = rng.random(150)  # the noise that all see
        rows = [np.where(rng.random(150) < 0.5, shared, rng.random(150)) < c for c in chances]
        [standing] = standings([match(**{str(i): row * 1 for i, row in enumerate(rows)})])
        found += standing.clear
    return found


@pytest.mark.parametrize("chances", [[0.3] * 2, [0.3] * 6, [0.3, 0.3, 0.6, 0.6, 0.9]])
def test_a_lead_among_equals_is_seldom_called_more_than_chance(chances: list[float]) -> None:
    """At most 5 % of the times: more than 40 of 400 by chance once in 100 000 seeds."""
    assert clear_leads(chances, 400, seed=1) <= 40


def test_a_lead_that_there_is_is_found() -> None:
    assert clear_leads([0.2, 0.45, 0.5], 50, seed=2) > 40


def test_a_standing_tells_what_the_simulation_counted() -> None:
    experiment = replace(
        paper.experiment(5, "released"), budget=2000, repetitions=60, at=(500, 1777)
    )
    [ready] = entered([experiment], ["AugUCB", "CSAR", "UA"])
    with threads(2) as engine:
        [(_, result)] = run([ready.experiment], engine).results
    found = standings([Match(ready, result, dict.fromkeys(result.policies, 1.0))])
    assert [standing.at for standing in found] == [500, 1777]
    for standing in found:
        for name, score in standing.scores.items():
            assert score.errors == result.errors(name)[standing.at - 1]
            low, high = result.interval(name)
            assert score.half == pytest.approx((high - low)[standing.at - 1] / 2)
            assert score.misjudged == result.misjudged(name, standing.at).mean()
    assert found[1].scores["CSAR"].tries == result.tries("CSAR").clip(max=1777).mean()
    assert found[0].scores["UA"].tries == 500


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ("x", "time step is 'x', but must be a whole number, or a share"),
        ("-5", "time step is '-5'"),
        ("0", "time step is 0, but must be a whole number, at least 1 and at most 200"),
        ("201", "time step is 201"),
        ("150%", "time step is 300"),
        ("", "time step is ''"),
    ],
)
def test_time_steps_that_there_are_not(said: str, message: str) -> None:
    with pytest.raises(ob.InvalidInput, match=message):
        steps([said], 200)


# Families


def test_a_problem_of_a_family_depends_on_seed_and_number_alone() -> None:
    family = Family()
    one = family.problem(7, seed=3)
    [family.problem(i, seed=3) for i in range(5)]
    again = Family().problem(7, seed=3)
    assert (one.arms, one.threshold) == (again.arms, again.threshold)
    others = [family.problem(8, seed=3), family.problem(7, seed=4), family.problem(3, seed=7)]
    assert len({(other.threshold, other.K) for other in [one, *others]}) == 4
    experiment = family.experiment(7, seed=3, tries_each=12.5)
    assert experiment.problem().arms == one.arms
    assert (experiment.budget, experiment.seed) == (round(12.5 * one.K), (3, 7))


def test_a_family_is_as_wild_as_it_says() -> None:
    problems = [Family().problem(i, seed=1) for i in range(200)]
    sizes = np.array([problem.K for problem in problems])
    assert sizes.min() >= 5
    assert sizes.max() <= 500
    middle = exp((log(5) + log(501)) / 2)  # half of the sizes; 4 standard errors: once in 15 000
    assert abs((sizes < middle).mean() - 0.5) < 4 * 0.5 / 200**0.5
    for problem in problems:
        assert problem.means.min() <= problem.threshold <= problem.means.max()
        assert problem.means.min() >= -1e-9
        assert problem.means.max() <= 1
    kinds = np.bincount([arm.kind for problem in problems for arm in problem.arms], minlength=6)
    share = kinds / kinds.sum()
    assert np.all(np.abs(share - 1 / 6) < 4 * (5 / 36 / kinds.sum()) ** 0.5)  # once in 2500 seeds
    places = [np.mean(problem.truth) for problem in problems]
    assert min(places) < 0.1
    assert max(places) > 0.9


def test_families_of_one_kind_and_size() -> None:
    for name in families.DISTRIBUTIONS:
        problem = Family(12, 12, (name,)).problem(1)
        assert problem.K == 12
        assert {type(arm).__name__.lower() for arm in problem.arms} == {name}
    assert {Family(2, 3).problem(i).K for i in range(30)} == {2, 3}
    assert tuple(families.DISTRIBUTIONS) == DISTRIBUTIONS


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((0, 5), "least number of arms is 0"),
        ((9, 5), "greatest number of arms is 5, but must be a whole number, at least 9"),
        ((5, 9, ("normal",)), "distribution is 'normal', but must be one of gaussian, bernoulli"),
        ((5, 9, ()), "distribution is None"),
    ],
)
def test_no_such_family(given: Any, message: str) -> None:
    with pytest.raises(ob.InvalidInput, match=message):
        Family(*given)


# Who plays


def test_policies_as_they_are_named() -> None:
    names = [
        "AugUCB",
        "AugUCB:printed",
        "AugUCB:released",
        "APT:epsilon=0.1",
        "UCBEV:factor=4",
        "UA",
    ]
    written, released = (
        entered([paper.experiment(3, reading)], names)[0].experiment.policies
        for reading in paper.READINGS
    )
    assert list(written) == list(released) == names
    assert written["AugUCB"] == written["AugUCB:printed"] == ob.AugUCB()
    assert released["AugUCB"] == released["AugUCB:released"] == ReleasedAugUCB()
    assert written["AugUCB:released"] == ReleasedAugUCB()
    assert released["AugUCB:printed"] == ob.AugUCB()
    assert (written["UCBEV:factor=4"], released["UCBEV:factor=4"]) == (
        ob.UCBEV(factor=4), ReleasedUCBEV(factor=4)
    )  # fmt: skip
    assert written["APT:epsilon=0.1"] == ob.APT(epsilon=0.1)


def test_who_plays_if_nothing_is_said() -> None:
    own = replace(TWENTY, policies={"wide": ob.APT(0.2)})
    mine, drawn, printed = entered([own, TWENTY, paper.experiment(1, "written")], None)
    assert list(mine.experiment.policies) == ["wide"]
    built_in = {policy.name for policy in (ob.AugUCB, ob.AnytimeAugUCB, ob.UniformAllocation)}
    assert built_in <= set(drawn.experiment.policies)
    assert set(drawn.experiment.policies) == set(printed.experiment.policies)
    [with_base] = entered([own], None, baseline="UA")
    assert list(with_base.experiment.policies) == ["wide", "UA"]
    first, second = entered([own, TWENTY], ["wide", "UA"])
    assert list(first.experiment.policies) == ["wide", "UA"]
    assert list(second.experiment.policies) == ["UA"]
    assert "wide" in second.absent


def test_who_cannot_play_is_told_why() -> None:
    three = Family(3, 3).experiment(1)
    [ready] = entered([three], ["AugUCB", "APT"])
    assert list(ready.experiment.policies) == ["APT"]
    assert "at least 4 for AugUCB" in ready.absent["AugUCB"]
    with pytest.raises(ob.InvalidInput, match="can play.*at least 4 for AugUCB"):
        entered([three], ["AugUCB"])


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("AugUBC", "policy is 'AugUBC', but must be one of APT,"),
        ("AugUCB:row=1", "key is 'AugUCB:row=1.row', but must be one of rho"),
        ("AugUCB:rho=-1", "rho is -1"),
        ("AugUCB:rho=high", "rho is 'high'"),
        ("AugUCB:lost", "word after AugUCB is 'lost', but must be a parameter, such as"),
        ("APT:released", "word after APT is 'released'.*Only AugUCB"),
        ("", "policy is ''"),
    ],
)
def test_policies_that_there_are_not(name: str, message: str) -> None:
    with pytest.raises(ob.InvalidInput, match=message):
        entered([TWENTY], [name])
    with pytest.raises(ob.InvalidInput, match=message):
        entered([TWENTY], ["UA"], baseline=name)


def test_a_policy_named_twice() -> None:
    with pytest.raises(ob.InvalidInput, match="'UA'.*came twice"):
        entered([TWENTY], ["UA", "APT", "UA"])


# The command

Compare = Callable[..., str]


@pytest.fixture
def compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Compare:
    """The command, in this process: what it prints, or says on stderr if it is to fail."""
    monkeypatch.chdir(tmp_path)

    def compare(*arguments: str, code: int = 0) -> str:
        monkeypatch.setattr(sys, "argv", ["overbar", "compare", *arguments])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ob.OverbarWarning)
            with pytest.raises(SystemExit) as ended:
                main()
        said = capsys.readouterr()
        assert ended.value.code == code, said.err
        assert (said.out == "") == (code != 0)
        return said.err if code else said.out

    return compare


def lines(said: str) -> list[dict[str, Any]]:
    """The records of --json, without what depends on the machine."""
    return [{k: v for k, v in json.loads(x).items() if k != "ns_a_step"} for x in said.splitlines()]


def test_the_same_on_any_number_of_threads_and_as_simulated(tmp_path: Path) -> None:
    arguments = ("compare", "--random", "3", "--arms", "4-30", *QUICK, "--seed", "5", "--json")
    one = lines(overbar(*arguments, "--threads", "1", cwd=tmp_path).stdout)
    assert lines(overbar(*arguments, "--threads", "2", cwd=tmp_path).stdout) == one
    more = overbar(*arguments[:2], "4", *arguments[3:], cwd=tmp_path).stdout
    told = ("errors", "tries", "wrong_verdicts", "baseline_p")  # but not what is adjusted
    for this, that in zip(one, lines(more), strict=False):
        assert [this[key] for key in told] == [that[key] for key in told]
    assert [line["policy"] for line in one] == ["APT", "AugUCB", "UA"] * 3
    for number in (1, 2, 3):
        experiment = Family(4, 30).experiment(number, seed=5)
        policies = [ob.APT(), ob.AugUCB(), ob.UniformAllocation()]
        result = ob.simulate(experiment.problem(), policies, experiment.budget, 40, (5, number))
        for line in one[3 * number - 3 : 3 * number]:
            assert line["problem"] == f"random {number}"
            assert line["errors"] == result.wrong(line["policy"]).sum()
            assert line["wrong_verdicts"] == result.misjudged(line["policy"]).mean()
            found = paired(result.wrong(line["policy"]), result.wrong("UA"))
            if line["policy"] != "UA":
                assert (line["baseline_better_in"], line["baseline_p"]) == (found.fewer, found.p)
    assert not list(tmp_path.iterdir())  # nothing is left behind


def test_the_table_says_who_wins(compared: Compare) -> None:
    arguments = ("--experiments", "3,1", *QUICK, "--budget", "3000", "--baseline", "APT")
    said = compared(*arguments)
    assert "Experiment 1, released: Arithmetic progression (Gaussian)" in said
    assert "100 arms, 3000 tries, 40 repetitions" in said
    assert said.index("Experiment 1,") < said.index("Experiment 3,") < said.index("All 2 problems")
    assert max(map(len, said.splitlines())) <= 100
    records = lines(compared(*arguments, "--json"))
    for record in records:
        [row] = [
            [cell.strip() for cell in line.strip("|").split("|")]
            for line in said.partition(f"Experiment {record['problem']},")[2].splitlines()[:9]
            if line.startswith(f"| {record['policy']} ")
        ]
        half = 50 * (record["high"] - record["low"])
        assert row[1] == f"{100 * record['errors'] / 40:.1f} ±{half:.1f}"
        assert row[2].startswith(f"{record['wrong_verdicts']:.2f} ±")
        assert row[0].endswith("*") == record["clearly"]
        assert ("worse" in row[-1]) == (
            record["baseline"] is not None
            and record["baseline_p_holm"] < 0.05
            and record["baseline_better_in"] < record["baseline_worse_in"]
        )
    as_csv = compared(*arguments, "--csv")
    rows = list(csv.DictReader(StringIO(as_csv)))
    assert [row["errors"] for row in rows] == [str(record["errors"]) for record in records]


def test_the_documents_show_what_is_printed(compared: Compare) -> None:
    """All but the times: as long as the bits are the same, so are the tables."""

    def timeless(said: str) -> list[list[str]]:
        rows = [[cell.strip("- ") for cell in line.split("|")] for line in said.splitlines()]
        return [row[:5] + row[6:] for row in rows]

    text = (Path(__file__).parent.parent / "docs/experiments.md").read_text("utf-8")
    command = re.search(
        r"`overbar compare (--experiments 3 .*)` prints\n\n```text\n(.*?)```", text, re.S
    )
    assert command
    assert timeless(compared(*command[1].split())) == timeless(command[2])


def test_time_steps_readings_and_forms(compared: Compare) -> None:
    said = compared(
        *("--experiments", "5", "--reading", "both", "--repetitions", "20"),
        *("--budget", "1500", "--at", "500,50%,1500", "--policies", "AugUCB,AugUCB:printed"),
    )
    assert said.count("| error %, t = 500 | error %, t = 750 | error %, t = 1500 |") == 2
    assert "Experiment 5, written" in said
    assert "Experiment 5, released" in said
    assert "All 2 problems, 6 standings in all" in said
    assert said.count("\nt = 750: ") == 2


def test_a_file_of_ones_own_with_what_cannot_play(tmp_path: Path, compared: Compare) -> None:
    (tmp_path / "mine.toml").write_text(
        'threshold = 0.5\nbudget = 90\nrepetitions = 30\ntitle = "My [b] arms"\n[[arms]]\n'
        'distribution = "bernoulli"\np = [0.1, 0.47, 0.9]\n[policies]\n'
        'APT = {}\n"[wide]" = { policy = "APT", epsilon = 0.5 }\n'
    )
    said = compared("mine.toml", "--baseline", "AugUCB")
    assert "mine: My [b] arms" in said
    assert "| [wide] " in said
    [row] = [line for line in said.splitlines() if line.startswith("| AugUCB ")]
    assert row.split("|")[2].strip() == "–"
    assert "AugUCB does not play: the number of arms is 3" in said
    zone = compared("mine.toml", "--indifference", "0.05", "--json")
    plain = compared("mine.toml", "--json")
    for within, all_of_them in zip(lines(zone), lines(plain), strict=True):
        assert within["wrong_verdicts"] < all_of_them["wrong_verdicts"]


def test_of_many_problems_those_are_shown_that_are_lost(compared: Compare) -> None:
    problems = ("--random", "13", "--arms", "5-9", "--distribution", "bernoulli")
    policies = ("--policies", "GaussianLR,UA", "--repetitions", "60")
    said = compared(*problems, *policies)
    records = lines(compared(*problems, *policies, "--json"))
    lost = {
        record["problem"]
        for record in records
        if record["policy"] == "GaussianLR"
        and record["baseline_p_holm"] < 0.05
        and record["baseline_better_in"] < record["baseline_worse_in"]
    }
    assert 0 < len(lost) < 13
    for number in range(1, 14):
        assert (f"random {number}: " in said) == (f"random {number}" in lost)
    [row] = [line for line in said.splitlines() if line.startswith("| GaussianLR | ")][-1:]
    assert row.split("|")[-3].strip() == str(len(lost))
    everything = compared(*problems, *policies, "--all")
    assert everything.count("bernoulli arms") == 13


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--policies", "AugUBC"], 1, "policy is 'AugUBC', but must be one of APT,"),
        (["--baseline", "Best"], 1, "policy is 'Best', but must be one of APT,"),
        (["--experiments", "7"], 1, "experiment is '7', but must be one of 1, 2, 3, 4, 5, 6"),
        (["--at", "20000"], 1, "time step is 20000, but must be a whole number, at least 1 and at"),
        (["--at", "soon"], 1, "time step is 'soon'"),
        (["--budget", "50"], 1, "the budget is 50, but must be at least 100"),
        (["--arms", "5-9"], 2, "--arms is for --random."),
        (["--tries-each", "9"], 2, "--tries-each is for --random."),
        (["--arms", ""], 2, "--arms is for --random."),
        (["--random", "2", "--arms", "9-5"], 1, "greatest number of arms is 5"),
        (["--random", "2", "--arms", "few"], 1, "--arms is 'few', but must be a number or a range"),
        (["--random", "0"], 2, "0 is not in the range"),
        (["--random", "2", "--distribution", "normal"], 2, "'normal' is not one of 'gaussian'"),
        (
            ["--random", "2", "--tries-each", "9", "--budget", "900"],
            2,
            "--tries-each and --budget do not go together",
        ),
        (["--json", "--csv"], 2, "--json and --csv do not go together"),
        (["--engine", "dask"], 2, "--engine dask and --scheduler go together"),
        (["--by", "luck"], 2, "'luck' is not one of 'error', 'verdicts'"),
        (["--indifference", "-1"], 2, "-1.0 is not in the range"),
        (["nowhere.toml"], 1, "'nowhere.toml', but must be a file that can be read"),
        (["--out", "/proc/nowhere"], 1, "/proc/nowhere"),
    ],
)
def test_wrong_input(compared: Compare, arguments: list[str], code: int, message: str) -> None:
    assert message in " ".join(compared(*arguments, code=code).split())


def test_ctrl_c_and_going_on(tmp_path: Path) -> None:
    arguments = ["compare", "--experiments", "5", "--policies", "APT,UA", "--json", "--out", "o"]
    arguments += ["--repetitions", "4000"]
    process = subprocess.Popen(
        [OVERBAR, *arguments], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    blocks = tmp_path / "o"
    while not (blocks.exists() and len(list(blocks.glob("*.block"))) >= 3):
        assert process.poll() is None, "it ended before it was interrupted"
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert "What is finished is kept in o. The same command goes on from there." in err
    kept = {path.name: path.stat().st_mtime_ns for path in blocks.glob("*.block")}
    on = overbar(*arguments, cwd=tmp_path).stdout
    assert len(list(blocks.glob("*.block"))) > len(kept)
    assert kept.items() <= {p.name: p.stat().st_mtime_ns for p in blocks.glob("*.block")}.items()
    assert [line["policy"] for line in lines(on)] == ["APT", "UA"]


def test_ctrl_c_without_a_folder(tmp_path: Path) -> None:
    code = """from unittest.mock import patch
from overbar.cli import main
with patch("overbar.experiments.comparison.standings", side_effect=KeyboardInterrupt):
    main()"""
    done = subprocess.run(
        [sys.executable, "-c", code, "compare", "--random", "1", *QUICK],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr.strip() == "Stopped. The same command may be run again."
