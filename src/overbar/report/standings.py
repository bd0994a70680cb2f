"""How policies compare, for people and for programs: grids of text, JSON lines, CSV."""

import csv
import json
from collections.abc import Iterator, Sequence
from io import StringIO
from typing import NamedTuple

from overbar.experiments.comparison import Beside, Score, Standing, Total
from overbar.experiments.experiment import Experiment
from overbar.simulate.wilson import wilson

DASH = "–"
COMES_FIRST = {"error": "errs least", "verdicts": "has the fewest wrong verdicts"}


class Grid(NamedTuple):
    """A table of text, with what stands above and below it."""

    title: str
    header: list[str]
    rows: list[list[str]]
    below: list[str]


def by_experiment(found: Sequence[Standing]) -> list[list[Standing]]:
    """Return the standings of each experiment together."""
    gathered: dict[int, list[Standing]] = {}
    for standing in found:
        gathered.setdefault(id(standing.entered), []).append(standing)
    return list(gathered.values())


def of_experiment(found: Sequence[Standing], by: str, baseline: str | None) -> Grid:
    """Return the grid of one experiment, of which `found` are the standings."""
    experiment, absent = found[0].entered
    several = len(found) > 1
    header, rows = _step_by_step(found, by) if several else _at_once(found[0], baseline)
    rows += [[name, *[DASH] * (len(header) - 1)] for name in absent]
    below = [_first(standing, by, several) for standing in found]
    below += [f"{name} does not play: {why}" for name, why in absent.items()]
    return Grid(_title(experiment, found[0].K), header, rows, below)


def _title(experiment: Experiment, K: int) -> str:
    said = (
        f"{_named(experiment)}: {experiment.title}\n"
        f"{K} arms, {experiment.budget} tries, {experiment.repetitions} repetitions"
    )
    if experiment.indifference:
        said += f"; within {experiment.indifference:g} of the bar either verdict is right"
    return said


def _named(experiment: Experiment) -> str:
    if isinstance(experiment.name, int):
        return f"Experiment {experiment.name}, {experiment.reading}"
    return experiment.name


def _at_once(standing: Standing, baseline: str | None) -> tuple[list[str], list[list[str]]]:
    """Header and rows of one time step: a row a policy, with all that is counted."""
    header = ["policy", "error %", "wrong", "tries", "ns"]
    rows = [
        [
            score.policy + _star(standing, score),
            _percent(score.rate, score.half),
            _plain(score.misjudged, score.misjudged_half),
            f"{score.tries:.0f}",
            f"{score.ns:.0f}",
        ]
        for score in standing.scores.values()
    ]
    if baseline is not None:
        header.append(f"against {baseline}")
        for row, score in zip(rows, standing.scores.values(), strict=True):
            row.append(_against(score.against))
    return header, rows


def _step_by_step(found: Sequence[Standing], by: str) -> tuple[list[str], list[list[str]]]:
    """Header and rows of several time steps: a row a policy, a column a step, with what counts."""
    what = "error %" if by == "error" else "wrong"
    header = ["policy", *(f"{what}, t = {standing.at}" for standing in found)]
    rows = [
        [policy, *(_cell(standing, standing.scores[policy], by) for standing in found)]
        for policy in found[0].scores
    ]
    return header, rows


def _cell(standing: Standing, score: Score, by: str) -> str:
    if by == "error":
        said = _percent(score.rate, score.half)
    else:
        said = _plain(score.misjudged, score.misjudged_half)
    beside = score.against
    sign = "" if beside is None else " +" * beside.better + " -" * beside.worse
    return said + _star(standing, score) + sign


def _percent(rate: float, half: float) -> str:
    return f"{100 * rate:.1f} ±{100 * half:.1f}"


def _plain(mean: float, half: float) -> str:
    return f"{mean:.2f} ±{half:.2f}"


def _star(standing: Standing, score: Score) -> str:
    return " *" if standing.clear and score.policy in standing.best else ""


def _against(beside: Beside | None) -> str:
    if beside is None:
        return ""
    word = "better, " * beside.better + "worse, " * beside.worse
    return word + _p(beside.p_holm)


def _p(p: float) -> str:
    return f"p = {p:.2g}" if p >= 0.001 else f"p = {p:.0e}"


def _first(standing: Standing, by: str, several: bool) -> str:
    """Say who comes first, and whether it may be chance."""
    when = f"t = {standing.at}: " if several else ""
    best, lead = standing.best, standing.lead
    if not best:
        return f"{when}No policy can play it."
    if lead is None:
        who = "All" if len(best) == len(standing.scores) else " and ".join(best)
        return f"{when}{who} share the first place." if len(best) > 1 else f"{when}{who} is alone."
    said = (
        f"{when}{best[0]} {COMES_FIRST[by]}. {lead.other} is next: {lead.fewer} to {lead.more} "
        f"repetitions, {_p(lead.p_holm)}"
    )
    return f"{said}." if standing.clear else f"{said}, perhaps chance."


