"""Published curves beside ours: which of their points are met within Monte-Carlo reach.

A published point and ours are two counts of wrong answers, each out of so many repetitions. If both
simulations were the same they would be two draws of one binomial, and Fisher's exact test (two
sides) says how often two draws lie as far apart. Tested by themselves, one point in twenty of a
perfect copy is off at 5 %; so the p-values of all points of a reading are also adjusted by Holm's
method, under which a perfect copy has no point off with 95 % certainty. A point is *near* when its
own p is 5 % or more, and *met* when its adjusted p is. The points of a curve are draws from the
same repetitions, so where one is off by chance its neighbours tend to be too.
"""

import csv
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import NamedTuple

import numpy as np

from overbar.errors import InvalidInput, a_number, a_whole_number
from overbar.experiments import paper
from overbar.experiments.experiment import Experiment
from overbar.experiments.significance import LEVEL, holm
from overbar.report.tables import Ran

COLUMNS = ("experiment", "algorithm", "time_step", "error_percent")
REPETITIONS = 500  # of each of the paper's curves, unless a column `repetitions` says otherwise


class Point(NamedTuple):
    """A point of a published curve."""

    experiment: int
    policy: str
    time_step: int
    percent: float
    repetitions: int = REPETITIONS

    @property
    def errors(self) -> int:
        """The number of wrong answers it stands for."""
        return round(self.percent * self.repetitions / 100)


class Compared(NamedTuple):
    """A published point beside ours."""

    reading: str
    point: Point
    errors: int
    repetitions: int
    p: float
    p_holm: float

    @property
    def percent(self) -> float:
        """Our error percentage."""
        return 100 * self.errors / self.repetitions

    @property
    def difference(self) -> float:
        """Ours less the published, in percentage points."""
        return self.percent - self.point.percent

    @property
    def near(self) -> bool:
        """Whether the point, by itself, is within reach."""
        return self.p >= LEVEL

    @property
    def met(self) -> bool:
        """Whether it is within reach as one of many."""
        return self.p_holm >= LEVEL


@dataclass(frozen=True)
class Curve:
    """What became of the points of one curve."""

    reading: str
    experiment: int
    policy: str
    points: list[Compared]

    @property
    def near(self) -> int:
        """The number of points that are within reach by themselves."""
        return sum(point.near for point in self.points)

    @property
    def met(self) -> int:
        """The number of points that are within reach as some of many."""
        return sum(point.met for point in self.points)

    @property
    def farthest(self) -> Compared:
        """The point of least p; of several, the one that lies farthest off."""
        return min(self.points, key=lambda each: (each.p, -abs(each.difference)))

    @property
    def verdict(self) -> str:
        """Met when all its points are."""
        return "met" if self.met == len(self.points) else "not met"


def read(path: Path) -> list[Point]:
    """Read published points of the paper's experiments: a CSV file with a row for each.

    Its columns are experiment, algorithm, time_step and error_percent and, if the points are not
    of 500 repetitions, repetitions.
    """
    named = {n: tuple(paper.experiment(n, "written").policies) for n in paper.NUMBERS}
    points: dict[tuple[int, str, int], Point] = {}
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            rows = csv.DictReader(file)
            if not set(COLUMNS) <= set(rows.fieldnames or ()):
                raise InvalidInput(
                    f"the header of {path.name}",
                    ",".join(rows.fieldnames or ()),
                    f"one with the columns {', '.join(COLUMNS)}",
                )
            for row in rows:
                where = f"{path.name}, line {rows.line_num}"
                point = _point(row, named, where)
                if point[:3] in points:
                    raise InvalidInput(where, point[:3], "a point that no line before it gives")
                points[point[:3]] = point
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InvalidInput(
            "the published points", str(path), "a CSV file that can be read", f"{error}."
        ) from None
    if not points:
        raise InvalidInput("the published points", str(path), "a file with a point or more")
    return list(points.values())


