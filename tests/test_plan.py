"""`overbar plan`, as its users type it: real processes."""

import json
import re
import signal
import subprocess
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import click
import pytest

import overbar as ob
from overbar.cli import overbar as command
from tests.test_run import OVERBAR, overbar

PAGE = (Path(__file__).parents[1] / "docs" / "planning.md").read_text("utf-8")
Said = Callable[..., str]

QUICK = ("plan", "--arms", "20", "--threshold", "0.5", "--guess", "uniform:0,1", "--problems", "30")
TOML = """threshold = 0.5
indifference = 0.1
budget = 50
[[arms]]
distribution = "bernoulli"
p = { from = 0.2, to = 0.8 }
count = 12
[policies]
APT = {}
"""


@pytest.fixture
def said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., str]:
    """What a command prints, in this process, in a folder."""

    def run(*arguments: str, cwd: Path = tmp_path) -> str:
        monkeypatch.chdir(cwd)
        command.main([*arguments], standalone_mode=False)
        return capsys.readouterr().out

    return run


def test_a_curve_and_the_budgets_that_errors_take(said: Said, tmp_path: Path) -> None:
    asked = (*QUICK, "--policies", "APT,AugUCB,UA", "--reach", "500")
    printed = overbar(*asked, cwd=tmp_path).stdout
    assert printed.startswith("20 arms, means from uniform:0,1, rewards pass-fail:")
    assert "Each budget was played on 30 problems, 4 times on each" in printed
    assert "● APT" in printed
    budgets = [
        int(line.split()[0]) for line in printed.splitlines() if "●" in line[1:] and "±" in line
    ]
    assert budgets == [20, 30, 40, 60, 100, 140, 200, 300, 400, 500]
    answers = re.findall(r"(\d+ %)\s+APT\s+(\d+)\s+(\d+) – (\d+)", printed)
    assert answers[0][0] == "10 %"
    assert int(answers[0][2]) <= int(answers[0][1]) <= int(answers[0][3])
    assert re.search(r"UA +over 500", printed)
    assert "one or more in" in printed
    assert re.search(r"APT does not come down to .*2 % with 500 tries", printed)
    width = re.search(r"--indifference .*?([\d.]+) for 2 %", printed)
    assert width is not None
    only = ("--budget", "500", "--error", "0.02", "--policies", "APT")
    milder = said(*QUICK, *only, "--indifference", width[1])
    assert "APT comes down to 2 % with 500 tries." in milder


def test_what_a_budget_gives(said: Said) -> None:
    printed = said(*QUICK, "--budget", "100", "--policies", "APT,UA")
    assert "With a budget of 100 tries:" in printed
    assert len([line for line in printed.splitlines() if re.match(" (APT|UA) .*±", line)]) == 2
    two = said(*QUICK, "--budget", "100", "--policies", "APT:epsilon=0.2,APT", "--json")
    wide, narrow = json.loads(two)["policies"]
    assert (wide["policy"], narrow["policy"]) == ("APT:epsilon=0.2", "APT")
    assert wide["forecasts"] != narrow["forecasts"]


def test_policies_that_play_badly_or_not_at_all_are_told_of_once(
    said: Said, recwarn: pytest.WarningsRecorder
) -> None:
    asked = ("--threshold", "0.5", "--guess", "beta:1,1", "--problems", "9")
    printed = said("plan", "--arms", "3", *asked, "--budget", "30", "--policies", "AugUCB,APT")
    assert "AugUCB cannot play: the number of arms is 3" in printed
    warnings.simplefilter("always")
    said("plan", "--arms", "5", *asked, "--reach", "60", "--policies", "AugUCB")
    assert len([each for each in recwarn if "With 5 arms" in str(each.message)]) == 1


