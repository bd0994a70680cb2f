"""Experiments 1, 3 and 5, reading *written*: error at T against an independent simulator.

Both are 500 repetitions; three binomial errors of their difference. With 18 comparisons, the most
extreme of which have no variance at all, one fails by chance for about one seed in forty.
"""

from math import sqrt

import pytest

import overbar as ob
from overbar.experiments.paper import experiment

POLICIES = ("AugUCB", "APT", "UCBE", "UCBEV", "CSAR", "UA")
INDEPENDENT = {
    1: (70.6, 91.4, 100, 100, 97.0, 99.6),
    3: (67.2, 88.0, 100, 100, 95.0, 99.4),
    5: (82.4, 91.8, 100, 100, 96.0, 99.6),
}


@pytest.mark.parametrize("number", INDEPENDENT)
def test_errors_as_written(number: int) -> None:
    paper_s = experiment(number, "written")
    result = ob.simulate(paper_s.problem(), paper_s.policies, 10_000, 500, seed=paper_s.seed)
    for policy, percent in zip(POLICIES, INDEPENDENT[number], strict=True):
        ours, theirs = float(result.error_rate(policy)[-1]), percent / 100
        pooled = (ours + theirs) / 2
        error = sqrt(2 * pooled * (1 - pooled) / 500)
        assert abs(ours - theirs) <= 3 * error, policy
