"""What docs/reproduction.md says, measured again at the seed and the repetitions it names."""

import importlib.util
import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import overbar as ob
from overbar.experiments import paper

DOCS = Path(__file__).parents[1] / "docs"
PAGE = (DOCS / "reproduction.md").read_text()


class Row(NamedTuple):
    """A row of one of the page's tables: of the run of 500 repetitions, and of that of 5000."""

    experiment: int
    policy: str
    near: int
    met: int
    farthest: tuple[int, float, float]
    near_of_many: int
    met_of_many: int
    farthest_of_many: tuple[int, float, float]
    published: float
    ours: float


def rows() -> list[Row]:
    found = []
    for line in PAGE.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if re.fullmatch(r"\d", cells[0]):
            far, far_of_many = (
                (int(step), float(there), float(ours))
                for step, there, ours in (re.split(r": | / ", cells[i]) for i in (4, 7))
            )
            found.append(
                Row(
                    *(int(cells[0]), cells[1], int(cells[2]), int(cells[3]), far),
                    *(int(cells[5]), int(cells[6]), far_of_many, float(cells[8]), float(cells[9])),
                )
            )
    return found


READ, RULES = rows()[:18], rows()[18:]


def agrees(row: Row, result: ob.Result) -> None:
    rates = [f"{100 * rate:.1f}" for rate in result.error_rate(row.policy)]
    step, _, ours = row.farthest
    assert (rates[-1], rates[step - 1]) == (f"{row.ours:.1f}", f"{ours:.1f}")


def test_experiment_3_as_released_is_what_the_page_says() -> None:
    experiment = paper.experiment(3, "released", seed=0)
    result = ob.simulate(
        experiment.problem(), experiment.policies, 10_000, 500, seed=experiment.seed, threads=2
    )
    told = [row for row in READ if row.experiment == 3]
    assert [row.policy for row in told] == result.policies
    for row in told:
        agrees(row, result)


@pytest.fixture(scope="module")
def rules() -> Any:
    spec = importlib.util.spec_from_file_location("rules_that_fit", DOCS / "rules_that_fit.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_rules_that_fit_do_on_experiment_3_what_the_page_says(rules: Any) -> None:
    result = rules.play(paper.experiment(3, "released", seed=0))
    told = [row for row in RULES if row.experiment == 3]
    assert [row.policy for row in told] == result.policies
    for row in told:
        agrees(row, result)


def test_the_rules_are_compared_by_a_command(
    rules: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "points.csv"
    file.write_text(
        "experiment,algorithm,time_step,error_percent\n3,AugUCB,10000,7\n3,CSAR,10000,99\n"
    )
    rules.main(str(file), "100")
    _, augucb, csar = capsys.readouterr().out.splitlines()
    assert augucb.startswith("3 AugUCB 1 1 1 |")
    assert augucb.endswith(" met")
    assert csar.startswith("3 CSAR 1 0 0 |")
    assert csar.endswith(" not met")


def test_the_page_s_sums_are_those_of_its_tables() -> None:
    assert (len(READ), len(RULES)) == (18, 6)
    near, met = sum(row.near for row in READ), sum(row.met for row in READ)
    assert f"{near} of 180 points are near and {met} met" in PAGE
    near, met = sum(row.near_of_many for row in READ), sum(row.met_of_many for row in READ)
    assert f"{near} and {met} with 5000" in PAGE
    for of in ("met", "met_of_many"):
        whole = [row for row in READ if getattr(row, of) == 10]
        assert f"of the 18 curves, {len(whole)} are met" in PAGE
        assert {row.policy for row in whole} == {"APT", "UCBE", "UA", "UCBEV"}
    for policy, said in (
        ("CSAR", "all 30 points are met, and 28"),
        ("AugUCB", "30 points, and 29"),
    ):
        told = [row for row in RULES if row.policy == policy]
        assert sum(row.met for row in told) == 30
        assert f"{sum(row.near for row in told)}" == said[-2:]
        assert said in " ".join(PAGE.split())
