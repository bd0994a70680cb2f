"""How policies compare, for people: grids of text."""

from collections.abc import Sequence
from typing import NamedTuple

from overbar.experiments.comparison import Beside, Score, Standing
from overbar.experiments.experiment import Experiment
from overbar.experiments.totals import Total

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
    if p < 1e-99:
        return "p < 1e-99"
    return f"p = {p:.2g}" if p >= 0.001 else f"p = {p:.0e}"


def _first(standing: Standing, by: str, several: bool) -> str:
    """Say who comes first, and whether it may be chance."""
    when = f"t = {standing.at}: " if several else ""
    best, lead = standing.best, standing.lead
    if not best:
        return f"{when}No policy can play it."
    if lead is None:
        if len(standing.scores) == 1:
            return f"{when}{best[0]} plays alone."
        who = "All" if len(best) == len(standing.scores) else " and ".join(best)
        return f"{when}{who} share the first place."
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
    saves = any(each.spent < 0.995 for each in added)  # else there is nothing to tell of it
    header = ["policy", "first", "*", "error %", "wrong", *["tries %"] * saves, "ns"]
    header += ["+", "-", "alone"] if baseline is not None else []
    rows = [
        [
            *(each.policy, f"{each.best} of {each.standings}", str(each.clear)),
            _percent(each.rate, each.half),
            _plain(each.misjudged, each.misjudged_half),
            *[f"{100 * each.spent:.0f}"] * saves,
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
        "error: answers with a wrong verdict; wrong: wrong verdicts an answer;"
        " ±: half of the 95 % interval",
        "ns: a step, in one thread",
        "* first by more than chance: p < 5 %, adjusted for all leads",
    ]
    if baseline is not None:
        signs = "+ better, - worse" if len(found) > 1 else "better, worse"
        said.append(f"{signs} than {baseline} by more than chance: p < 5 %, adjusted for all pairs")
    if baseline is not None and problems > 1:
        said.append("alone: worse, if each were the only pair; of equals 2.5 % are, by chance")
    return said
