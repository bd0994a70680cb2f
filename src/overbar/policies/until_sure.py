"""Fixed confidence: an arm is pulled until the evidence settles on which side of τ it lies.

The stopping rule is that of the generalised likelihood ratio (Garivier and Kaufmann, COLT 2016),
with a mixture in the place of the maximum (Robbins 1970; Kaufmann and Koolen, JMLR 2021): an arm
is settled when the evidence of `overbar.sequences` against "its mean is τ" reaches K/δ. Then each
verdict is wrong with probability δ/K at most, and all of them are right with probability 1 − δ.

Here an arm is settled by its own rewards alone, so whatever order the arms are pulled in, each is
pulled as often in the end: the shares that Track-and-Stop would track come about by themselves. The
order says what is known when a budget ends before the evidence does. To settle as many arms as
possible, those are pulled first that seem nearest to it, with the optimism of an upper confidence
bound, as identification of good arms does (Kano et al., Machine Learning 2019), which wants them
soon. Without it, an arm that began badly would wait for all others.
"""

from dataclasses import dataclass
from math import log, sqrt

from overbar.errors import a_confidence
from overbar.policies.policy import Game, Policy
from overbar.sequences import Rewards, growth, log_evidence, variance

LATER = 1e300  # the index of an arm that no number of tries seems to settle


@dataclass(frozen=True)
class UntilSure(Policy):
    """Knows nothing. Pulls the arm nearest to being settled; stops when all are, at `confidence`.

    `rewards` says what is known of them, on the scale of 0 to 1: "bounded" there; "sub-gaussian:σ";
    or "normal".
    """

    confidence: float = 0.95
    rewards: str = "bounded"

    def __post_init__(self) -> None:
        a_confidence(self.confidence)
        Rewards.read(self.rewards)

    def constants(self, game: Game) -> tuple[float, ...]:
        """ln(K/δ), and what is known of the rewards."""
        rewards = Rewards.read(self.rewards)
        level = log(game.K / (1 - self.confidence))
        return (level, float(rewards.model), rewards.sigma)

    @staticmethod
    def index(
        n: int, r: float, v: float, tau: float, level: float, model: float, sigma: float
    ) -> float:
        """Return how many tries are missing, were r̂ farther from τ by a standard error."""
        missing = level - log_evidence(n, r, v, tau, model, sigma)
        error = sqrt(variance(v, model, sigma) / n)
        a_try = growth(r + error if r >= tau else r - error, v, tau, model, sigma)
        if missing <= 0.0 or missing >= LATER * a_try:
            return LATER
        return missing / a_try

    @staticmethod
    def deleted(
        n: int, r: float, v: float, tau: float, level: float, model: float, sigma: float
    ) -> bool:
        """The evidence has reached K/δ."""
        return log_evidence(n, r, v, tau, model, sigma) >= level
