"""The command line, as its users type it: real processes."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

OVERBAR = str(Path(sys.executable).parent / "overbar")
QUICK = ["--repetitions", "30", "--budget", "1500"]


def overbar(*arguments: str, cwd: Path, code: int = 0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [OVERBAR, *arguments], cwd=cwd, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == code, done.stderr
    return done


def test_help_names_the_commands(tmp_path: Path) -> None:
    said = overbar("--help", cwd=tmp_path).stdout
    assert "paper" in said
    assert "simulate" in said
    for option in ("--experiments", "--reading", "--policies", "--json", "--out", "--scheduler"):
        assert option in overbar("paper", "--help", cwd=tmp_path).stdout


def test_paper_writes_its_folder_and_prints_a_table(tmp_path: Path) -> None:
    done = overbar("paper", "--experiments", "1,3", *QUICK, "--out", "o", cwd=tmp_path)
    assert done.stdout.count("wrong answers in % of 30 repetitions") == 4
    assert "AugUCB" in done.stdout
    assert "The report: o/report.html" in done.stderr
    written = {path.name for path in (tmp_path / "o").iterdir()}
    assert {"report.html", "errors.csv", "counts.json", "manifest.json"} <= written
    assert {"figure-written.png", "figure-written.svg", "figure-released.svg"} <= written
    assert not any(".part" in name for name in written)
    assert (tmp_path / "o/figure-written.png").read_bytes().startswith(b"\x89PNG")


def test_json_is_lines_and_nothing_else_and_the_same_every_time(tmp_path: Path) -> None:
    arguments = ["paper", *QUICK, "--json", "--seed", "5"]
    one = overbar(*arguments, "--out", "a", "--threads", "1", cwd=tmp_path).stdout
    lines = [json.loads(line) for line in one.splitlines()]
    assert len(lines) == 2 * (5 * 6 + 4)
    assert list(lines[0]) == [
        *("schema", "experiment", "reading", "policy", "budget"),
        *("repetitions", "time_steps", "errors"),
    ]
    assert lines[0]["schema"] == 1
    assert lines[0]["time_steps"] == list(range(150, 1501, 150))
    assert {(line["experiment"], line["reading"]) for line in lines} == {
        (number, reading) for number in range(1, 7) for reading in ("written", "released")
    }
    assert overbar(*arguments, "--out", "b", "--threads", "2", cwd=tmp_path).stdout == one
    assert overbar(*arguments, "--out", "b", cwd=tmp_path).stdout == one  # from kept blocks
    alone = overbar(*arguments, "--out", "c", "--experiments", "4", cwd=tmp_path).stdout
    assert alone.splitlines() == [x for x in one.splitlines() if '"experiment":4,' in x]


def test_policies_and_reading_can_be_chosen(tmp_path: Path) -> None:
    done = overbar(
        *("paper", "--policies", "AugUCB,UCBEV", "--reading", "written", "--json", *QUICK),
        cwd=tmp_path,
    )
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert {line["reading"] for line in lines} == {"written"}
    assert [line["policy"] for line in lines if line["experiment"] == 2] == ["AugUCB", "UCBEV"]
    assert sum(line["experiment"] == 6 for line in lines) == 4


def test_an_experiment_of_ones_own_from_an_example(tmp_path: Path) -> None:
    example = overbar("simulate", "--example", "1", cwd=tmp_path).stdout
    (tmp_path / "mine.toml").write_text(example.replace("10_000", "900").replace("500", "40"))
    done = overbar("simulate", "mine.toml", "--log", cwd=tmp_path)
    assert "Arithmetic progression" in done.stdout
    assert (tmp_path / "overbar-simulate/report.html").exists()
    lines = overbar("simulate", "mine.toml", "--json", "--policies", "APT", cwd=tmp_path).stdout
    [line] = map(json.loads, lines.splitlines())
    assert (line["experiment"], line["reading"], line["policy"]) == ("mine", "given", "APT")
    assert (line["budget"], line["repetitions"]) == (900, 40)


def test_ctrl_c_ends_within_a_second_and_the_run_goes_on(tmp_path: Path) -> None:
    arguments = ["paper", "--experiments", "5", "--repetitions", "3000", "--json", "--out", "o"]
    arguments += ["--reading", "written"]
    process = subprocess.Popen(
        [OVERBAR, *arguments], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    blocks = tmp_path / "o/blocks"
    while not (blocks.exists() and len(list(blocks.glob("*.block"))) >= 5):
        assert process.poll() is None, "it ended before it was interrupted"
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    began = time.monotonic()
    out, err = process.communicate(timeout=60)
    assert time.monotonic() - began < 5  # a second, on a machine that is not shared
    assert process.returncode == 130
    assert out == ""
    assert "The same command goes on from there" in err
    assert "Traceback" not in err
    assert not list(blocks.glob("*.part*"))
    kept = len(list(blocks.glob("*.block")))
    assert 5 <= kept < 180
    done = overbar(*arguments, cwd=tmp_path)
    manifest = json.loads((tmp_path / "o/manifest.json").read_text())
    assert manifest["blocks"] == {"played": 180 - kept, "kept from an earlier run": kept}
    fresh = overbar(*arguments[:-3], "fresh", *arguments[-2:], cwd=tmp_path)
    assert fresh.stdout == done.stdout


@pytest.mark.parametrize(
    ("moment", "message"),
    [
        ("overbar.report.files.write", "The same command goes on from there"),
        ("overbar.experiments.paper.experiment", "Stopped. The same command may be run again."),
    ],
)
def test_ctrl_c_before_and_after_playing(tmp_path: Path, moment: str, message: str) -> None:
    code = f"""from unittest.mock import patch
