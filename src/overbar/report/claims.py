"""What holds: each claim of the paper's evaluation, and what the tests say of it.

"A errs less than B" is tested at the last time step with the exact McNemar test: both saw the same
noise, so repetition by repetition one of them may be right where the other is wrong, and if they
were equally good each would be so equally often. At earlier time steps only counts are kept, and
Fisher's exact test compares them. The p-values of a claim's comparisons
are adjusted by Holm's method.

A claim *holds* when every comparison is significant at 5 %, *fails* when one is significant the
other way, and is *not shown* otherwise. "Comparable" holds when the 95 % interval of the difference
lies within ±5 percentage points, and fails when it lies outside.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Literal, NamedTuple

import numpy as np

from overbar.experiments.experiment import Experiment
from overbar.experiments.significance import LEVEL, holm, paired
from overbar.simulate.result import Result

Verdict = Literal["holds", "fails", "not shown"]
MARGIN = 0.05  # within which two error rates are comparable


class Comparison(NamedTuple):
    """Two error rates, and the p-values of the first being less, and of its being greater."""

    said: str
    one: float
    other: float
    p_less: float
    p_greater: float


@dataclass(frozen=True)
class Finding:
    """A claim, and what came of it."""

    claim: str
    verdict: Verdict
    details: list[str]


def less(result: Result, one: str, other: str) -> Comparison:
    """Compare the answers of two policies at the last time step, repetition by repetition."""
    a, b = result.wrong(one), result.wrong(other)
    found = paired(a, b)
    said = f"{one} against {other}"
    return Comparison(said, a.mean(), b.mean(), found.p_less, found.p_greater)


def less_at(result: Result, one: str, other: str, step: int, other_step: int) -> Comparison:
    """Compare error counts at two time steps."""
    from scipy.stats import fisher_exact

    n = result.repetitions
    a, b = int(result.errors(one)[step - 1]), int(result.errors(other)[other_step - 1])
    table = np.array([[a, n - a], [b, n - b]])
    p_less, p_greater = (
        float(fisher_exact(table, alternative=side).pvalue) for side in ("less", "greater")
    )
    said = f"{one} at {step} against {other} at {other_step}"
    return Comparison(said, a / n, b / n, p_less, p_greater)


def judge_all_less(claim: str, comparisons: list[Comparison]) -> Finding:
    """Judge a claim that the first of each pair errs less."""
    less_p = holm([each.p_less for each in comparisons])
    greater_p = holm([each.p_greater for each in comparisons])
    verdict: Verdict = "not shown"
    if all(p < LEVEL for p in less_p):
        verdict = "holds"
    elif any(p < LEVEL for p in greater_p):
        verdict = "fails"
    details = [
        f"{each.said}: {100 * each.one:.1f} % against {100 * each.other:.1f} %, "
        + ("equal" if each.one == each.other else "")
        + (f"less, p = {p:.2g}" if each.one < each.other else "")
        + (f"greater, p = {q:.2g}" if each.one > each.other else "")
        for each, p, q in zip(comparisons, less_p, greater_p, strict=True)
    ]
    return Finding(claim, verdict, details)


def judge_comparable(claim: str, result: Result, one: str, other: str) -> Finding:
    """Judge a claim that two policies err about equally often at the last time step."""
    difference = result.wrong(one).astype(float) - result.wrong(other)
    mean = float(difference.mean())
    half = 1.96 * float(difference.std()) / sqrt(len(difference))
    low, high = mean - half, mean + half
    verdict: Verdict = "not shown"
    if low >= -MARGIN and high <= MARGIN:
        verdict = "holds"
    elif low > MARGIN or high < -MARGIN:
        verdict = "fails"
    detail = (
        f"{one} less {other}: {100 * mean:+.1f} points, "
        f"95 % interval {100 * low:+.1f} to {100 * high:+.1f}"
    )
    return Finding(claim, verdict, [detail])


def pairs(result: Result, one: str, others: list[str]) -> list[Comparison]:
    """Compare one policy with several."""
    return [less(result, one, other) for other in others]


NOT_VARIANCE_AWARE = ["APT", "UCBE", "CSAR", "UA"]


def _experiment_1(result: Result) -> Iterator[Finding]:
    yield judge_all_less(
        "Experiment 1: UCBEV outperforms all other algorithms.",
        pairs(result, "UCBEV", ["AugUCB", *NOT_VARIANCE_AWARE]),
    )
    yield judge_comparable(
        "Experiment 1: AugUCB is comparable with UCBEV.", result, "AugUCB", "UCBEV"
    )
    yield judge_all_less(
        "Experiment 1: AugUCB outperforms UCBE, APT, CSAR and UA.",
        pairs(result, "AugUCB", NOT_VARIANCE_AWARE),
    )


def _outperforms(number: int) -> Callable[[Result], Iterator[Finding]]:
    def findings(result: Result) -> Iterator[Finding]:
        yield judge_all_less(
            f"Experiment {number}: AugUCB outperforms the other algorithms, except UCBEV.",
            pairs(result, "AugUCB", NOT_VARIANCE_AWARE),
        )

    return findings


def _experiment_5(result: Result) -> Iterator[Finding]:
    yield judge_all_less(
        "Experiment 5: UCBEV performs very well in comparison with the other algorithms.",
        pairs(result, "UCBEV", NOT_VARIANCE_AWARE),
    )
    yield judge_comparable(
        "Experiment 5: AugUCB catches up with UCBEV as the time step increases.",
        result,
        "AugUCB",
        "UCBEV",
    )
    yield judge_all_less(
        "Experiment 5: AugUCB significantly outperforms the non variance-aware algorithms.",
        pairs(result, "AugUCB", NOT_VARIANCE_AWARE),
    )


def _experiment_6(result: Result) -> Iterator[Finding]:
    yield judge_all_less(
        "Experiment 6: AugUCB significantly outperforms UCBEV with other choices of a.",
        pairs(result, "AugUCB", ["UCBEV(0.25)", "UCBEV(256)"]),
    )


CLAIMS: Mapping[int, Callable[[Result], Iterator[Finding]]] = {
    1: _experiment_1,
    2: _outperforms(2),
    3: _outperforms(3),
    4: _outperforms(4),
    5: _experiment_5,
    6: _experiment_6,
}


def earliest_best(result: Result, one: str, other: str) -> Comparison:
    """Compare two policies at the time step of the first tenth at which `one` errs least.

    That step is chosen by looking, so the p-values are multiplied by the number of steps.
    """
    tenth = max(1, result.budget // 10)
    step = int(result.errors(one)[:tenth].argmin()) + 1
    found = less_at(result, one, other, step, step)
    return found._replace(
        said=f"{one} against {other} at time step {step}",
        p_less=min(1.0, tenth * found.p_less),
        p_greater=min(1.0, tenth * found.p_greater),
    )


def csar_claims(ran: list[tuple[Experiment, Result]]) -> Iterator[Finding]:
    """CSAR "performs well initially, quickly exhausts its budget and saturates"."""
    if ran:
        early = [
            (experiment, earliest_best(result, "CSAR", other))
            for experiment, result in ran
            for other in ("AugUCB", "APT", "UCBE", "UCBEV", "UA")
        ]
        yield judge_all_less(
            "CSAR performs well initially (at its best time step of the first tenth).",
            [_of(experiment, each) for experiment, each in early],
        )
        late = [
            _of(
                experiment,
                less_at(result, "CSAR", "CSAR", result.budget, round(0.6 * result.budget)),
            )
            for experiment, result in ran
        ]
        gains = judge_all_less("", late)
        saturates: Verdict = "fails" if gains.verdict == "holds" else "not shown"
        if all(each.other - each.one <= MARGIN / 2 for each in late):
            saturates = "holds"
        yield Finding(
            "CSAR quickly exhausts its budget and saturates (its error falls by no more than"
            " 2.5 points in the last 40 % of the budget).",
            saturates,
            gains.details,
        )
        yield judge_all_less(
            "CSAR ends at a higher error than AugUCB.",
            [_of(experiment, less(result, "AugUCB", "CSAR")) for experiment, result in ran],
        )


def _of(experiment: Experiment, comparison: Comparison) -> Comparison:
    return comparison._replace(said=f"experiment {experiment.name}: {comparison.said}")


def findings(ran: list[tuple[Experiment, Result]]) -> list[Finding]:
    """Judge the claims on the experiments of one reading that were run with all their policies."""
    found: list[Finding] = []
    with_csar = []
    for experiment, result in ran:
        if not isinstance(experiment.name, int):
            continue
        whole = {"AugUCB", "UCBEV", *NOT_VARIANCE_AWARE} <= set(result.policies)
        if whole:
            with_csar.append((experiment, result))
        if whole or {"AugUCB", "UCBEV(0.25)", "UCBEV(256)"} <= set(result.policies):
            found += CLAIMS[experiment.name](result)
    return found + list(csar_claims(with_csar))
