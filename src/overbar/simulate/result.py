"""The result of a simulation: for every policy, the error count at every time step."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from overbar.errors import InvalidInput
from overbar.problem import Problem
from overbar.simulate.blocks import Played
from overbar.simulate.wilson import wilson


@dataclass(frozen=True)
class Result:
    """What a simulation gives. Policies are asked for by name."""

    problem: Problem
    budget: int
    repetitions: int
    played: Mapping[str, Played]
    at: tuple[int, ...] = ()  # time steps at which wrong verdicts were counted, beside the last

    @property
    def policies(self) -> list[str]:
        """The names of the policies, in the order given."""
        return list(self.played)

    def errors(self, policy: str) -> NDArray[np.int64]:
        """Return, for time steps 1..T, how many repetitions had a wrong answer then."""
        return self._of(policy).errors

    def error_rate(self, policy: str) -> NDArray[np.float64]:
        """Return, for time steps 1..T, the share of repetitions with a wrong answer."""
        return self.errors(policy) / self.repetitions

    def interval(
        self, policy: str, confidence: float = 0.95
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return Wilson's interval of the error rate at each time step: its ends."""
        return wilson(self.errors(policy), self.repetitions, confidence)

    def pulls(self, policy: str) -> NDArray[np.float64]:
        """Return how often each arm was pulled, on average over the repetitions."""
        return self._of(policy).pulls / self.repetitions

    def saved(self, policy: str) -> float:
        """Return the tries left over when the policy stopped by itself, on average."""
        tries = int(self.tries(policy).sum())
        return (self.budget * self.repetitions - tries) / self.repetitions

    def misjudged(self, policy: str, at: int | None = None) -> NDArray[np.int64]:
        """Return, for each repetition, how many verdicts were wrong at a time step: the last one,
        or one of `at`.
        """
        steps = tuple(sorted({*self.at, self.budget}))
        if at is not None and at not in steps:
            said = ", ".join(map(str, steps))
            raise InvalidInput("the time step", at, f"one of {said}", "Simulate with others: at=.")
        return self._of(policy).misjudged[:, -1 if at is None else steps.index(at)]

    def wrong(self, policy: str, at: int | None = None) -> NDArray[np.bool_]:
        """Return, for each repetition, whether a verdict was wrong at a time step, as above."""
        return self.misjudged(policy, at) > 0

    def tries(self, policy: str) -> NDArray[np.int64]:
        """Return, for each repetition, how many tries were used before the policy stopped."""
        return self._of(policy).tries

    def _of(self, policy: str) -> Played:
        if policy not in self.played:
            raise InvalidInput("the policy", policy, f"one of {', '.join(self.played)}")
        return self.played[policy]
