"""A plan: what an error takes, or what a budget gives, with several policies."""

import warnings
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from overbar.campaigns.terms import agreed
from overbar.errors import InvalidInput, OverbarWarning
from overbar.planning.curve import Curve, Progress, curve, problems_for, reach_of
from overbar.planning.forecast import Forecast, Forecaster, Measure
from overbar.policies import APT, Game, Policy, UniformAllocation
from overbar.policies.policy import opened

#: Half-widths of the zone in which either verdict is right, as one would name them.
ZONES = tuple(each * 10.0**e for e in range(-5, 0) for each in (1, 1.5, 2, 3, 4, 5, 7))
FEWEST = 20  # problems that tell how wide a zone has to be
SURER = 2  # times as many problems, where only one budget is asked for


@dataclass(frozen=True)
class Zone:
    """How wide an indifference zone has to be for a budget to suffice; None: none would do."""

    error: float
    policy: str
    budget: int
    indifference: float | None


@dataclass(frozen=True)
class Plan:
    """The curves of the policies, and what they say of the errors that were asked for."""

    measure: Measure
    errors: tuple[float, ...]
    over: float  # the share of arms over the bar
    curves: tuple[Curve, ...]
    reached: tuple[Forecast, ...]  # of the first policy, with the budgets that the errors take
    zones: tuple[Zone, ...]
    cannot: tuple[str, ...]  # why a policy cannot play


def usual(K: int) -> dict[str, Policy]:
    """Return the policies that are forecast if none is named: that of campaigns first."""
    of_campaigns = agreed(None, 0.5, (0.0, 1.0), 0, 1.0, (K, K)).policy
    return {each.name: each for each in (of_campaigns, APT(), UniformAllocation())}


def plan(
    forecaster: Forecaster,
    policies: Mapping[str, Policy],
    errors: Sequence[float],
    measure: Measure = "share",
    budget: int | None = None,
    reach: int | None = None,
    problems: int | None = None,
    progress: Progress = lambda policy, budget: None,
) -> Plan:
    """Forecast what each policy does with the budget, or with every budget up to `reach`.

    For an error that the first policy does not come down to, the plan says which indifference zone
    would do.
    """
    K = forecaster.guess.count
    most = budget or reach or reach_of(K, measure)

    def played(policy: Policy, at: int, times: int = 1) -> Forecast:
        progress(policy.name, at)
        count = problems or times * problems_for(K, measure, at)
        return forecaster.forecasts(policy, [at], count)[0]

    def forecast(policy: Policy) -> Curve:
        if budget is not None:
            return Curve(policy.name, (played(policy, budget, SURER),))
        return curve(forecaster, policy, most, errors, measure, problems, progress)

    can_play, cannot = _who_plays(policies, Game(K, most, *forecaster.problems(1)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OverbarWarning)  # what is to be said was said
        curves = [replace(forecast(each), policy=name) for name, each in can_play.items()]
        first, policy = curves[0], next(iter(can_play.values()))
        reached = [
            played(policy, need.budget)
            for need in (first.needed(error, measure) for error in errors)
            if budget is None and need.budget is not None
        ]
        zones = [
            zone_for(forecaster, policy, first, error, measure)
            for error in errors
            if first.forecasts[-1].of(measure).value > error
        ]
    over = float(np.mean([problem.truth.mean() for problem in forecaster.drawn]))
    return Plan(measure, tuple(errors), over, tuple(curves), tuple(reached), tuple(zones), cannot)


def _who_plays(
    policies: Mapping[str, Policy], game: Game
) -> tuple[dict[str, Policy], tuple[str, ...]]:
    """Return the policies that can play the game, and why the others cannot."""
    can_play, cannot = {}, []
    refused: InvalidInput | None = None
    for name, policy in policies.items():
        try:
            opened(policy, game)
        except InvalidInput as error:
            refused = error
            cannot.append(f"{name} cannot play: {error}")
        else:
            can_play[name] = policy
    if refused is not None and not can_play:
        raise refused
    return can_play, tuple(cannot)


def zone_for(
    forecaster: Forecaster, policy: Policy, of: Curve, error: float, measure: Measure
) -> Zone:
    """Return the narrowest zone with which the last budget of the curve gives the error.

    A wider zone makes no verdict wrong, and the plays are the same; so the narrowest is found by
    halving, on a quarter of the problems, and widened until it does on all of them.
    """
    last = of.forecasts[-1]
    wider = [zone for zone in ZONES if zone > forecaster.indifference]

    def suffices(zone: float, count: int) -> bool:
        [forecast] = forecaster.indifferent(zone).forecasts(policy, [last.budget], count)
        return forecast.of(measure).value <= error

    some = min(len(last.wrong), max(FEWEST, len(last.wrong) // 4))
    place = bisect_left(wider, True, key=lambda zone: suffices(zone, some))
    enough = (zone for zone in wider[place:] if suffices(zone, len(last.wrong)))
    return Zone(error, of.policy, last.budget, next(enough, None))
