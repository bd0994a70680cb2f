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

from overbar.errors import a_confidence, a_number
from overbar.policies.policy import Game, Policy
from overbar.sequences import Noise, growth, log_evidence, variance

LATER = 1e300  # the index of an arm that no number of tries seems to settle


def tries_missing(
    n: int, r: float, v: float, m: float, level: float, model: float, sigma: float
) -> float:
    """Return how many tries the evidence against m lacks, were r̂ a standard error farther off."""
    missing = level - log_evidence(n, r, v, m, model, sigma)
    error = sqrt(variance(v, model, sigma) / n)
    a_try = growth(r + error if r >= m else r - error, v, m, model, sigma)
    if missing <= 0.0:
        return 0.0
    return LATER if missing >= LATER * a_try else missing / a_try


@dataclass(frozen=True)
class UntilSure(Policy):
    """Knows nothing. Pulls the arm nearest to being settled; stops when all are, at `confidence`.

    `noise` says what is known of how rewards vary, on the scale of 0 to 1: "bounded" there;
    "sub-gaussian:σ"; or "normal". With an `indifference` ε, an arm whose mean surely lies within ε
    of τ is pulled no more either; without, one on τ is pulled for ever.
    """

    confidence: float = 0.95
    noise: str = "bounded"
    indifference: float = 0.0

    def __post_init__(self) -> None:
        a_confidence(self.confidence)
        Noise.read(self.noise)
        a_number("the indifference", self.indifference, least=0)

    def constants(self, game: Game) -> tuple[float, ...]:
        """ln(K/δ), what is known of the noise, and ε."""
        noise = Noise.read(self.noise)
        level = log(game.K / (1 - self.confidence))
        return (level, float(noise.model), noise.sigma, self.indifference)

    @staticmethod
    def index(
        n: int,
        r: float,
        v: float,
        tau: float,
        level: float,
        model: float,
        sigma: float,
        epsilon: float,
    ) -> float:
        """Return how many tries seem to be missing; of an arm that is settled, most."""
        tries = tries_missing(n, r, v, tau, level, model, sigma)
        if epsilon > 0.0:
            below = tries_missing(n, r, v, tau - epsilon, level, model, sigma)
            above = tries_missing(n, r, v, tau + epsilon, level, model, sigma)
            tries = min(tries, max(below, above))
        return tries if tries > 0.0 else LATER

    @staticmethod
    def deleted(
        n: int,
        r: float,
        v: float,
        tau: float,
        level: float,
        model: float,
        sigma: float,
        epsilon: float,
    ) -> bool:
        """The evidence against τ has reached K/δ, or that against both τ − ε and τ + ε has."""
        if log_evidence(n, r, v, tau, model, sigma) >= level:
            return True
        return (
            epsilon > 0.0
            and abs(r - tau) < epsilon
            and log_evidence(n, r, v, tau - epsilon, model, sigma) >= level
            and log_evidence(n, r, v, tau + epsilon, model, sigma) >= level
        )