def _point(row: dict[str, str], named: dict[int, tuple[str, ...]], where: str) -> Point:
    number = _whole(row, "experiment", where)
    if number not in named:
        raise InvalidInput(f"{where}, experiment", number, "one of 1, 2, 3, 4, 5, 6")
    policy = (row["algorithm"] or "").strip()
    if policy not in named[number]:
        raise InvalidInput(f"{where}, algorithm", policy, f"one of {', '.join(named[number])}")
    percent = _number(row["error_percent"])
    return Point(
        number,
        policy,
        _whole(row, "time_step", where),
        a_number(f"{where}, error_percent", percent, least=0, most=100),
        _whole(row, "repetitions", where) if "repetitions" in row else REPETITIONS,
    )


def _whole(row: dict[str, str], key: str, where: str) -> int:
    try:
        given: object = int(row[key])
    except (TypeError, ValueError):
        given = row[key]
    return a_whole_number(f"{where}, {key}", given, least=1)


def _number(given: str | None) -> object:
    try:
        return float(given or "")
    except ValueError:
        return given


def of(points: Sequence[Point], experiments: Sequence[Experiment]) -> list[Point]:
    """Return the points that lie on a curve of these experiments."""
    budgets = {
        (experiment.name, policy): experiment.budget
        for experiment in experiments
        for policy in experiment.policies
    }
    return [
        point
        for point in points
        if point.time_step <= budgets.get((point.experiment, point.policy), 0)
    ]


def compare(ran: Ran, points: Sequence[Point]) -> list[Compared]:
    """Compare the points with what was run; the readings are adjusted each for itself."""
    compared: list[Compared] = []
    for reading in dict.fromkeys(experiment.reading for experiment, _ in ran):
        found = list(_unadjusted([each for each in ran if each[0].reading == reading], points))
        adjusted = holm([each.p for each in found])
        compared += [each._replace(p_holm=p) for each, p in zip(found, adjusted, strict=True)]
    return compared


def _unadjusted(ran: Ran, points: Sequence[Point]) -> Iterator[Compared]:
    if not points:
        return
    from scipy.stats import fisher_exact

    for experiment, result in ran:
        for point in of(points, [experiment]):
            errors = int(result.errors(point.policy)[point.time_step - 1])
            counts = ((errors, result.repetitions), (point.errors, point.repetitions))
            table = np.array([[wrong, of_them - wrong] for wrong, of_them in counts])
            p = float(fisher_exact(table).pvalue)
            yield Compared(experiment.reading, point, errors, result.repetitions, p, p)


def curves(compared: Sequence[Compared]) -> list[Curve]:
    """Gather the points of each curve."""
    gathered: dict[tuple[str, int, str], list[Compared]] = {}
    for each in compared:
        key = (each.reading, each.point.experiment, each.point.policy)
        gathered.setdefault(key, []).append(each)
    return [Curve(*key, points) for key, points in gathered.items()]


def _record(each: Compared) -> dict[str, object]:
    return {
        "reading": each.reading,
        "experiment": each.point.experiment,
        "policy": each.point.policy,
        "time_step": each.point.time_step,
        "published_percent": each.point.percent,
        "published_errors": each.point.errors,
        "published_repetitions": each.point.repetitions,
        "percent": round(each.percent, 6),
        "errors": each.errors,
        "repetitions": each.repetitions,
        "difference": round(each.difference, 6),
        "p": each.p,
        "p_holm": each.p_holm,
        "near": each.near,
        "met": each.met,
    }


def as_csv(compared: Sequence[Compared]) -> str:
    """Return a row for each point."""
    text = StringIO()
    records = [_record(each) for each in compared]
    lines = csv.DictWriter(text, list(records[0]), lineterminator="\n")
    lines.writeheader()
    lines.writerows(records)
    return text.getvalue()


def as_json(compared: Sequence[Compared]) -> str:
    """Return a record for each point."""
    lines = [json.dumps({"schema": 1, **_record(each)}) for each in compared]
    return "[\n" + ",\n".join(lines) + "\n]\n"
