"""How policies compare over many problems: their standings, added up."""

from collections.abc import Callable, Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from overbar.experiments.comparison import Match, Standing
from overbar.simulate.result import Result


class Total(NamedTuple):
    """How a policy did over all standings that it was in, each counting alike."""

    policy: str
    standings: int
    best: int  # in how many it won, or shared the least mean
    clear: int  # in how many it won by more than chance
    rate: float
    half: float  # half of the 95 % interval of that, for these very problems
    misjudged: float
    misjudged_half: float
    spent: float  # the share of the tries that it used
    ns: float
    better: int  # than the baseline, by more than chance
    worse: int
    seem_worse: int  # were each the only pair: in 2.5 % of them, or less, by chance


def totals(found: Sequence[Standing], matches: Sequence[Match]) -> list[Total]:
    """Add up the standings, policy by policy."""
    names = dict.fromkeys(name for standing in found for name in standing.scores)
    return [
        _total(name, [each for each in found if name in each.scores], matches) for name in names
    ]


def _total(name: str, found: Sequence[Standing], matches: Sequence[Match]) -> Total:
    scores = [standing.scores[name] for standing in found]
    beside = [score.against for score in scores if score.against is not None]
    rate, half = _mean(name, matches, Result.wrong, more=2)
    misjudged, misjudged_half = _mean(name, matches, Result.misjudged)
    return Total(
        policy=name,
        standings=len(found),
        best=sum(name in standing.best for standing in found),
        clear=sum(standing.clear and name in standing.best for standing in found),
        rate=rate,
        half=half,
        misjudged=misjudged,
        misjudged_half=misjudged_half,
        spent=float(np.mean([s.tries / each.at for s, each in zip(scores, found, strict=True)])),
        ns=float(np.mean([score.ns for score in scores])),
        better=sum(each.better for each in beside),
        worse=sum(each.worse for each in beside),
        seem_worse=sum(each.seems_worse for each in beside),
    )


def _mean(
    name: str,
    matches: Sequence[Match],
    measure: Callable[[Result, str, int], NDArray[np.generic]],
    more: int = 0,
) -> tuple[float, float]:
    """Return the mean over all standings, and half of its 95 % interval.

    Time steps of one experiment share their repetitions, so a repetition counts by its mean over
    them. For the interval of a share, `more` repetitions that erred and as many that did not are
    added (Agresti and Coull, 1998): or else a policy that never errs would be beyond doubt.
    """
    total, variance, count = 0.0, 0.0, 0
    for each in matches:
        if name in each.result.policies:
            steps, n = len(each.steps), each.result.repetitions + 2 * more
            x = np.sum([measure(each.result, name, at) for at in each.steps], axis=0) / steps
            middle = (x.sum() + more) / n
            total += steps * float(x.mean())
            variance += steps**2 * float((np.square(x).sum() + more) / n - middle**2) / n
            count += steps
    return total / count, 1.96 * sqrt(max(0.0, variance)) / count
