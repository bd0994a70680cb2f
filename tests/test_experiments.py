"""Experiments as data: the paper's six, and files of a user's own."""

import re
from pathlib import Path

import numpy as np
import pytest

import overbar as ob
from overbar.experiments import paper
from overbar.experiments.toml_file import parse, read
from overbar.policies.released import ReleasedAugUCB, ReleasedUCBE, ReleasedUCBEV

GEOMETRIC = [0.4 - 0.2**i for i in (1, 2, 3, 4)] + [0.45, 0.55]
GEOMETRIC += [0.6 + 0.2 ** (5 - i) for i in (1, 2, 3, 4)]
FIRST_TEN = {
    1: [0.2, 0.25, 0.3, 0.35, 0.45, 0.55, 0.65, 0.7, 0.75, 0.8],
    2: GEOMETRIC,
    3: [0.1, 0.1, 0.1, 0.35, 0.45, 0.55, 0.65, 0.9, 0.9, 0.9],
    4: [0.45] * 5 + [0.55] * 5,
    5: [0.45] * 5 + [0.55] * 5,
    6: [0.45] * 5 + [0.55] * 5,
}
RELEASED_FIRST_TEN = {**FIRST_TEN, 1: [0.2, 0.25, 0.3, 0.35, 0.45, 0.55, 0.6, 0.65, 0.7, 0.75]}


@pytest.mark.parametrize("number", paper.NUMBERS)
@pytest.mark.parametrize("reading", paper.READINGS)
def test_the_paper_s_experiments(number: int, reading: str) -> None:
    experiment = paper.experiment(number, reading)
    problem = experiment.problem()
    assert (experiment.name, experiment.reading) == (number, reading)
    assert (problem.K, problem.threshold, experiment.budget) == (100, 0.5, 10_000)
    assert experiment.repetitions == 500
    assert problem.over == {"6", "7", "8", "9", "10"}
    first_ten = (FIRST_TEN if reading == "written" else RELEASED_FIRST_TEN)[number]
    assert np.allclose(problem.means, first_ten + [0.4] * 90)
    advanced = number in (5, 6)
    listed = [0.3] * 5 + [0.8] * 5 if advanced else [0.5] * 5 + [0.6] * 5
    spreads = problem.variances if reading == "written" else np.sqrt(problem.variances)
    assert np.allclose(spreads[:10], listed)
    low, high = (0.2, 0.3) if advanced else (0.38, 0.42) if reading == "written" else (0.3, 0.4)
    fillers = spreads[10:]
    assert low <= fillers.min() < low + 0.2 * (high - low)
    assert high - 0.2 * (high - low) < fillers.max() <= high
    assert len(set(fillers)) == 90  # drawn independently


def test_experiment_6_explores_UCBEV() -> None:
    written = paper.experiment(6, "written").policies
    assert list(written) == ["UCBEV(0.25)", "AugUCB", "UCBEV(256)", "UCBEV(1)"]
    assert [written[f"UCBEV({f})"] for f in ("0.25", "1", "256")] == [
        ob.UCBEV(factor=4.0**i) for i in (-1, 0, 4)
    ]
    released = paper.experiment(6, "released").policies
    assert released["UCBEV(256)"] == ReleasedUCBEV(factor=256)


def test_the_released_policies_differ_as_their_page_says() -> None:
    problem = paper.experiment(3, "released").problem()
    game = ob.Game(100, 10_000, problem)
    rounds = ReleasedAugUCB().rounds(game)
    psi = 10_000 / np.log(100)
    assert rounds[0].length == np.ceil(2 * np.log(psi * 10_000))
    assert rounds[2].constants == pytest.approx((2 / 3, np.log(psi * 10_000 / 16)))
    s = np.sqrt(2 / 3 * (0.3 + 1) * 5.0 / (4 * 7))
    assert ReleasedAugUCB.index(7, 0.9, 0.3, 0.5, 2 / 3, 5.0) == pytest.approx(0.4 - s)
    assert not ReleasedAugUCB.deleted(7, 0.9, 0.3, 0.5, 2 / 3, 5.0)
    assert ReleasedAugUCB.deleted(7, 0.51 + 2 * s, 0.3, 0.5, 2 / 3, 5.0)
    gaps, sd = np.abs(0.5 - problem.means[:10]), np.array([0.5] * 5 + [0.6] * 5)
    [a] = ReleasedUCBE().constants(game)
    assert a == pytest.approx(9900 / np.sum(1 / gaps**2))
    [a] = ReleasedUCBEV(factor=4).constants(game)
    H = np.sum((np.sqrt(sd) + np.sqrt(sd + 16 / 3 * gaps)) ** 2 / gaps**2)
    assert a == pytest.approx(4 * 8 / 9 * 9800 / H)
    bonus = np.sqrt(2 * a * 0.3 / 7) + 7 * a / 20
    assert ReleasedUCBEV.index(7, 0.9, 0.3, 0.5, a) == pytest.approx(0.4 - bonus)


