"""Overbar finds which of many noisy things are over the bar."""

from overbar import theory
from overbar.campaigns import Campaign, Finding, Status, Ticket
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
    UCBE,
    UCBEV,
    AugUCB,
    Game,
    Policy,
    Round,
    UniformAllocation,
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
from overbar.simulate import Result, Trace, simulate, trace

__version__ = "0.1.0"

__all__ = [
    "APT",
    "CSAR",
    "UCBE",
    "UCBEV",
    "Ask",
    "AskClosed",
    "AugUCB",
    "Bernoulli",
    "Beta",
    "BudgetSpent",
    "Campaign",
    "Conflict",
    "Empirical",
    "Exponential",
    "Finding",
    "Game",
    "Gaussian",
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
    "Verdict",
    "simulate",
    "theory",
    "trace",
]
