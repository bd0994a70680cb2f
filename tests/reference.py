"""Each policy once more, as slowly and obviously as the paper prints it.

Written from the paper, not from the package: the package must choose the same arm at every step.
A policy pulls with `pull(i)`, which returns the reward; arms are numbered from 0. Means and
variances are exact fractions, rounded once when they are used.
"""

import math
import random
from collections.abc import Callable
from fractions import Fraction

from overbar.sequences import log_gamma

Pull = Callable[[int], float]


class Arm:
    """The rewards of one arm: n_i, r̂_i and v̂_i."""

    def __init__(self) -> None:
        self.n = 0
        self.sum = Fraction(0)
        self.sum_of_squares = Fraction(0)

    def add(self, x: float) -> None:
        self.n += 1
        self.sum += Fraction(x)
        self.sum_of_squares += Fraction(x) ** 2
        mean = self.sum / self.n
        self.r = float(mean)
        self.v = float(self.sum_of_squares / self.n - mean**2)


def lowest(K: int, candidates: list[int], index: Callable[[int], float]) -> int:
    """argmin; equal indices go to the lowest arm number.

    Indices are equal when they agree but for the last ⌈log2 K⌉ bits of a float's fraction of 52.
    """
    digits = 53 - math.ceil(math.log2(K))  # with the leading one, which is not stored

    def counted(i: int) -> float:
        if math.isinf(value := index(i)):
            return value
        fraction, exponent = math.frexp(value)
        return math.ldexp(math.trunc(math.ldexp(fraction, digits)), exponent - digits)

    best = candidates[0]
    for i in candidates:
        if counted(i) < counted(best):
            best = i
    return best


def augucb(pull: Pull, K: int, T: int, tau: float, rho: float = 1 / 3) -> None:
    arms = [Arm() for _ in range(K)]
    B = list(range(K))
    m = 0
    epsilon = 1.0
    M = math.floor(0.5 * math.log2(T / math.e))
    psi = T * epsilon / (128 * math.log(3 / 16 * K * math.log(K)) ** 2)
    ell = math.ceil(2 * psi * math.log(T * epsilon) / epsilon)
    N = K * ell

    def s(i: int) -> float:
        return math.sqrt(rho * psi * (arms[i].v + 1) * math.log(T * epsilon) / (4 * arms[i].n))

    for i in range(K):
        arms[i].add(pull(i))
    for t in range(K + 1, T + 1):
        if not B:
            return  # every verdict is settled
        j = lowest(K, B, lambda i: abs(arms[i].r - tau) - 2 * s(i))
        arms[j].add(pull(j))
        for i in list(B):
            if arms[i].r + s(i) < tau - s(i) or arms[i].r - s(i) > tau + s(i):
                B.remove(i)
        if t >= N and m <= M:
            epsilon = epsilon / 2
            psi = T * epsilon / (128 * math.log(3 / 16 * K * math.log(K)) ** 2)
            ell = math.ceil(2 * psi * math.log(T * epsilon) / epsilon)
            N = t + len(B) * ell
            m = m + 1


def by_index(pull: Pull, K: int, T: int, index: Callable[[Arm], float], first: int = 1) -> None:
    """Pull each arm once, in order, or twice; then the arm of lowest index."""
    arms = [Arm() for _ in range(K)]
    for t in range(min(first * K, T)):
        arms[t % K].add(pull(t % K))
    for _ in range(first * K + 1, T + 1):
        j = lowest(K, list(range(K)), lambda i: index(arms[i]))
        arms[j].add(pull(j))


def apt(pull: Pull, K: int, T: int, tau: float, epsilon: float = 0.05) -> None:
    by_index(pull, K, T, lambda arm: math.sqrt(arm.n) * (abs(arm.r - tau) + epsilon))


def ucbe(pull: Pull, K: int, T: int, tau: float, a: float) -> None:
    by_index(pull, K, T, lambda arm: abs(arm.r - tau) - math.sqrt(a / arm.n))


ucbev = ucbe  # "its implementation is identical to UCBE, but with" another a


