"""Simulation: policies play a known problem, many times over."""

from overbar.simulate.blocks import Trace
from overbar.simulate.result import Result
from overbar.simulate.simulation import simulate, trace
from overbar.simulate.wilson import wilson

__all__ = ["Result", "Trace", "simulate", "trace", "wilson"]
