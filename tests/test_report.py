"""The figure, the files and the report: what they show is what was counted."""

import csv
import json
import os
import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import overbar as ob
from overbar.experiments import engines, paper
from overbar.experiments.run import Ran, run
from overbar.experiments.store import Store
from overbar.report import claims, figure, files
from overbar.simulate.blocks import Played

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    experiments = [
        replace(paper.experiment(number, reading), budget=2000, repetitions=40)
        for reading in paper.READINGS
        for number in paper.NUMBERS
    ]
    with engines.threads(2) as engine:
        return run(experiments, engine, Store(tmp_path_factory.mktemp("blocks")))


@pytest.fixture(scope="module")
def folder(ran: Ran, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    files.write(ran, folder, log=False, options={"a": "<b>"})
    return folder


def points_of(curve: ET.Element) -> "np.ndarray[tuple[int, int], np.dtype[np.float64]]":
    """The corners of a curve's first path, in the coordinates of the picture."""
    path = curve.find(f"{SVG}path")
    assert path is not None
    numbers = [float(x) for x in re.findall(r"-?\d+\.?\d*", path.get("d", ""))]
    return np.array(numbers).reshape(-1, 2)


def test_the_figure_has_six_panels_with_the_right_curves(ran: Ran, folder: Path) -> None:
    """Each curve of the SVG, mapped back from the picture, is the error rate that was counted."""
    root = ET.parse(folder / "figure-released.svg").getroot()
    panels = [g for g in root.iter(f"{SVG}g") if g.get("id", "").startswith("panel")]
    assert len(panels) == 6
    released = [(e, r) for e, r in ran.results if e.reading == "released"]
    for panel, (experiment, result) in zip(panels, released, strict=True):
        curves = {
            g.get("id", "").split(" ", 2)[2]: points_of(g)
            for g in panel.iter(f"{SVG}g")
            if g.get("id", "").startswith(f"curve {experiment.name} ")
        }
        assert list(curves) == result.policies
        # From the picture to the axes: x by the ends of a curve; y by two curves' known rates.
        drawn = np.concatenate([curve[:, 1] for curve in curves.values()])
        steps = np.unique(np.linspace(1, 2000, figure.POINTS).round().astype(int))
        counted = {p: 100 * result.error_rate(p)[steps - 1] for p in result.policies}
        # matplotlib leaves out points on straight stretches: compare where a point is drawn
        first = next(iter(curves.values()))
        left, right = first[0, 0], first[-1, 0]
        levels = np.concatenate(
            [np.interp(c[:, 0], np.linspace(left, right, 2), [1, 2000]) for c in curves.values()]
        )
        rates = np.concatenate(
            [
                np.interp(np.interp(c[:, 0], [left, right], [1, 2000]), steps, counted[policy])
                for policy, c in curves.items()
            ]
        )
        assert len(levels) == len(drawn)
        slope, offset = np.polyfit(drawn, rates, 1)
        assert slope < 0  # pictures count y from the top
        assert np.abs(slope * drawn + offset - rates).max() < 0.5


def test_a_policy_has_one_colour_and_one_dash_everywhere(folder: Path) -> None:
    looks: dict[str, set[str]] = {}
    for reading in paper.READINGS:
        root = ET.parse(folder / f"figure-{reading}.svg").getroot()
        for g in root.iter(f"{SVG}g"):
            if g.get("id", "").startswith("curve"):
                path = g.find(f"{SVG}path")
                assert path is not None
                looks.setdefault(g.get("id", "").split(" ", 2)[2], set()).add(path.get("style", ""))
    assert all(len(each) == 1 for each in looks.values())
    six = [next(iter(looks[p])) for p in ("APT", "AugUCB", "UCBE", "UCBEV", "CSAR", "UA")]
    dashes = {re.sub(r"stroke: #\w+", "", style) for style in six}
    assert len(dashes) == 6  # told apart without colour


def test_the_same_figure_gives_the_same_bytes(ran: Ran) -> None:
    one, other = (figure.svg(figure.figure(ran.results[:2])) for _ in range(2))
    assert one == other


def test_a_logarithmic_axis(ran: Ran) -> None:
    drawn = figure.figure(ran.results[:1], log=True)
    assert drawn.axes[0].get_yscale() == "log"
    assert len(figure.png(drawn)) > 10_000


def test_a_logarithmic_axis_ends_where_the_curves_do(ran: Ran) -> None:
    """At the power of ten below the least rate that is drawn, with ticks that say 10 and 100."""
    experiment, _ = ran.results[0]
    counts = np.full(100, 130)
    played = {"APT": Played(counts, *np.zeros((3, 500, 1), int))}
    result = ob.Result(experiment.problem(), 100, 500, played)
    drawn = figure.figure([(experiment, result)], log=True)
    assert drawn.axes[0].get_ylim() == (10, 120)
    assert ">100</text>" in figure.svg(drawn)
    never = {"APT": Played(0 * counts, *np.zeros((3, 500, 1), int))}
    figure.svg(figure.figure([(experiment, replace(result, played=never))], log=True))


def test_a_dollar_is_a_dollar(ran: Ran) -> None:
    experiment, result = ran.results[0]
    played = {r"costs $\bad{$": result.played["APT"]}
    mine = replace(experiment, name="mine", title=r"in $\bad{$")
    text = figure.svg(figure.figure([(mine, replace(result, played=played))]))
    assert r"in $\bad{$" in text
    assert r"costs $\bad{$" in text


def test_counts_and_errors_are_those_of_the_results(ran: Ran, folder: Path) -> None:
    for experiment, result in ran.results:
        path = folder / f"counts-{experiment.reading}-{experiment.name}.csv"
        with path.open(newline="") as file:
            rows = list(csv.DictReader(file))
        assert [int(row["time_step"]) for row in rows] == list(range(1, 2001))
        for policy in result.policies:
            assert [int(row[policy]) for row in rows] == result.errors(policy).tolist()
    records = json.loads((folder / "counts.json").read_text())
    assert len(records) == 2 * (5 * 6 + 4)
    assert records[0]["errors"] == ran.results[0][1].errors("APT").tolist()
    assert sum(records[0]["pulls"]) == 2000 * 40
    with (folder / "errors.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 10 * len(records)
    for row in rows:
        assert float(row["low"]) <= float(row["error_rate"]) <= float(row["high"])


def test_the_manifest_tells_how_it_was_made(folder: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["overbar"] == ob.__version__
    assert manifest["readings"] == ["released", "written"]
    assert manifest["seeds"]["written 3"] == [0, 3]
    assert set(manifest["libraries"]) == {"python", "numpy", "numba", "scipy", "matplotlib"}
    assert manifest["seconds"] > 0


class Page(HTMLParser):
    """Notes what a page would fetch, and that its tags match."""

    VOID = frozenset({"meta", "br", "img", "link", "input", "hr"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.fetched: list[str] = []
        self.headings: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in self.VOID:
            self.open.append(tag)
        named = dict(attrs)
        fetched = [named.get("src"), named.get("href"), named.get("xlink:href")]
        self.fetched += [url for url in fetched if url and not url.startswith("#")]

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in ("h2", "h3"):
            self.headings.append(data)


def test_the_report_is_one_page_that_needs_nothing_else(folder: Path) -> None:
    text = (folder / "report.html").read_text()
    page = Page()
    page.feed(text)
    assert page.open == []
    assert page.fetched == []
    assert "@import" not in text
    assert "url(http" not in text
    assert "Reading: written" in page.headings
    assert "Reading: released" in page.headings
    assert page.headings.count("What holds") == 2
    assert text.count("<svg") == 2
    assert "<b>" not in text  # what a user gives is escaped
    assert "vacuous" in text


def test_the_report_in_a_real_browser(folder: Path, tmp_path: Path) -> None:
    """Chromium lays the page out: two figures with six panels each, every curve with a size."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if browser is None:
        assert "CI" not in os.environ, "CI has a browser"
        pytest.skip("no chromium on this machine")
    script = """<script>onload = () => {
      const seen = {};
      for (const section of document.querySelectorAll("section")) {
        const boxes = q => [...section.querySelectorAll(q)].map(e => e.getBoundingClientRect());
        seen[section.dataset.reading] = {
          panels: boxes("[id^=panel]").filter(b => b.width > 200 && b.height > 100).length,
          curves: boxes("[id^=curve]").filter(b => b.width > 200).length,
          wide: boxes("svg").every(b => b.width > 900)
        };
      }
      const found = document.createElement("output");
      found.id = "seen"; found.textContent = JSON.stringify(seen);
      document.body.append(found);
    }</script></body>"""
    page = tmp_path / "page.html"
    page.write_text((folder / "report.html").read_text().replace("</body>", script))
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-quic"]
    flags += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
    shown = subprocess.run(
        [browser, *flags, f"--user-data-dir={tmp_path / 'profile'}", "--window-size=1200,900",
         "--virtual-time-budget=5000", "--dump-dom", page.as_uri()],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    [seen] = re.findall(r'<output id="seen">(.*?)</output>', shown.stdout)
    expected = {"panels": 6, "curves": 34, "wide": True}
    assert json.loads(seen) == {"written": expected, "released": expected}


# What holds


def result_of(**wrong: list[bool]) -> ob.Result:
    """A result whose repetitions ended so, and whose counts are those at every step."""
    repetitions = len(next(iter(wrong.values())))
    problem = ob.Problem([ob.Bernoulli(0.9)], 0.5)
    played = {
        name: Played(
            errors=np.full(100, sum(each)),
            pulls=np.array([100 * repetitions]),
            misjudged=np.array(each, int)[:, None],
            tries=np.full(repetitions, 100),
        )
        for name, each in wrong.items()
    }
    return ob.Result(problem, 100, repetitions, played)


def test_less_is_the_exact_paired_test() -> None:
    """Wrong together in 10 repetitions, one alone in 1, the other alone in 9: p by hand."""
    one = [True] * 10 + [True] + [False] * 9 + [False] * 80
    other = [True] * 10 + [False] + [True] * 9 + [False] * 80
    found = claims.less(result_of(one=one, other=other), "one", "other")
    assert found.p_less == pytest.approx((1 + 10) / 2**10)
    assert found.p_greater == pytest.approx(1 - 1 / 2**10)
    assert (found.one, found.other) == (0.11, 0.19)


def test_verdicts() -> None:
    better, same, worse = [False] * 90 + [True] * 10, [False] * 88 + [True] * 12, [True] * 60
    result = result_of(a=better, b=same, c=worse + [False] * 40)
    judge = claims.judge_all_less
    assert judge("", claims.pairs(result, "a", ["c"])).verdict == "holds"
    assert judge("", claims.pairs(result, "a", ["b", "c"])).verdict == "not shown"
    assert judge("", claims.pairs(result, "c", ["a", "b"])).verdict == "fails"
    comparable = claims.judge_comparable
    assert comparable("", result, "a", "c").verdict == "fails"
    assert comparable("", result_of(a=better * 20, b=same * 20), "a", "b").verdict == "holds"
    assert comparable("", result_of(a=worse[:3], b=[False] * 3), "a", "b").verdict == "fails"
    half = [True, False] * 10
    assert comparable("", result_of(a=half, b=half[::-1]), "a", "b").verdict == "not shown"


def test_all_claims_are_judged_in_both_readings(ran: Ran) -> None:
    for reading in paper.READINGS:
        found = claims.findings([(e, r) for e, r in ran.results if e.reading == reading])
        assert len(found) == 13
        assert {finding.verdict for finding in found} <= {"holds", "fails", "not shown"}
        assert all(finding.details for finding in found)


def test_no_claim_of_the_paper_is_judged_on_other_experiments(ran: Ran) -> None:
    experiment, result = ran.results[0]
    assert claims.findings([(replace(experiment, name="mine"), result)]) == []
