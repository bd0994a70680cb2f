"""Overbar finds which of many noisy things are over the bar."""

from overbar import theory
from overbar.errors import (
    AskClosed,
    BudgetSpent,
    InvalidInput,
    OverbarError,
    OverbarWarning,
    UnknownArm,
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
    "Empirical",
    "Exponential",
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
    "Trace",
    "Uniform",
    "UniformAllocation",
    "UnknownArm",
    "Verdict",
    "simulate",
    "theory",
    "trace",
]
