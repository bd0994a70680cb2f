"""Overbar finds which of many noisy things are over the bar.

The public names are looked up when they are first used, so that the command line's help need not
wait for numpy.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from overbar import theory
    from overbar.campaigns.campaign import Campaign
    from overbar.campaigns.finding import Finding
    from overbar.campaigns.log import Status, Ticket
    from overbar.errors import (
        AskClosed,
        BudgetSpent,
        Conflict,
        InvalidInput,
        OverbarError,
        OverbarWarning,
        StorageError,
        TryFailed,
        UnknownArm,
        UnknownCampaign,
        UnknownTicket,
    )
    from overbar.live import Ask, Sampler, Verdict
    from overbar.policies import (
        APT,
        CSAR,
        EVT,
        FWT,
        LSA,
        UCBE,
        UCBEV,
        AnytimeAugUCB,
        AugUCB,
        BernoulliLR,
        Game,
        GaussianLR,
        Policy,
        Round,
        UniformAllocation,
        UntilSure,
    )
    from overbar.problem import (
        Bernoulli,
        Beta,
        Empirical,
        Exponential,
        Gaussian,
        Problem,
        Uniform,
    )
    from overbar.simulate.blocks import Trace
    from overbar.simulate.result import Result
    from overbar.simulate.simulation import simulate, trace

__version__ = "0.1.0"

_ROOMS = {
    "campaigns.campaign": ("Campaign",),
    "campaigns.finding": ("Finding",),
    "campaigns.log": ("Status", "Ticket"),
    "errors": (
        *("AskClosed", "BudgetSpent", "Conflict", "InvalidInput", "OverbarError"),
        *("OverbarWarning", "StorageError", "TryFailed", "UnknownArm", "UnknownCampaign"),
        "UnknownTicket",
    ),
    "live": ("Ask", "Sampler", "Verdict"),
    "policies": (
        *("APT", "AugUCB", "CSAR", "UCBE", "UCBEV", "UniformAllocation"),
        *("AnytimeAugUCB", "BernoulliLR", "EVT", "FWT", "GaussianLR", "LSA", "UntilSure"),
        *("Game", "Policy", "Round"),
    ),
    "problem": ("Bernoulli", "Beta", "Empirical", "Exponential", "Gaussian", "Problem", "Uniform"),
    "simulate.blocks": ("Trace",),
    "simulate.result": ("Result",),
    "simulate.simulation": ("simulate", "trace"),
}
_ROOM_OF = {name: room for room, names in _ROOMS.items() for name in names}

__all__ = [
    "APT",
    "CSAR",
    "EVT",
    "FWT",
    "LSA",
    "UCBE",
    "UCBEV",
    "AnytimeAugUCB",
    "Ask",
    "AskClosed",
    "AugUCB",
    "Bernoulli",
    "BernoulliLR",
    "Beta",
    "BudgetSpent",
    "Campaign",
    "Conflict",
    "Empirical",
    "Exponential",
    "Finding",
    "Game",
    "Gaussian",
    "GaussianLR",
    "InvalidInput",
    "OverbarError",
    "OverbarWarning",
    "Policy",
    "Problem",
    "Result",
    "Round",
    "Sampler",
    "Status",
    "StorageError",
    "Ticket",
    "Trace",
    "TryFailed",
    "Uniform",
    "UniformAllocation",
    "UnknownArm",
    "UnknownCampaign",
    "UnknownTicket",
    "UntilSure",
    "Verdict",
    "simulate",
    "theory",
    "trace",
]

import_module("overbar.simulate")  # the room takes its name once; then it is the function's
globals().pop("simulate", None)


def __getattr__(name: str) -> object:
    if name == "theory":
        return import_module("overbar.theory")
    if name not in _ROOM_OF:
        raise AttributeError(f"module 'overbar' has no attribute {name!r}")
    value = getattr(import_module(f"overbar.{_ROOM_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