def test_json_is_the_same_for_any_threads_and_changes_with_the_seed(tmp_path: Path) -> None:
    asked = (*QUICK, "--reach", "300", "--json", "--measure", "any", "--error", "0.5")
    one = overbar(*asked, "--threads", "1", cwd=tmp_path).stdout
    assert overbar(*asked, "--threads", "2", cwd=tmp_path).stdout == one
    assert overbar(*asked, "--seed", "1", cwd=tmp_path).stdout != one
    read = json.loads(one)
    assert (read["schema"], read["arms"], read["measure"]) == (1, 20, "any")
    assert (read["threshold"], read["plays"], read["seed"]) == (0.5, 4, 0)
    assert 0.4 < read["over"] < 0.6
    for policy in read["policies"]:
        for at in policy["forecasts"]:
            assert at["problems"] == 30
            for error in (at["share"], at["any"]):
                assert 0 <= error["low"] <= error["value"] <= error["high"] <= 1
            assert at["tries"] <= at["budget"]
        assert [need["error"] for need in policy["needed"]] == [0.5]


def test_the_curve_is_drawn(said: Said, tmp_path: Path) -> None:
    asked = (*QUICK, "--reach", "200", "--policies", "APT,UA")
    said(*asked, "--out", "c.png")
    assert (tmp_path / "c.png").read_bytes().startswith(b"\x89PNG")
    said(*asked, "--out", "c.svg")
    drawn = (tmp_path / "c.svg").read_text()
    assert all(word in drawn for word in ("<svg", "APT", "UA", "budget, tries", "wrong verdicts"))
    more = ",".join(f"APT:epsilon={each}" for each in range(7))
    said(*QUICK, "--reach", "20", "--policies", more, "--out", "more.svg")
    assert "APT:epsilon=6" in (tmp_path / "more.svg").read_text()


def test_a_plan_that_cannot_be_drawn_is_shown(tmp_path: Path) -> None:
    (tmp_path / "full.png").symlink_to("/dev/full")
    asked = (*QUICK, "--reach", "60", "--policies", "APT")
    done = overbar(*asked, "--out", "full.png", cwd=tmp_path, code=1)
    assert "● APT" in done.stdout
    assert done.stderr == "Error: Cannot write to full.png: No space left on device\n"


def test_a_table_that_is_too_wide_is_shown_in_parts(said: Said) -> None:
    names = "APT,UA,LSA,CSAR,EVT,FWT,AugUCB,AnytimeAugUCB,UntilSure"
    printed = said(*QUICK, "--reach", "60", "--policies", names)
    lines = printed.splitlines()
    assert "…" not in printed
    assert max(map(len, lines)) <= 100
    headings = [line for line in lines if "● " in line]
    assert len(headings) > 1
    assert re.findall(r"[●○▲△■□◆◇] (\w+)", " ".join(headings)) == names.split(",")
    at_60 = [line for line in lines if line.startswith("     60 ")]
    assert sum(line.count("±") for line in at_60) == len(names.split(","))


def test_a_single_arm(said: Said) -> None:
    asked = ("--arms", "1", "--threshold", "0.5", "--guess", "beta:1,1", "--problems", "9")
    printed = said("plan", *asked, "--budget", "9")
    assert printed.startswith("1 arm, means from beta:1,1")


