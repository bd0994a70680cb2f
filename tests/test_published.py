"""Published points beside ours: the test by hand, the file's mistakes, and the command."""

import csv
import json
import math
from pathlib import Path

import numpy as np
import pytest

import overbar as ob
from overbar.experiments import paper
from overbar.experiments.experiment import Experiment
from overbar.report import published
from overbar.report.published import Point
from overbar.simulate.blocks import Played
from tests.test_cli import overbar

HEADER = "experiment,algorithm,time_step,error_percent\n"


def ran(errors: int, repetitions: int, budget: int = 1000) -> tuple[Experiment, ob.Result]:
    """Experiment 3 with one policy that was wrong so often at every time step."""
    experiment = paper.experiment(3, "released")
    played = Played(np.full(budget, errors), *np.zeros((3, repetitions, 1), int))
    return experiment, ob.Result(experiment.problem(), budget, repetitions, {"APT": played})


def test_the_p_value_is_fisher_s_by_hand() -> None:
    """1 wrong of 5 there, 4 of 5 here: the tables as likely or less, of C(10, 5) ways."""
    [found] = published.compare([ran(4, 5)], [Point(3, "APT", 7, 20.0, repetitions=5)])
    ways = [math.comb(5, k) * math.comb(5, 5 - k) for k in range(6)]
    assert found.p == pytest.approx(sum(w for w in ways if w <= ways[1]) / sum(ways))
    assert (found.percent, found.difference) == (80.0, 60.0)


def test_many_points_are_adjusted_for_their_number() -> None:
    """A point that is off at 5 % by itself is met as one of twenty."""
    points = [Point(3, "APT", t, 50.0) for t in range(1, 21)]
    one, *_ = published.compare([ran(285, 500)], points)
    assert 0.02 < one.p < 0.05
    assert one.p_holm == pytest.approx(20 * one.p)
    assert (one.near, one.met) == (False, True)
    [alone] = published.compare([ran(285, 500)], points[:1])
    assert (alone.near, alone.met) == (False, False)
    [curve] = published.curves(published.compare([ran(450, 500)], points))
    assert (len(curve.points), curve.near, curve.met, curve.verdict) == (20, 0, 0, "not met")
    [curve] = published.curves(published.compare([ran(250, 500)], points))
    assert (curve.near, curve.met, curve.verdict) == (20, 20, "met")


def test_copies_of_one_simulation_are_met_and_others_are_not() -> None:
    """200 pairs of draws of one binomial: 5 % or fewer are off; false alarm below 10⁻³."""
    chance = np.random.default_rng(1)
    points, results = [], []
    for wrong in chance.binomial(500, 0.3, size=(200, 2)):
        [found] = published.compare(
            [ran(int(wrong[0]), 500)], [Point(3, "APT", 1, float(wrong[1]) / 5)]
        )
        points.append(found.near)
        results.append(found.p)
    assert 180 <= sum(points) <= 200
    assert min(results) < 0.1  # and it is not that nothing is ever off


def test_points_that_lie_on_no_curve_that_was_run_are_left_out() -> None:
    points = [Point(3, "APT", 1000, 9.0), Point(3, "APT", 1001, 9.0), Point(5, "APT", 9, 9.0)]
    assert published.of(points, [paper.experiment(3, "written")]) == points[:2]
    experiment, result = ran(45, 500)
    assert [each.point for each in published.compare([(experiment, result)], points[:1])] == [
        points[0]
    ]
    assert published.compare([(experiment, result)], points[2:]) == []


def test_each_reading_is_adjusted_for_itself() -> None:
    experiment, result = ran(285, 500)
    written = paper.experiment(3, "written")
    points = [Point(3, "APT", t, 50.0) for t in (1, 2, 3)]
    found = published.compare([(experiment, result), (written, result)], points)
    assert [each.reading for each in found] == ["released"] * 3 + ["written"] * 3
    assert {each.p_holm / each.p for each in found} == {3.0}


