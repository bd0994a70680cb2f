"""What a campaign finds of an arm: over the bar, under it, or undecided."""

from collections.abc import Sequence
from typing import NamedTuple

from overbar.live.checks import Scale
from overbar.live.judge import Side
from overbar.live.play import Play


class Finding(NamedTuple):
    """What the results say of an arm."""

    arm: str
    threshold: float
    tries: int  # results, with those that nobody asked for
    mean: float | None  # None before the first result
    low: float  # the interval of the mean
    high: float
    verdict: Side


def findings(names: Sequence[str], play: Play, scale: Scale) -> list[Finding]:
    """Return the finding of every arm; all hold together, with the confidence of the judge."""
    K, found = len(play.records), []
    for name, record, tau in zip(names, play.records, play.tau, strict=True):
        n = record.estimate.n
        judged = play.judge.judgement(record, tau, K, scale)
        found.append(Finding(name, tau, n, record.estimate.mean if n else None, *judged))
    return found
