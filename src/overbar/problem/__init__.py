"""The problem: arms and what they pay, the threshold, the truth, the loss."""

from overbar.problem.arms import (
    Arm,
    Bernoulli,
    Beta,
    Empirical,
    Exponential,
    Gaussian,
    Uniform,
)
from overbar.problem.problem import Problem, arm_names

__all__ = [
    "Arm",
    "Bernoulli",
    "Beta",
    "Empirical",
    "Exponential",
    "Gaussian",
    "Problem",
    "Uniform",
    "arm_names",
]
