"""What a campaign finds of an arm: over the bar, under it, or undecided."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from overbar.live.play import Play
from overbar.simulate.wilson import wilson

Side = Literal["over", "under", "undecided"]


class Finding(NamedTuple):
    """What the results say of an arm."""

    arm: str
    threshold: float
    tries: int  # results, with those that nobody asked for
    mean: float | None  # None before the first result
    low: float  # the 95 % interval of the mean
    high: float
    verdict: Side


def findings(names: Sequence[str], play: Play, scale: tuple[float, float]) -> list[Finding]:
    """Return the finding of every arm.

    An arm is over or under the bar when its 95 % interval lies there: Wilson's, on the scale of 0
    to 1. For rewards at the two ends of the scale it is the usual one; for those between it is on
    the safe side, for no reward in [0, 1] of mean r varies more than one of 0 or 1, by r (1 − r).
    It takes the number of tries as fixed beforehand, which a policy that looks at results does not.
    """
    start, width = scale[0], scale[1] - scale[0]
    n = np.array([record.estimate.n for record in play.records])
    mean = np.array([record.estimate.mean for record in play.records])
    unit = np.clip((mean - start) / width, 0.0, 1.0)
    tries = np.maximum(n, 1)
    low, high = (start + width * end for end in wilson(unit * tries, tries))
    low, high = np.where(n > 0, low, scale[0]), np.where(n > 0, high, scale[1])
    columns = (play.tau, *(column.tolist() for column in (n, mean, low, high)))
    return [_finding(*each) for each in zip(names, *columns, strict=True)]


def _finding(arm: str, tau: float, tries: int, mean: float, low: float, high: float) -> Finding:
    side: Side = "undecided"
    if tries and low >= tau and mean >= tau:
        side = "over"
    elif tries and high < tau and mean < tau:
        side = "under"
    return Finding(arm, tau, tries, mean if tries else None, low, high, side)