def of_all(found: Sequence[Standing], added: Sequence[Total], baseline: str | None) -> Grid:
    """Return the grid of all experiments together."""
    experiments = len(by_experiment(found))
    title = f"All {experiments} problems"
    if len(found) > experiments:
        title += f", {len(found)} standings in all"
    header = ["policy", "first", "clearly", "error %", "wrong", "tries %", "ns"]
    header += ["better", "worse", "alone"] if baseline is not None else []
    rows = [
        [
            *(each.policy, f"{each.best} of {each.standings}", str(each.clear)),
            _percent(each.rate, each.half),
            _plain(each.misjudged, each.misjudged_half),
            f"{100 * each.spent:.0f}",
            f"{each.ns:.0f}",
            *_totals_against(each, baseline),
        ]
        for each in added
    ]
    return Grid(title, header, rows, _absences(found))


def _absences(found: Sequence[Standing]) -> list[str]:
    """Say which policies do not play all problems, and why not."""
    whys: dict[str, list[str]] = {}
    problems = by_experiment(found)
    for standings in problems:
        experiment, absent = standings[0].entered
        for name, why in absent.items():
            whys.setdefault(name, []).append(f"{_named(experiment)}: {why}")
    return [
        f"{name} does not play {len(each)} of {len(problems)} problems. {each[0]}"
        for name, each in whys.items()
    ]


def _totals_against(total: Total, baseline: str | None) -> list[str]:
    if baseline is None:
        return []
    if total.policy == baseline:
        return [""] * 3
    return [str(count) for count in (total.better, total.worse, total.seem_worse)]


def legend(found: Sequence[Standing], shown: int, baseline: str | None) -> list[str]:
    """Say what the signs mean, and how many problems were shown."""
    problems = len(by_experiment(found))
    said = []
    if shown < problems:
        which = "Shown are the problems with" if shown else "On no problem is"
        worse = f"{which} a policy worse than {baseline} by more than chance; "
        said.append(f"{worse if baseline else ''}--all shows every problem.")
    said += [
        "error: answers with a wrong verdict; wrong: wrong verdicts an answer; ±: half of the 95 %",
        "interval; ns: a step, in one thread.",
        "* first by more than chance: p < 5 %, adjusted for all leads.",
    ]
    if baseline is not None:
        signs = "+ better, - worse" if len(found) > problems else "better, worse"
        said.append(
            f"{signs}: than {baseline}, by more than chance: p < 5 %, adjusted for all pairs."
        )
        if problems > 1:
            said.append("alone: worse, were each the only pair; 2.5 % of equals are, by chance.")
    return said


def records(found: Sequence[Standing], by: str) -> Iterator[dict[str, object]]:
    """Yield a record for each experiment, time step and policy, the absent ones too."""
    for standing in found:
        experiment, absent = standing.entered
        of: dict[str, object] = {
            "schema": 1,
            "problem": experiment.name,
            "reading": experiment.reading,
            "arms": standing.K,
            "threshold": experiment.threshold,
            "indifference": experiment.indifference,
            "budget": experiment.budget,
            "seed": list(experiment.seed),
            "repetitions": experiment.repetitions,
            "time_step": standing.at,
        }
        for score in standing.scores.values():
            yield of | _record(score, standing, by)
        for policy, why in absent.items():
            yield of | {"policy": policy, "absent": why}


def _record(score: Score, standing: Standing, by: str) -> dict[str, object]:
    low, high = wilson(score.errors, score.repetitions)
    first = score.policy in standing.best
    return {
        "policy": score.policy,
        "absent": None,
        "errors": score.errors,
        "low": round(float(low), 6),
        "high": round(float(high), 6),
        "wrong_verdicts": score.misjudged,
        "wrong_verdicts_half": round(score.misjudged_half, 6),
        "tries": score.tries,
        "ns_a_step": round(score.ns, 1),
        "by": by,
        "first": first,
        "clearly": first and standing.clear,
        **_beside("lead", standing.lead if first else None),
        **_beside("baseline", score.against),
    }


def _beside(what: str, beside: Beside | None) -> dict[str, object]:
    names = (what, f"{what}_better_in", f"{what}_worse_in", f"{what}_p", f"{what}_p_holm")
    if beside is None:
        return dict.fromkeys(names)
    told = (beside.other, beside.fewer, beside.more, beside.p, beside.p_holm)
    return dict(zip(names, told, strict=True))


def as_csv(records: Sequence[dict[str, object]]) -> str:
    """Return the records as CSV."""
    text = StringIO()
    columns = dict.fromkeys(key for record in records for key in record)
    lines = csv.DictWriter(text, [*columns], lineterminator="\n")
    lines.writeheader()
    lines.writerows(records)
    return text.getvalue()


def as_json(record: dict[str, object]) -> str:
    """Return a record as a line of JSON."""
    return json.dumps(record, separators=(",", ":"))
