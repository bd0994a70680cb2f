"""Complexities and bounds of the paper, each beside its equation.

Where a printed relation does not hold, the docstring says so and a test shows it.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from overbar.errors import InvalidInput, a_confidence, a_whole_number
from overbar.problem import Bernoulli, Gaussian, Problem
from overbar.problem.arms import Arm


def log_bar(K: int) -> float:
    """lōg(K) = 1/2 + Σ_{i=2..K} 1/i.

    >>> log_bar(2)
    1.0
    """
    return 0.5 + math.fsum(1 / i for i in range(2, K + 1))


def H_1(problem: Problem) -> float:
    """H_1 = Σ_i 1 / Δ_i². Infinite when an arm lies on the threshold."""
    return _sum_of_inverses(problem.gaps**2)


def H_2(problem: Problem) -> float:
    """H_2 = max_i i / Δ_(i)², the gaps in increasing order.

    The paper prints min. Its relation H_1 ≤ log(2K) H_2 holds only with max, which is H_CSAR,2.
    """
    return H_CSAR_2(problem)


def H_CSAR_2(problem: Problem) -> float:
    """H_CSAR,2 = max_i i / Δ_(i)², the gaps in increasing order.

    The paper relates H_1 ≤ log(K) H_CSAR,2. With Δ_(i)² proportional to i, H_1 / H_CSAR,2 is the
    harmonic number Σ_{i=1..K} 1/i = lōg(K) + 1/2, which exceeds log(K) for every K, and log(2K)
    for K < 5. What holds for every problem is H_CSAR,2 ≤ H_1 ≤ (lōg(K) + 1/2) H_CSAR,2.
    """
    return _largest_rank_over(problem.gaps**2)


def H_sigma_1(problem: Problem) -> float:
    """H_σ,1 = Σ_i (σ_i + sqrt(σ_i² + (16/3) Δ_i)) / Δ_i².

    As printed. The paper of GapE-V (Gabillon et al. 2011), which it cites, squares the numerator.
    """
    return _sum_of_inverses(_squared_delta_tilde(problem))


def H_sigma_2(problem: Problem) -> float:
    """H_σ,2 = max_i i / Δ̃_(i)², where Δ̃_i² = Δ_i² / (σ_i + sqrt(σ_i² + (16/3) Δ_i)).

    The paper prints H_σ,2 ≤ H_σ,1 ≤ lōg(K) H_σ,2. As with H_CSAR,2, what holds for every problem
    is H_σ,2 ≤ H_σ,1 ≤ (lōg(K) + 1/2) H_σ,2, and that is ≤ log(2K) H_σ,2 from K = 5.
    """
    return _largest_rank_over(_squared_delta_tilde(problem))


def _squared_delta_tilde(problem: Problem) -> NDArray[np.float64]:
    """Δ̃_i² of each arm; 0 on the threshold, whatever the spread."""
    sigma, delta = np.sqrt(problem.variances), problem.gaps
    spread = sigma + np.sqrt(sigma**2 + (16 / 3) * delta)
    squared: NDArray[np.float64] = np.zeros_like(delta)
    np.divide(delta**2, spread, out=squared, where=delta > 0)
    return squared


def _sum_of_inverses(squares: NDArray[np.float64]) -> float:
    with np.errstate(divide="ignore"):
        return float(np.sum(1 / squares))


def _largest_rank_over(squares: NDArray[np.float64]) -> float:
    with np.errstate(divide="ignore"):
        return float(np.max(np.arange(1, len(squares) + 1) / np.sort(squares)))


def fewest_tries(problem: Problem, confidence: float) -> float:
    """Σ_i kl(1 − δ, δ) / d(r_i, τ): what certainty costs any policy, in tries, on average.

    Whatever policy is right with probability 1 − δ on every problem of Bernoulli arms, or of normal
    arms of known spread, needs as many (Kaufmann, Cappé, Garivier 2016, Lemma 1: were the mean of
    arm i just across τ, the answer would have to differ; nothing but that arm's rewards can tell).
    kl(1 − δ, δ) = (1 − 2δ) ln((1 − δ) / δ); d is the divergence of rewards of mean r_i from rewards
    of mean τ; where the problem has a zone of indifference, of those at its far end.

    >>> from overbar import Bernoulli, Problem
    >>> round(fewest_tries(Problem([Bernoulli(0.9)] * 10, threshold=0.8), 0.95))
    722
    """
    delta = 1 - a_confidence(confidence)
    if delta >= 0.5:  # as sure as a guess
        return 0.0
    kl = (1 - 2 * delta) * math.log((1 - delta) / delta)
    tau, epsilon = problem.threshold, problem.indifference
    return kl * sum(
        _ratio(1.0, _divergence(arm, tau - epsilon if over else tau + epsilon))
        for arm, over, either in zip(problem.arms, problem.truth, problem.either, strict=True)
        if not either
    )


def d(p: float, q: float) -> float:
    """d(p, q) = p ln(p/q) + (1 − p) ln((1 − p)/(1 − q)), between Bernoulli distributions.

    A plain scalar function: policies use it, and the simulator compiles it.
    """
    divergence = 0.0
    if p > 0.0:
        divergence += p * math.log(p / q) if q > 0.0 else math.inf
    if p < 1.0:
        divergence += (1.0 - p) * math.log((1.0 - p) / (1.0 - q)) if q < 1.0 else math.inf
    return max(divergence, 0.0)  # rounding may leave less


def _divergence(arm: Arm, tau: float) -> float:
    """d(r, τ) between arms of the same kind."""
    if isinstance(arm, Gaussian):  # (r − τ)² / (2 σ²)
        return _ratio((arm.mean - tau) ** 2, 2 * arm.variance)
    if isinstance(arm, Bernoulli):
        return d(arm.p, tau) if 0 <= tau <= 1 else math.inf
    raise InvalidInput("an arm", arm, "Bernoulli or Gaussian, whose divergence is known in full")


def _ratio(x: float, y: float) -> float:
    return x / y if y > 0 else math.inf * x if x > 0 else 0.0


@dataclass(frozen=True)
class Bound:
    """An upper bound on the expected loss, kept as its natural logarithm."""

    policy: str
    log: float

    @property
    def value(self) -> float:
        """The bound itself; infinite where a float cannot hold it. It is never clipped to 1."""
        return math.exp(self.log) if self.log < 709 else math.inf

    @property
    def vacuous(self) -> bool:
        """Whether it says nothing: a probability is at most 1 anyway."""
        return self.log >= 0

    def __str__(self) -> str:
        power = self.log / math.log(10)
        return f"{self.policy}: 10^{power:.3g}" + (" (vacuous)" if self.vacuous else "")


def bound_AugUCB(problem: Problem, T: int) -> Bound:
    """Theorem 1: 2 K T exp(−T / (4096 log(K log K) H_σ,2)), for K ≥ 4 and ρ = 1/3.

    The last line of the paper's proof has 4 K T; the theorem and Table 1 have 2 K T.
    """
    K, T = _arms_and_budget(problem, T, "AugUCB", 4, 0)
    exponent = T / (4096 * math.log(K * math.log(K)) * H_sigma_2(problem))
    return Bound("AugUCB", -exponent + math.log(2 * K * T))


def bound_UCBEV(problem: Problem, T: int) -> Bound:
    """Table 1: exp(−(1/512) (T − 2K) / H_σ,1 + log(6 K T))."""
    K, T = _arms_and_budget(problem, T, "UCBEV", 1, 2)
    return Bound("UCBEV", -(T - 2 * K) / (512 * H_sigma_1(problem)) + math.log(6 * K * T))


def bound_APT(problem: Problem, T: int) -> Bound:
    """Table 1: exp(−T / (64 H_1) + 2 log((log(T) + 1) K))."""
    K, T = _arms_and_budget(problem, T, "APT", 1, 0)
    return Bound("APT", -T / (64 * H_1(problem)) + 2 * math.log((math.log(T) + 1) * K))


def bound_CSAR(problem: Problem, T: int) -> Bound:
    """Table 1: exp(−(T − K) / (72 log(K) H_CSAR,2) + 2 log(K))."""
    K, T = _arms_and_budget(problem, T, "CSAR", 2, 1)
    return Bound("CSAR", -(T - K) / (72 * math.log(K) * H_CSAR_2(problem)) + 2 * math.log(K))


def bounds(problem: Problem, T: int) -> list[Bound]:
    """Return the four bounds of Table 1, in its order; AugUCB's is Theorem 1."""
    table = (bound_AugUCB, bound_UCBEV, bound_APT, bound_CSAR)
    return [bound(problem, T) for bound in table]


def _arms_and_budget(
    problem: Problem, T: int, policy: str, K_min: int, T_per_arm: int
) -> tuple[int, int]:
    if K_min > problem.K:
        raise InvalidInput(
            "the number of arms", problem.K, f"at least {K_min} for the bound of {policy}"
        )
    return problem.K, a_whole_number("the budget", T, least=max(1, T_per_arm * problem.K))
