"""A plan in words and tables, with the curve as text; and for programs."""

import json
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from overbar.planning.curve import Curve
from overbar.planning.forecast import PLAYS, Estimate, Forecast, Measure
from overbar.planning.plan import Plan, Zone

MARKS = "●○▲△■□◆◇"
WIDTH = 24  # characters of the curve
ERRORS = {"share": "wrong verdicts, % of the arms", "any": "campaigns with a wrong verdict, %"}


class Row(NamedTuple):
    """A budget of the curves: the error of each policy, and where it stands on the scale."""

    budget: int
    tries_each: float
    errors: list[Estimate | None]
    picture: str


def tries(count: float) -> str:
    """Return a number of tries to three digits, in groups of three.

    >>> tries(163_900)
    '164 000'
    """
    return f"{float(f'{count:.3g}'):,.0f}".replace(",", " ")


def each(count: float) -> str:
    """Return a number that need not be whole, to three digits.

    >>> each(1.5), each(1000)
    ('1.5', '1 000')
    """
    return f"{count:.3g}" if count < 1000 else tries(count)


def percent(estimate: Estimate) -> str:
    """Return an error in % with half the width of its interval.

    >>> percent(Estimate(0.05, 0.04, 0.062))
    '5.0 ±1.1'
    """
    return f"{100 * estimate.value:.1f} ±{50 * (estimate.high - estimate.low):.1f}"


def rows(plan: Plan) -> list[Row]:
    """Return a row for each budget that was played."""
    at = [{each.budget: each.of(plan.measure) for each in curve.forecasts} for curve in plan.curves]
    budgets = sorted(set().union(*at))
    highest = top(plan)
    arms = plan.curves[0].forecasts[0].arms
    found = []
    for budget in budgets:
        errors = [each.get(budget) for each in at]
        found.append(Row(budget, budget / arms, errors, _picture(errors, highest)))
    return found


def top(plan: Plan) -> float:
    """Return the end of the scale: the highest error, rounded up to tenths."""
    highest = max(each.of(plan.measure).value for curve in plan.curves for each in curve.forecasts)
    return max(0.1, -(-highest * 10 // 1) / 10)


def _picture(errors: Sequence[Estimate | None], highest: float) -> str:
    line = [" "] * WIDTH
    for mark, error in reversed(list(zip(MARKS, errors, strict=False))):  # the first lies on top
        if error is not None:
            line[round(error.value / highest * (WIDTH - 1))] = mark
    return "".join(line).rstrip()


class Answer(NamedTuple):
    """What an error takes with a policy, in words."""

    error: str
    policy: str
    budget: str
    interval: str
    tries_each: str


def answers(plan: Plan) -> Iterator[Answer]:
    """Yield the budget that each error takes with each policy."""
    for error in plan.errors:
        for curve in plan.curves:
            last, need = curve.forecasts[-1], curve.needed(error, plan.measure)
            beyond = f"over {tries(last.budget)}"
            said = f"{100 * error:g} %" if curve is plan.curves[0] else ""
            if need.budget is None:
                yield Answer(said, curve.policy, beyond, "", "")
            else:
                low, high = (beyond if end is None else tries(end) for end in need[2:])
                tries_each = each(need.budget / last.arms)
                ends = f"{low} – {high}"
                yield Answer(said, curve.policy, tries(need.budget), ends, tries_each)


def sentences(plan: Plan, width: float) -> Iterator[str]:
    """Yield what the plan comes to, of the first policy: both errors, and where none suffices."""
    for forecast in plan.reached:
        yield _whole(plan.curves[0].policy, forecast)
    if len(plan.curves[0].forecasts) == 1:
        yield from _reached(plan)
    if plan.zones:
        yield _zones(plan.zones, width)
    yield from _cheaper(plan)
    yield from plan.cannot


def _whole(policy: str, at: Forecast) -> str:
    most = f"no more than {at.nine_in_ten}" if at.nine_in_ten else "none"
    return (
        f"Played with {tries(at.budget)} tries, {policy} has {each(at.arms * at.share.value)} wrong"
        f" verdicts of {at.arms} ({percent(at.share)} %), {most} in nine campaigns of ten, and one"
        f" or more in {percent(at.any)} % of campaigns."
    )


def _reached(plan: Plan) -> Iterator[str]:
    """Say which errors the first policy comes down to with the budget."""
    first = plan.curves[0]
    for error in plan.errors:
        if (need := first.needed(error, plan.measure)).budget is not None:
            yield f"{first.policy} comes down to {100 * error:g} % with {tries(need.budget)} tries."


def _cheaper(plan: Plan) -> Iterator[str]:
    """Say which policy takes less than the first, by more than the intervals."""
    first, *others = plan.curves
    cheaper: dict[str, list[str]] = {}
    for error in plan.errors:
        least = first.needed(error, plan.measure).low or first.forecasts[-1].budget
        needs = [(curve.needed(error, plan.measure).high, curve.policy) for curve in others]
        fewer = [(high, policy) for high, policy in needs if high is not None and high < least]
        if fewer:
            cheaper.setdefault(min(fewer)[1], []).append(f"{100 * error:g} %")
    for policy, errors in cheaper.items():
        yield f"{policy} takes fewer tries than {first.policy} for {' and '.join(errors)}."


def _zones(zones: Sequence[Zone], width: float) -> str:
    """Say that no budget sufficed, and which indifference would do instead."""
    short = ", ".join(f"{100 * zone.error:g} %" for zone in zones)
    said = (
        f"{zones[0].policy} does not come down to {short} with {tries(zones[0].budget)} tries: the"
        " arms nearest to the bar take ever more."
    )
    wide = [(zone.error, width * zone.indifference) for zone in zones if zone.indifference]
    if not wide:
        return said
    each = ", ".join(f"{zone:.3g} for {100 * error:g} %" for error, zone in wide)
    return f"{said} It would if arms so near were right either way: --indifference {each}."


def as_json(plan: Plan, said: dict[str, object], width: float) -> str:
    """Return the plan as one JSON object; `said` is what was asked."""
    return json.dumps(
        {
            "schema": 1,
            **said,
            "measure": plan.measure,
            "over": plan.over,
            "plays": PLAYS,
            "policies": [_curve(curve, plan.errors, plan.measure) for curve in plan.curves],
            "zones": [
                {
                    **zone.__dict__,
                    "indifference": None
                    if zone.indifference is None
                    else width * zone.indifference,
                }
                for zone in plan.zones
            ],
            "cannot": plan.cannot,
        }
    )


def _curve(curve: Curve, errors: Sequence[float], measure: Measure) -> dict[str, object]:
    return {
        "policy": curve.policy,
        "needed": [curve.needed(error, measure)._asdict() for error in errors],
        "forecasts": [
            {
                "budget": each.budget,
                "problems": len(each.wrong),
                "tries": each.tries,
                "share": each.share._asdict(),
                "any": each.any._asdict(),
                "nine_in_ten": each.nine_in_ten,
            }
            for each in (*curve.forecasts, *curve.closer)
        ],
    }