EVERYTHING = """
title = "All that can be said"
threshold = 0.5
indifference = 0.05
budget = 300
repetitions = 20
seed = 7

[[arms]]
distribution = "gaussian"
mean = [0.4, 0.6]
sd = { from = 0.1, to = 0.3 }

[[arms]]
distribution = "bernoulli"
p = 0.9
names = ["sure"]

[[arms]]
distribution = "beta"
a = 2
b = { from = 1, to = 3 }
count = 2

[[arms]]
distribution = "uniform"
low = 0
high = 0.9

[[arms]]
distribution = "exponential"
mean = 0.7

[[arms]]
log = "results.csv"

[policies]
AugUCB = { rho = 0.25 }
APT = {}
wide = { policy = "APT", epsilon = 0.2 }
UA = {}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "results.csv").write_text("arm,reward,when\nx,1,mon\ny,0.25,mon\nx,0,tue\n")
    (tmp_path / "mine.toml").write_text(EVERYTHING)
    return tmp_path


def test_a_file_of_ones_own(folder: Path) -> None:
    experiment = read(folder / "mine.toml")
    problem = experiment.problem()
    assert problem.names == ("1", "2", "sure", "4", "5", "6", "7", "x", "y")
    assert problem.arms[2] == ob.Bernoulli(0.9)
    assert problem.arms[7:] == (ob.Empirical([1, 0]), ob.Empirical([0.25]))
    assert problem.means[:2].tolist() == [0.4, 0.6]
    assert problem.either[5:].tolist() == [True, False, True, False]  # means 0.45, 0.7, 0.5, 0.25
    assert experiment.policies["wide"] == ob.APT(epsilon=0.2)
    assert experiment.policies["AugUCB"] == ob.AugUCB(rho=0.25)
    assert (experiment.name, experiment.title) == ("mine", "All that can be said")
    assert read(folder / "mine.toml").problem().arms == problem.arms  # drawn from the seed


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("budget = 300", 'budget = "300"', "budget is '300', but must be a whole number"),
        ("budget = 300", "budget = 2.5", "budget is 2.5"),
        ("budget = 300", "", "has the key 'budget'"),
        ("budget = 300", "bugdet = 300", "key is 'bugdet', but must be one of title, threshold"),
        ("repetitions = 20", "repetitions = 0", "repetitions is 0, but must be.*at least 1"),
        ("threshold = 0.5", "threshold = true", "threshold is True"),
        ("indifference = 0.05", "indifference = -1", "indifference is -1, but must be.*at least 0"),
        ("threshold = 0.5", "threshold = nan", "threshold is nan"),
        ("seed = 7", "seed = -7", "seed is -7"),
        ("title = ", "title = 3 #", "title is 3, but must be a text"),
        ('"gaussian"', '"normal"', r"arms\[1\].distribution is 'normal'.*gaussian, bernoulli"),
        ("sd = {", "sigma = {", r"key is 'arms\[1\].sigma', but must be one of.*mean, sd"),
        ("mean = [0.4, 0.6]", "", r"arms\[1\].mean is None.*gaussian needs it"),
        ("[0.4, 0.6]", '[0.4, "high"]', r"arms\[1\].mean\[2\] is 'high'"),
        ("from = 0.1, to = 0.3", "from = 0.3, to = 0.1", r"sd.to is 0.1.*at least 0.3"),
        ("from = 0.1, to = 0.3", "from = -1, to = 1", r"arms\[1\].sd is -1.*at least 0"),
        ("from = 0.1, to = 0.3", "from = 0.1", r"arms\[1\].sd.to is None"),
        ("p = 0.9", "p = 1.9", "p of a Bernoulli arm is 1.9"),
        ("p = 0.9", "p = 0.9\ncount = 3", r"arms\[2\] is \{'names': 1, 'count': 3\}"),
        ('["sure"]', '["1"]', "'1'.*It came twice"),
        ('["sure"]', '"sure"', r"arms\[2\].names is 'sure'.*list"),
        ("results.csv", "nowhere.csv", "nowhere.csv.*No such file"),
        ('log = "results.csv"', "log = 1", r"arms\[6\].log is 1"),
        ("AugUCB = {", "AugUBC = {", "policies.AugUBC is 'AugUBC', but must be one of AugUCB, APT"),
        ("rho = 0.25", "rho = -1", "rho is -1"),
        ("rho = 0.25", "row = 1", "key is 'policies.AugUCB.row', but must be one of rho"),
        ("APT = {}", "APT = 3", "policies.APT is 3, but must be a table"),
        ("[policies]", "[policies", "a TOML file.*line"),
    ],
)
def test_a_mistake_names_key_value_and_what_is_accepted(
    folder: Path, old: str, new: str, message: str
) -> None:
    assert old in EVERYTHING
    (folder / "mine.toml").write_text(EVERYTHING.replace(old, new, 1))
    with pytest.raises(ob.InvalidInput, match=re.compile(message, re.DOTALL)) as caught:
        read(folder / "mine.toml")
    assert "mine.toml" in str(caught.value)


@pytest.mark.parametrize(
    ("log", "message"),
    [
        ("name,reward\nx,1\n", "header of results.csv.*one with arm and reward"),
        ("arm,reward\nx,1\nx,much\n", "results.csv, line 3, reward is 'much'"),
        ("arm,reward\nx\n", "results.csv, line 2, reward is None"),
        ("arm,reward\nx,inf\n", "results.csv, line 2, reward is 'inf'"),
        ("arm,reward\n", "has a reward or more"),
        ("", "header of results.csv"),
    ],
)
def test_a_mistake_in_a_log_names_its_line(folder: Path, log: str, message: str) -> None:
    (folder / "results.csv").write_text(log)
    with pytest.raises(ob.InvalidInput, match=message):
        read(folder / "mine.toml")


def test_no_arms_or_no_policies() -> None:
    start = "threshold = 0.5\nbudget = 9\n"
    for rest in ("arms = []\n[policies]\nAPT = {}", "[[arms]]\nlog = 'x'\n[policies]"):
        with pytest.raises(ob.InvalidInput):
            parse(start + rest, "x.toml", Path())


def test_the_example_in_the_documents(tmp_path: Path) -> None:
    text = (Path(__file__).parent.parent / "docs/experiments.md").read_text("utf-8")
    [example] = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    experiment = parse(example, "example.toml", tmp_path)
    result = ob.simulate(experiment.problem(), experiment.policies, 100, 10)
    assert result.policies == ["AugUCB", "APT", "APT, no margin", "UA"]
    assert len(result.problem.names) == 24


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("p = 0.5", "p = 1.5", "In x.toml: arms[2]: the p of a Bernoulli arm is 1.5"),
        ("APT = {}", 'APT = { epsilon = "wide" }', "In x.toml: policies.APT: epsilon is 'wide'"),
        ('"gaussian"', "3", "arms[1].distribution is 3, but must be one of gaussian"),
    ],
)
def test_a_mistake_in_a_value_names_where_it_stands(old: str, new: str, message: str) -> None:
    text = """
threshold = 0.5
budget = 100
[[arms]]
distribution = "gaussian"
mean = 0.1
sd = 1
[[arms]]
distribution = "bernoulli"
p = 0.5
[policies]
APT = {}
"""
    with pytest.raises(ob.InvalidInput) as raised:
        parse(text.replace(old, new), "x.toml", Path())
    assert message in str(raised.value)
