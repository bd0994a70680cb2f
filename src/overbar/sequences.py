"""Confidence sequences: what results say of a mean, at any time that one cares to look.

The **evidence** against "the mean is m" is a process that starts at 1 and, where the mean is m, is
not expected to grow, whatever came before. By Ville's inequality (1939) it then ever reaches 1/α
with probability α at most: at any number of tries, of any adaptive choice, however often one looks.
The means whose evidence is below 1/α are an interval that holds the mean all along (Robbins 1970;
Howard, Ramdas, McAuliffe and Sekhon 2021). Each evidence mixes over what the mean may be instead.

**Bounded**: rewards in [0, 1], pass or fail among them. Three quarters of the evidence are the
beta-binomial mixture of Robbins, under the prior Beta(½, ½) of Krichevsky and Trofimov (1981): with
S = n r̂ and F = n − S,

    ∫ (q/m)^S ((1−q)/(1−m))^F π(dq) = B(S + ½, F + ½) / B(½, ½) / (m^S (1−m)^F)

In x the factor (q/m)^x ((1−q)/(1−m))^(1−x) is convex, so it lies below its chord between 0 and 1,
(1−x)(1−q)/(1−m) + x q/m, whose expectation is 1 where that of x is m. So it need not be 0 or 1.
An eighth bets that the mean is above m, and an eighth below, which pays where rewards vary little:

    exp(λ Σ(x−m) − ψ(λ) Σ(x−m)²) ≤ Π (1 + λ(x−m)),  ψ(λ) = −ln(1−λ) − λ

for x − m ≥ −1 (Fan, Grama and Liu 2015), and where the mean is m the right side is not expected to
grow. Here Σ(x−m) = n(r̂−m) and Σ(x−m)² = n(v̂ + (r̂−m)²). The bets on the wrong side of r̂ are left
out. Those on the right one say the less against m the nearer it is to r̂, as 2ψ(λ) ≤ λ up to
λ = 0.58; so does the mixture; and what is left is an interval.

**Sub-Gaussian** with a known σ: Robbins's normal mixture, under a prior N(m, σ²) of the mean:

    (n+1)^(−½) exp(n² (r̂−m)² / (2 σ² (n+1)))

**Normal** rewards of unknown spread: the likelihood ratio of the scale-free statistic of Student,
under a prior N(0, 1) of (mean − m)/σ (Lai 1976; Wang and Ramdas 2024):

    (n+1)^(−½) ((v̂ + Δ²) / (v̂ + Δ²/(n+1)))^(n/2),  Δ = r̂ − m

Plain scalar functions: live use calls them, the simulator compiles them. Both are to see the same
bits, and math.lgamma is not the same function compiled: so there is one here.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import exp, inf, isfinite, log, log1p, pi, sqrt

from overbar.errors import InvalidInput, a_number

BOUNDED, SUB_GAUSSIAN, NORMAL = range(3)
LEAST_SIGMA, GREATEST_SIGMA = 1e-6, 1e6  # of sub-Gaussian noise: far from overflow

#: λ and ψ(λ) of the bets
BETS = tuple((bet, -log1p(-bet) - bet) for bet in (0.58, 0.29, 0.145, 0.0725))
LOG_MIXTURE, LOG_BET = log(3 / 4), log(1 / 8 / len(BETS))  # the shares of the evidence
HALF_LOG_2_PI = log(2 * pi) / 2
LEAST = 1e-300  # stands for a mean of 0, whose logarithm there is not
ROUNDING = 1e-9  # of a mean, and of a variance
FINE = 1e-9  # to which an end of an interval is found, on the outer side


def log_evidence(n: int, r: float, v: float, m: float, model: float, sigma: float) -> float:
    """Return the logarithm of the evidence that n rewards give against the mean m."""
    if n == 0:
        return 0.0
    if model == BOUNDED:
        return bounded(n, r, v, m)
    gap2 = (r - m) * (r - m)
    if model == SUB_GAUSSIAN:
        return n * gap2 / (2 * sigma * sigma) * (n / (n + 1)) - log1p(n) / 2
    if gap2 == 0.0:
        return -log1p(n) / 2
    return (n * log((v + gap2) / (v + gap2 / (n + 1))) - log1p(n)) / 2


def log_gamma(x: float) -> float:
    """Return ln Γ(x) of x > 0, by Stirling's series, which is exact enough from 10 on.

    >>> round(log_gamma(5), 12) == round(log(24), 12)
    True
    """
    below = 1.0
    while x < 10.0:
        below *= x
        x += 1.0
    w = 1 / x
    z = w * w
    series = 1 / 1260 - z * (1 / 1680 - z * (1 / 1188 - z * (691 / 360360)))
    series = 1 / 12 - z * (1 / 360 - z * series)
    found = (x - 0.5) * log(x) - x + HALF_LOG_2_PI + w * series
    return found if below == 1.0 else found - log(below)


def bounded(n: int, r: float, v: float, m: float) -> float:
    """Return it for rewards in [0, 1]; −∞ for r̂ and v̂ that such rewards cannot have."""
    if r < -ROUNDING or r > 1 + ROUNDING or v > r * (1 - r) + ROUNDING:
        return -inf
    r = min(max(r, 0.0), 1.0)
    S, F, gap = n * r, n * (1 - r), abs(r - m)
    log_mixed = log_gamma(S + 0.5) + log_gamma(F + 0.5) - log_gamma(n + 1.0) - log(pi)
    most = LOG_MIXTURE + log_mixed - S * log(max(m, LEAST)) - F * log(max(1 - m, LEAST))
    total = 1.0  # in units of exp(most)
    for bet, psi in BETS:
        term = LOG_BET + n * (bet * gap - psi * (v + gap * gap))
        if term > most:
            total, most = total * exp(most - term) + 1.0, term
        else:
            total += exp(term - most)
    return most + log(total)


def growth(r: float, v: float, m: float, model: float, sigma: float) -> float:
    """Return what a try adds to the logarithm in the long run, where r and v are the truth."""
    if model == BOUNDED:
        r = min(max(r, 0.0), 1.0)
    gap = abs(r - m)
    if model == SUB_GAUSSIAN:
        return gap * gap / (2 * sigma * sigma)
    if model == NORMAL:
        return log1p(gap * gap / max(v, LEAST)) / 2
    most = r * log(max(r, LEAST) / max(m, LEAST))
    most += (1 - r) * log(max(1 - r, LEAST) / max(1 - m, LEAST))
    for bet, psi in BETS:
        most = max(most, bet * gap - psi * (v + gap * gap))
    return most


def variance(v: float, model: float, sigma: float) -> float:
    """Return the most that rewards may vary, or what they seem to."""
    if model == BOUNDED:
        return 0.25
    return sigma * sigma if model == SUB_GAUSSIAN else v


@dataclass(frozen=True)
class Noise:
    """What is known of how rewards vary: bounded, sub-Gaussian of known σ, or normal.

    >>> Noise.read("sub-gaussian:0.2").sigma
    0.2
    """

    model: int = BOUNDED
    sigma: float = 1.0

    @classmethod
    def read(cls, spelled: object) -> "Noise":
        """Return what the words say: bounded, normal, or sub-gaussian:σ."""
        known = {"bounded": cls(BOUNDED), "normal": cls(NORMAL)}
        if isinstance(spelled, str):
            if spelled in known:
                return known[spelled]
            model, colon, sigma = spelled.partition(":")
            if model == "sub-gaussian" and colon:
                try:
                    given: object = float(sigma)
                except ValueError:
                    given = sigma
                what, least, most = "the σ of the noise", LEAST_SIGMA, GREATEST_SIGMA
                return cls(SUB_GAUSSIAN, a_number(what, given, least=least, most=most))
        raise InvalidInput("the noise", spelled, "bounded, normal or sub-gaussian:σ, σ a number")

    def interval(self, n: int, r: float, v: float, level: float) -> tuple[float, float]:
        """Return the means whose evidence has a logarithm below `level`: the ends.

        >>> low, high = Noise().interval(100, 0.9, 0.09, level=3.0)
        >>> print(f"{low:.3f} to {high:.3f}")
        0.771 to 0.972
        """
        return _interval(self, n, r, v, level)


@lru_cache(maxsize=2**17)  # most arms are as they were when one looked last
def _interval(noise: Noise, n: int, r: float, v: float, level: float) -> tuple[float, float]:
    if noise.model == BOUNDED:
        if n == 0 or not isfinite(bounded(n, r, v, r)):
            return 0.0, 1.0
        low, high = (_end(lambda m: bounded(n, r, v, m) - level, end, r) for end in (0.0, 1.0))
        return low, high
    if n == 0:
        return -inf, inf
    needed = level + log1p(n) / 2
    if noise.model == SUB_GAUSSIAN:
        half = noise.sigma * sqrt(2 * needed / n * ((n + 1) / n))
    else:  # (v + Δ²) / (v + Δ²/(n+1)) = exp(2 needed / n)
        ratio = exp(min(2 * needed / n, 700.0))
        half = sqrt(v * (ratio - 1) / (1 - ratio / (n + 1))) if ratio < n + 1 else inf
    return r - half, r + half


def _end(excess: Callable[[float], float], outer: float, inner: float) -> float:
    """Return where the excess is positive last on the way from outer to inner, by bisection."""
    if excess(outer) <= 0.0:
        return outer
    while abs(inner - outer) > FINE:
        middle = (outer + inner) / 2
        if excess(middle) > 0.0:
            outer = middle
        else:
            inner = middle
    return outer
