"""The thresholding bandit problem: K arms, a threshold τ, the truth S_τ and the loss."""

from collections.abc import Collection, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from overbar.errors import InvalidInput, a_number
from overbar.problem.arms import Arm


class Problem:
    """K arms and a threshold τ.

    >>> from overbar import Bernoulli, Gaussian
    >>> problem = Problem([Gaussian(0.45, 0.6), Bernoulli(0.9)], threshold=0.5, names=["a", "b"])
    >>> problem.over
    {'b'}
    >>> problem.loss({"a", "b"})
    1

    With an indifference zone, either verdict is right of arms that lie no farther from τ:

    >>> Problem(problem.arms, 0.5, names=["a", "b"], indifference=0.05).loss({"a", "b"})
    0
    """

    def __init__(
        self,
        arms: Sequence[Arm],
        threshold: float,
        names: Sequence[str] | None = None,
        indifference: float = 0.0,
    ) -> None:
        arms = tuple(arms)
        if not arms:
            raise InvalidInput("the list of arms", list(arms), "one arm or more")
        for arm in {type(arm): arm for arm in reversed(arms)}.values():  # one of a kind
            if not isinstance(arm, Arm):
                raise InvalidInput(
                    "an arm", arm, "a distribution", "For example Gaussian(0.45, 0.6)."
                )
        self.arms = arms
        self.threshold = a_number("the threshold", threshold)
        self.indifference = a_number("the indifference", indifference, least=0)
        self.names = arm_names(
            names if names is not None else [str(i + 1) for i in range(len(arms))]
        )
        if len(self.names) != len(arms):
            raise InvalidInput("the number of names", len(self.names), f"{len(arms)}, one an arm")

    @property
    def K(self) -> int:
        """The number of arms."""
        return len(self.arms)

    @cached_property
    def means(self) -> NDArray[np.float64]:
        """r_i of each arm."""
        return np.array([arm.mean for arm in self.arms])

    @cached_property
    def variances(self) -> NDArray[np.float64]:
        """σ_i² of each arm."""
        return np.array([arm.variance for arm in self.arms])

    @cached_property
    def gaps(self) -> NDArray[np.float64]:
        """Δ_i = |τ − r_i| of each arm."""
        return np.abs(self.threshold - self.means)

    @cached_property
    def truth(self) -> NDArray[np.bool_]:
        """For each arm, whether it belongs to S_τ = {i : r_i ≥ τ}."""
        return self.means >= self.threshold

    @property
    def over(self) -> set[str]:
        """S_τ, by name."""
        return {name for name, over in zip(self.names, self.truth, strict=True) if over}

    @cached_property
    def either(self) -> NDArray[np.bool_]:
        """For each arm, whether either verdict is right: Δ_i ≤ the indifference, unless that is 0.

        To the last bits: 0.55 − 0.5 is more than 0.05 in floats, and counts as 0.05.
        """
        last_bits = 4 * np.spacing(np.maximum(np.abs(self.means), abs(self.threshold)))
        return (self.gaps <= self.indifference + last_bits) & (self.indifference > 0)

    def loss(self, answer: Collection[str]) -> int:
        """1 when the answer, a set of names, has a wrong verdict, else 0."""
        for name in answer:
            if name not in self.names:
                raise InvalidInput("an arm of the answer", name, "the name of an arm")
        counted = {name for name, either in zip(self.names, self.either, strict=True) if not either}
        return int(not counted.isdisjoint(self.over ^ set(answer)))

    def __repr__(self) -> str:
        return f"<Problem of {self.K} arms, threshold {self.threshold:g}, {len(self.over)} over it>"


def arm_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names as a tuple: one or more, no two alike."""
    if isinstance(names, str):
        raise InvalidInput("the arms", names, "a list of names", "Put a single name in a list.")
    names = tuple(names)
    if not names:
        raise InvalidInput("the list of arms", list(names), "one arm or more")
    seen = set()
    for name in names:
        if not isinstance(name, str):
            raise InvalidInput("the name of an arm", name, "a string")
        if name in seen:
            raise InvalidInput("the name of an arm", name, "unlike every other", "It came twice.")
        seen.add(name)
    return names