from overbar.cli import main
with patch("{moment}", side_effect=KeyboardInterrupt):
    main()"""
    arguments = ["paper", "--experiments", "6", "--repetitions", "5", "--budget", "500"]
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=tmp_path, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 130
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_killed_at_any_moment_nothing_is_lost(tmp_path: Path) -> None:
    """SIGKILL, several times, then to the end: the bits of an undisturbed run."""
    arguments = ["paper", "--experiments", "6", "--repetitions", "600", "--json"]
    expected = overbar(*arguments, "--out", "undisturbed", cwd=tmp_path).stdout
    for delay in (0.5, 2.5, 4.0, 4.3):
        process = subprocess.Popen(
            [OVERBAR, *arguments, "--out", "o"], cwd=tmp_path, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert overbar(*arguments, "--out", "o", cwd=tmp_path).stdout == expected


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["paper", "--experiments", "7"], 1, "experiment is '7', but must be one of 1, 2, 3, 4"),
        (["paper", "--experiments", "1,x"], 1, "experiment is 'x'"),
        (["paper", "--policies", "AugUBC"], 1, "policy is 'AugUBC', but must be one of APT,"),
        (["paper", "--repetitions", "0"], 2, "0 is not in the range x>=1"),
        (["paper", "--repetitions", "many"], 2, "'many' is not a valid integer"),
        (["paper", "--reading", "loud"], 2, "'loud' is not one of 'written', 'released', 'both'"),
        (["paper", "--budget", "50"], 1, "budget is 50, but must be at least 100"),
        (["paper", "--budget", "150"], 1, "at least 2K = 200 for UCBEV"),
        (["paper", "--out", "/proc/nowhere"], 1, "/proc/nowhere/blocks"),
        (["paper", "--engine", "dask"], 2, "--engine dask and --scheduler go together"),
        (["paper", "--scheduler", "tcp://x:1"], 2, "--engine dask and --scheduler go together"),
        (["paper", "--engine", "cloud"], 2, "'cloud' is not one of"),
        (
            ["paper", "--engine", "dask", "--scheduler", "tcp://127.0.0.1:9"],
            1,
            "scheduler 'tcp://127.0.0.1:9' does not answer",
        ),
        (["simulate", "nowhere.toml"], 1, "'nowhere.toml', but must be a file that can be read"),
        (["simulate"], 2, "Missing argument 'EXPERIMENT'"),
        (["simulate", "--example", "9"], 2, "9 is not in the range"),
        (["simulate", "bad.toml"], 1, "In bad.toml: budget is 'ten'"),
        (["dance"], 2, "No such command 'dance'"),
    ],
)
def test_wrong_input(tmp_path: Path, arguments: list[str], code: int, message: str) -> None:
    (tmp_path / "bad.toml").write_text(
        'threshold = 0.5\nbudget = "ten"\n[[arms]]\ndistribution = "bernoulli"\np = 0.5\n'
        "[policies]\nAPT = {}\n"
    )
    began = time.monotonic()
    done = overbar(*arguments, cwd=tmp_path, code=code)
    assert message in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert time.monotonic() - began < 30


def test_a_warning_is_a_line(tmp_path: Path) -> None:
    (tmp_path / "four.toml").write_text(
        'threshold = 0.5\nbudget = 50\nrepetitions = 2\n[[arms]]\ndistribution = "bernoulli"\n'
        "p = [0.1, 0.2, 0.8, 0.9]\n[policies]\nAugUCB = {}\n"
    )
    said = overbar("simulate", "four.toml", cwd=tmp_path).stderr
    assert said.startswith("Warning: With 4 arms,")
    assert ".py" not in said


def test_a_pipe_that_closes_is_no_accident(tmp_path: Path) -> None:
    command = f"{OVERBAR} simulate --example 1 | head -1"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"], cwd=tmp_path, capture_output=True,
        text=True, check=False, env=dict(os.environ),
    )  # fmt: skip
    assert done.stdout.startswith("title = ")
    assert "Traceback" not in done.stderr


def test_a_tiny_experiment_whose_names_look_like_markup(tmp_path: Path) -> None:
    (tmp_path / "tiny.toml").write_text(
        'title = "Who gets 100 $ [/b]?"\nthreshold = 0.5\nbudget = 3\nrepetitions = 2\n'
        '[[arms]]\ndistribution = "bernoulli"\np = [0.2, 0.7, 0.9]\n'
        '[policies]\n"[red]x[/red]" = { policy = "APT" }\n'
    )
    done = overbar("simulate", "tiny.toml", cwd=tmp_path)
    assert "[red]x[/red]" in done.stdout
    assert "[/b]?" in done.stdout
    assert (tmp_path / "overbar-simulate" / "report.html").exists()


@pytest.mark.parametrize(
    ("words", "whole"),
    [
        ("plan --arms 9 --threshold 0.5 --guess beta:1,1 --reach 9", "AnytimeAugUCB"),
        ("compare --random 1 --arms 9 --policies APT,UA --repetitions 20", "450 tries, 20 rep"),
        ("run --arm long-name --threshold 0.5 --budget 3 -- true", "long-name 3 1 0.228 – 1.000"),
    ],
)  # fmt: skip
def test_a_narrow_terminal_cuts_no_figure(words: str, whole: str, tmp_path: Path) -> None:
    terminal, end = pty.openpty()
    narrow = {**os.environ, "COLUMNS": "40", "TERM": "xterm"}
    process = subprocess.Popen(
        [OVERBAR, *words.split()], cwd=tmp_path, stdout=end, stderr=subprocess.PIPE, env=narrow
    )
    os.close(end)
    shown = b""
    with suppress(OSError):  # the other end is closed
        while more := os.read(terminal, 4096):
            shown += more
    os.close(terminal)
    process.communicate(timeout=60)
    assert "…" not in shown.decode()
    assert whole in " ".join(re.findall(r"[^\s│]+", shown.decode()))
