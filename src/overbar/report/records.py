"""How policies compare, for programs: JSON lines and CSV."""

import csv
import json
from collections.abc import Iterator, Sequence
from io import StringIO

from overbar.experiments.comparison import Beside, Score, Standing
from overbar.simulate.wilson import wilson


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


def as_csv(found: Sequence[Standing], by: str) -> str:
    """Return the records as CSV."""
    text = StringIO()
    told = list(records(found, by))
    columns = dict.fromkeys(key for record in told for key in record)
    lines = csv.DictWriter(text, [*columns], lineterminator="\n")
    lines.writeheader()
    lines.writerows(told)
    return text.getvalue()


def as_json(found: Sequence[Standing], by: str) -> Iterator[str]:
    """Yield the records as lines of JSON."""
    for record in records(found, by):
        yield json.dumps(record, separators=(",", ":"))
