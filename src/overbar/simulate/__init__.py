"""Simulation: policies play a known problem, many times over."""

from overbar.simulate.blocks import Trace
from overbar.simulate.result import Result, wilson
from overbar.simulate.simulation import simulate, trace

__all__ = ["Result", "Trace", "simulate", "trace", "wilson"]