@pytest.fixture(scope="module")
def pilots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with campaigns, of which `tried` will do, an experiment and logs."""
    tmp_path = tmp_path_factory.mktemp("pilots")
    file = tmp_path / "overbar.db"
    names = [f"{i}" for i in range(12)]
    with ob.Campaign.create("tried", names, 70, 96, policy=ob.APT(), scale=(0, 100),
                            database=file) as campaign:  # fmt: skip
        campaign.run(lambda ticket: 100 * (ticket.id % 12 < int(ticket.arm)))
    with ob.Campaign.create("once", names, 0.5, 12, database=file) as campaign:
        campaign.run(lambda ticket: ticket.arm > "3")
    with ob.Campaign.create("bars", ["a", "b", "c"], None, 30, thresholds={"a": 0.1, "b": 0.2,
                            "c": 0.3}, database=file) as campaign:  # fmt: skip
        campaign.run(lambda ticket: ticket.id % 3 > 0)
    (tmp_path / "mine.toml").write_text(TOML)
    rows = [f"{i},{(i + j) % 5 % 2}" for i in range(9) for j in range(6)]
    (tmp_path / "log.csv").write_text("\n".join(["arm,reward", *rows]))
    (tmp_path / "gap.csv").write_text("arm,reward\na,1\nb,\n")
    (tmp_path / "nameless.csv").write_text("arm,reward\na,1\n ,0\n")
    (tmp_path / "marks.csv").write_text("arm,reward\na,1\na,5\nb,2\nb,3\nc,4\nc,4\n")
    (tmp_path / "word.csv").write_text("arm,reward\na,1\na,0\nb,yes\n")
    return tmp_path


FEW = ("--budget", "60", "--problems", "10", "--policies", "APT")


def test_arms_from_a_pilot_an_experiment_and_a_log(said: Said, pilots: Path) -> None:
    printed = said("plan", "--pilot", "tried", *FEW, cwd=pilots)
    assert "12 arms, the arms of the pilot tried" in printed
    assert "over 70." in printed
    assert "96 results of 12 arms, whose means spread by" in printed
    printed = said("plan", "--pilot", "tried", "--arms", "40", *FEW, cwd=pilots)
    assert "40 arms, arms like those of the pilot tried" in printed
    printed = said("plan", "--pilot", "log.csv", "--threshold", "0.5", *FEW, cwd=pilots)
    assert "54 results of 9 arms" in printed
    printed = said("plan", "--logged", "log.csv", "--threshold", "0.5", *FEW, cwd=pilots)
    assert "9 arms, the arms of log.csv, resampled" in printed
    assert "is luck of few tries" in printed
    printed = said("plan", "--guess", "mine.toml", *FEW, cwd=pilots)
    assert "12 arms, the arms of mine.toml" in printed
    assert "over 0.5 ± 0.1." in printed
    narrow = ("plan", "--guess", "mine.toml", "--indifference", "0", *FEW)
    assert "over 0.5." in said(*narrow, cwd=pilots)


GUESS = ("--arms", "10", "--threshold", "0.5", "--guess")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ((*GUESS, "beta:-1,2"), 1, "Of the guess beta:-1,2: a is -1.0, but must be a finite"),
        ((*GUESS, "beat:1,2"), 1, "guess is 'beat:1,2', but must be one of beta:A,B, uniform:LOW"),
        ((*GUESS, "beta:1"), 1, "guess is 'beta:1', but must be beta:A,B, with two numbers"),
        ((*GUESS, "beta:1,x"), 1, "b of the guess beta:1,x is 'x', but must be a number"),
        ((*GUESS, "uniform:1,0.5"), 1, "Of the guess uniform:1,0.5: high is 0.5, but must be"),
        ((*GUESS, "normal:0.9,0.1"), 1, "within 0 to 1, where such rewards lie. beta:7.2,0.8"),
        ((*GUESS, "uniform:0,2"), 1, "means is '0 to 2', but must be within 0 to 1"),
        ((*GUESS, "uniform:-1e308,1e308", "--rewards", "gaussian:1"), 1, "high - low is inf, but"),
        ((*GUESS, "normal:0,1", "--rewards", "gaussian:1e308"), 1, "a Gaussian arm is 1e+308"),
        ((*GUESS, "beta:1,1", "--scale", "-1e308", "1e308"), 1, "width of the scale is inf, but"),
        ((*GUESS, "beta:1,1", "--budget", "9" * 20), 1, "and at most 9007199254740992"),
        ((*GUESS, "nowhere.toml"), 1, "'nowhere.toml', but must be a file that can be read"),
        ((*GUESS, "beta:1,1", "--rewards", "gauss:1"), 1, "one of pass-fail, gaussian:SD, beta"),
        ((*GUESS, "beta:1,1", "--budget", "5"), 1, "budget is 5, but must be at least 10"),
        ((*GUESS, "beta:1,1", "--reach", "5"), 1, "budget is 5, but must be at least 10"),
        ((*GUESS, "beta:1,1", "--error", "5"), 1, "error is 5.0, but must be a finite"),
        ((*GUESS, "beta:1,1", "--policies", "APR"), 1, "policy is 'APR', but must be one of"),
        ((*GUESS, "beta:1,1", "--out", "c.pdf"), 1, "'c.pdf', but must be one that ends with .png"),
        ((*GUESS, "beta:1,1", "--budget", "9", "--out", "c.png"), 2, "--out draws a curve"),
        ((*GUESS, "beta:1,1", "--indifference", "-1"), 1, "indifference is -1.0, but must be"),
        ((*GUESS, "beta:1,1", "--scale", "1", "0"), 1, "high end of the scale is 0.0, but must be"),
        ((*GUESS, "beta:1,1", "--pilot", "once"), 2, "Give one of --guess, --pilot and --logged."),
        ((*GUESS, "beta:1,1", "--measure", "all"), 2, "'all' is not one of 'share', 'any'"),
        (GUESS[:-1], 2, "Give one of --guess, --pilot and --logged."),
        (("--arms", "9", "--guess", "beta:1,1"), 2, "Give the bar: --threshold BAR."),
        (("--threshold", "0.5", "--guess", "beta:1,1"), 1, "arms is None, but must be given"),
        (("--arms", "9", "--threshold", "95", "--guess", "beta:1,1"), 1, "threshold is 95.0, but"),
        (("--pilot", "once"), 1, "0 of 12 arms with two results or more', but must be one with 3"),
        (("--pilot", "nobody"), 1, "'nobody', but must be one of 'bars', 'once', 'tried'"),
        (("--pilot", "bars"), 2, "Give the bar: --threshold BAR."),
        (("--pilot", "once", "--rewards", "gaussian:1"), 2, "--rewards is not for --pilot"),
        (("--logged", "gap.csv", "--threshold", "1"), 1, "gap.csv, line 3, reward is '', but must"),
        (("--pilot", "word.csv"), 1, "word.csv, line 4, reward is 'yes', but must"),
        (("--logged", "log.csv", "--threshold", "0.5", "--scale", "0", "0.5"), 1, "at most 0.5"),
        (("--pilot", "nameless.csv"), 1, "nameless.csv, line 3, arm is ' ', but must be a name"),
        (("--pilot", "marks.csv", "--threshold", "0.5"), 1, "reward of 'a' is 5.0, but must be a"),
        (("--pilot", "tried", "--scale", "0", "9"), 2, "--scale is not for an experiment"),
        (("--guess", "mine.toml", "--scale", "0", "9"), 2, "--scale is not for an experiment"),
        ((*GUESS, "beta:1,1", "--budget", "9", "--reach", "99"), 2, "--reach looks at many"),
        ((*GUESS, "beta:1,1", "--out", "nowhere/c.png"), 1, "folder of the curve is 'nowhere'"),
    ],
)  # fmt: skip
def test_wrong_input(
    pilots: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], code: int,
    message: str,
) -> None:  # fmt: skip
    monkeypatch.chdir(pilots)
    expected = ob.InvalidInput if code == 1 else click.UsageError
    with pytest.raises(expected, match=re.escape(message)):
        command.main(["plan", *arguments], standalone_mode=False)


def test_wrong_input_is_a_line_and_an_exit_code(tmp_path: Path) -> None:
    done = overbar("plan", *GUESS, "beat:1,2", cwd=tmp_path, code=1)
    assert done.stderr.startswith("Error: the guess is 'beat:1,2', but must be one of beta:A,B")
    assert done.stdout == ""
    assert "Give one of" in overbar("plan", cwd=tmp_path, code=2).stderr
    for many in (("--arms", "9" * 12), ("--budget", "9" * 14)):
        done = overbar("plan", *GUESS, "beta:1,1", *many, cwd=tmp_path, code=1)
        assert done.stderr.startswith("Error: The memory does not suffice: Unable to allocate")


def test_ctrl_c_ends_it(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [OVERBAR, *QUICK[:-1], "4000", "--budget", "20000"], cwd=tmp_path, stderr=subprocess.PIPE,
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    time.sleep(3)
    assert process.poll() is None, "it ended before it was interrupted"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Stopped." in err
    assert "Traceback" not in err
    assert out == ""


def test_the_page_shows_what_the_command_prints(said: Said) -> None:
    [typed] = re.findall(r"^overbar (plan .*--policies APT,UA)$", PAGE, re.MULTILINE)
    lines = said(*typed.split()).splitlines()
    assert "\n".join(line.rstrip() for line in lines) in PAGE
