"""Simulation: policies play a known problem, many times over."""