def csar(pull: Pull, K: int, T: int, tau: float) -> None:
    arms = [Arm() for _ in range(K)]
    surviving = list(range(K))
    log_bar = 0.5 + sum(1 / i for i in range(2, K + 1))
    n_before = 0
    for k in range(1, K):
        n_k = math.ceil((T - K) / (log_bar * (K + 1 - k)))
        for i in surviving:
            for _ in range(n_k - n_before):
                arms[i].add(pull(i))
        n_before = n_k
        surviving.remove(lowest(K, surviving, lambda i: -abs(arms[i].r - tau)))


def until_sure(
    pull: Pull,
    K: int,
    T: int,
    tau: float,
    confidence: float = 0.95,
    noise: str = "bounded",
    epsilon: float = 0.0,
) -> None:
    """Pull the arm that seems to need the fewest tries until its evidence is K/δ."""
    arms = [Arm() for _ in range(K)]
    active = list(range(K))
    enough = math.log(K / (1 - confidence))

    def missing(arm: Arm, m: float) -> float:
        return enough - LOG_EVIDENCE[noise](arm, m)

    def tries(arm: Arm, m: float) -> float:
        error = math.sqrt({"bounded": 0.25, "normal": arm.v}.get(noise, 0.5**2) / arm.n)
        growth = GROWTH[noise](arm.r + (error if arm.r >= m else -error), arm.v, m)
        if missing(arm, m) <= 0:
            return 0.0
        return missing(arm, m) / growth if growth > missing(arm, m) / 1e300 else 1e300

    def index(arm: Arm) -> float:
        fewest = tries(arm, tau)
        if epsilon:
            fewest = min(fewest, max(tries(arm, tau - epsilon), tries(arm, tau + epsilon)))
        return fewest if fewest > 0 else 1e300

    def settled(arm: Arm) -> bool:
        ends = (missing(arm, tau - epsilon), missing(arm, tau + epsilon))
        near = epsilon > 0 and tau - epsilon < arm.r < tau + epsilon
        return missing(arm, tau) <= 0 or (near and max(ends) <= 0)

    for i in range(K):
        arms[i].add(pull(i))
    for _ in range(K + 1, T + 1):
        if not active:
            return
        j = lowest(K, active, lambda i: index(arms[i]))
        arms[j].add(pull(j))
        active = [i for i in active if not settled(arms[i])]


BETS = (0.58, 0.29, 0.145, 0.0725)


def psi(bet: float) -> float:
    return -math.log1p(-bet) - bet


def bounded_evidence(arm: Arm, m: float) -> float:
    """Three quarters beta-binomial, an eighth bets on this side."""
    n, r, v, gap = arm.n, arm.r, arm.v, abs(arm.r - m)
    if not (0 <= r <= 1 and v <= r * (1 - r) + 1e-9):
        return -math.inf
    S, F = n * r, n * (1 - r)
    # To the last bit, which decides between arms that mirror each other: so no math.lgamma.
    log_beta = log_gamma(S + 0.5) + log_gamma(F + 0.5) - log_gamma(n + 1) - math.log(math.pi)
    log_m, log_rest = math.log(max(m, 1e-300)), math.log(max(1 - m, 1e-300))
    terms = [math.log(0.75) + log_beta - S * log_m - F * log_rest]
    terms += [math.log(1 / 32) + n * (bet * gap - psi(bet) * (v + gap**2)) for bet in BETS]
    return max(terms) + math.log(sum(math.exp(term - max(terms)) for term in terms))


def bounded_growth(r: float, v: float, m: float) -> float:
    r = min(max(r, 0.0), 1.0)
    kl = r * math.log(r / max(m, 1e-300)) if r > 0 else 0.0
    kl += (1 - r) * math.log((1 - r) / max(1 - m, 1e-300)) if r < 1 else 0.0
    return max([kl, *(bet * abs(r - m) - psi(bet) * (v + abs(r - m) ** 2) for bet in BETS)])