def test_a_file_of_points(tmp_path: Path) -> None:
    path = tmp_path / "points.csv"
    path.write_text(HEADER + "1,APT,1000,100.0\n6,UCBEV(256),20,37.5\n", encoding="utf-8-sig")
    assert published.read(path) == [Point(1, "APT", 1000, 100.0), Point(6, "UCBEV(256)", 20, 37.5)]
    path.write_text(HEADER.strip() + ",repetitions\n2,UA,10,12.5,80\n")
    [point] = published.read(path)
    assert (point.repetitions, point.errors) == (80, 10)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "header of points.csv is '', but must be one with the columns experiment,"),
        ("experiment,time_step\n", "header of points.csv is 'experiment,time_step'"),
        (HEADER, "a file with a point or more"),
        (HEADER + "1,APT,10,5\n7,APT,10,5\n", "line 3, experiment is 7, but must be one of 1, 2"),
        (HEADER + "one,APT,10,5\n", "line 2, experiment is 'one', but must be a whole number"),
        (HEADER + "1,AugUBC,10,5\n", "line 2, algorithm is 'AugUBC', but must be one of APT,"),
        (HEADER + "6,APT,10,5\n", "algorithm is 'APT', but must be one of UCBEV(0.25), AugUCB"),
        (HEADER + "1,APT,0,5\n", "line 2, time_step is 0, but must be a whole number, at least 1"),
        (HEADER + "1,APT,1.5,5\n", "line 2, time_step is '1.5'"),
        (HEADER + "1,APT,10,101\n", "line 2, error_percent is 101.0, but must be a finite number"),
        (HEADER + "1,APT,10,nan\n", "line 2, error_percent is nan"),
        (HEADER + "1,APT,10,\n", "line 2, error_percent is ''"),
        (HEADER + "1,APT\n", "line 2, time_step is None"),
        (HEADER + "1\n", "line 2, algorithm is ''"),
        (HEADER + "1,APT,10,5\n1,APT,10,6\n", "line 3 is (1, 'APT', 10), but must be a point that"),
        (HEADER + "1,APT,\0,5\n", "points.csv"),
    ],
)
def test_a_mistake_names_the_line_the_value_and_what_is_accepted(
    tmp_path: Path, text: str, message: str
) -> None:
    path = tmp_path / "points.csv"
    path.write_text(text)
    with pytest.raises(ob.InvalidInput) as raised:
        published.read(path)
    assert message in str(raised.value)


def test_the_command_compares_and_writes_what_it_found(tmp_path: Path) -> None:
    arguments = ["paper", "--experiments", "3,6", "--policies", "APT,AugUCB", "--repetitions", "60"]
    arguments += ["--budget", "1200", "--reading", "released", "--out", "o"]
    plain = overbar(*arguments, "--json", cwd=tmp_path).stdout
    assert not (tmp_path / "o/published.csv").exists()
    (tmp_path / "points.csv").write_text(
        HEADER + "3,APT,600,100\n3,APT,1200,1.0\n6,AugUCB,1200,100\n1,APT,600,50\n"
    )
    done = overbar(*arguments, "--published", "points.csv", cwd=tmp_path)
    assert "Published curves, beside the reading released" in done.stdout
    assert "not met" in done.stdout
    with (tmp_path / "o/published.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["experiment"], row["policy"], row["time_step"]) for row in rows] == [
        ("3", "APT", "600"), ("3", "APT", "1200"), ("6", "AugUCB", "1200")
    ]  # fmt: skip
    assert [row["met"] for row in rows] == ["True", "False", "True"]
    records = json.loads((tmp_path / "o/published.json").read_text())
    counts = json.loads((tmp_path / "o/counts.json").read_text())
    assert [record["errors"] for record in records] == [
        counts[0]["errors"][599], counts[0]["errors"][1199], counts[2]["errors"][1199]
    ]  # fmt: skip
    report = (tmp_path / "o/report.html").read_text()
    assert "Published curves" in report
    assert "How published curves are compared" in report
    as_json = overbar(*arguments, "--published", "points.csv", "--json", cwd=tmp_path).stdout
    assert as_json == plain


def test_the_command_says_so_before_it_runs_when_no_point_can_be_compared(tmp_path: Path) -> None:
    (tmp_path / "points.csv").write_text(HEADER + "3,APT,600,100\n")
    said = overbar(
        *("paper", "--experiments", "1", "--published", "points.csv"), cwd=tmp_path, code=1
    )
    assert "APT at time step 600 of experiment 3" in said.stderr
    assert "of a curve that is run" in said.stderr
    said = overbar("paper", "--published", "nowhere.csv", cwd=tmp_path, code=1)
    assert "a CSV file that can be read" in said.stderr