def normal_evidence(arm: Arm, m: float) -> float:
    n, v, gap2 = arm.n, arm.v, (arm.r - m) ** 2
    ratio = (v + gap2) / (v + gap2 / (n + 1)) if gap2 else 1.0
    return (n * math.log(ratio) - math.log1p(n)) / 2


def normal_growth(r: float, v: float, m: float) -> float:
    return math.log1p((r - m) ** 2 / max(v, 1e-300)) / 2


def sub_gaussian_evidence(arm: Arm, m: float) -> float:
    n, gap2 = arm.n, (arm.r - m) ** 2
    return n * gap2 / (2 * 0.5**2) * (n / (n + 1)) - math.log1p(n) / 2


def sub_gaussian_growth(r: float, v: float, m: float) -> float:
    return (r - m) ** 2 / (2 * 0.5**2)


LOG_EVIDENCE = {
    "bounded": bounded_evidence,
    "normal": normal_evidence,
    "sub-gaussian:0.5": sub_gaussian_evidence,
}
GROWTH = {
    "bounded": bounded_growth,
    "normal": normal_growth,
    "sub-gaussian:0.5": sub_gaussian_growth,
}


def uniform(pull: Pull, K: int, T: int, chance: random.Random) -> None:
    for _ in range(T):
        pull(math.floor(chance.random() * K))


def lsa(pull: Pull, K: int, T: int, tau: float, alpha: float) -> None:
    by_index(pull, K, T, lambda arm: alpha * arm.n * (arm.r - tau) ** 2 + 0.5 * math.log(arm.n))


def fwt(pull: Pull, K: int, T: int, tau: float, sigma: float) -> None:
    def F(arm: Arm) -> float:
        x = arm.n * (arm.r - tau) ** 2 / (2 * sigma**2)
        return max(x, 1) - math.log(max(x, 1)) + math.log(arm.n)

    by_index(pull, K, T, F)


def evt(pull: Pull, K: int, T: int, tau: float, epsilon: float) -> None:
    def index(arm: Arm) -> float:
        gap = abs(arm.r - tau) + epsilon
        return math.sqrt(arm.n) * (math.sqrt(arm.v + gap) - math.sqrt(arm.v))

    by_index(pull, K, T, index, first=2)


def bernoulli_lr(pull: Pull, K: int, T: int, tau: float) -> None:
    """n times the Kullback-Leibler divergence, as ln of the ratio of the two likelihoods."""

    def log_likelihood(p: float, q: float) -> float:
        """Of a share p of passes, a pass, where a pass has probability q."""
        if (p > 0 and q == 0) or (p < 1 and q == 1):
            return -math.inf
        passes = p * math.log(q) if p > 0 else 0.0
        return passes + ((1 - p) * math.log(1 - q) if p < 1 else 0.0)

    def index(arm: Arm) -> float:
        p = min(max(arm.r, 0.0), 1.0)
        return arm.n * (log_likelihood(p, p) - log_likelihood(p, tau))

    by_index(pull, K, T, index)


def gaussian_lr(pull: Pull, K: int, T: int, tau: float) -> None:
    def index(arm: Arm) -> float:
        if arm.v == 0:
            return 0.0 if arm.r == tau else math.inf
        return arm.n / 2 * math.log(1 + (arm.r - tau) ** 2 / arm.v)

    by_index(pull, K, T, index, first=2)


def anytime_augucb(pull: Pull, K: int, T: int, tau: float) -> None:
    def d(p: float) -> float:
        passes = p * math.log(p / tau) if p > 0 else 0.0
        return passes + ((1 - p) * math.log((1 - p) / (1 - tau)) if p < 1 else 0.0)

    def index(arm: Arm) -> float:
        n, r, v = arm.n, arm.r, arm.v
        expected = 2 * tau * (1 - tau)
        if 0 <= r <= 1 and v <= r * (1 - r) + 1e-9:
            phi = (n * v + expected) / (n * r * (1 - r) + expected)
            return (n - 1) * d(r) / phi + math.log(n)
        w = (n * v + expected) / (n + 1)
        return (n - 1) / 2 * math.log(1 + (r - tau) ** 2 / w) + math.log(n)

    by_index(pull, K, T, index)
