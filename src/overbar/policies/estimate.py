"""What is known of an arm: the running r̂_i and v̂_i of the paper, v̂_i dividing by n_i.

Two sums are kept, of x − c and of (x − c)², where the origin c is the whole number at or
below the arm's first reward. That serves two masters:

- Rewards of 0 and 1 (and all whole numbers) are summed without rounding, so r̂ and v̂ are the
  correctly rounded fractions. Arms with the same record then have the same index to the last bit,
  whatever the order of their rewards, and 19 passes of 20 meet a bar of 0.95. Welford's recurrence,
  the usual choice, rounds at every step and breaks such ties at random.
- Far from zero the variance survives, as it does with Welford: c is itself about a reward, so that
  (r̂ − c)² ≲ n v̂ and the difference below cancels no more than it must.

Plain scalar functions: live use calls them, the simulator compiles them.
"""


def origin(x: float) -> float:
    """Return c: the whole number at or below the first reward."""
    return x - x % 1.0


def mean(n: int, c: float, S1: float) -> float:
    """r̂ = Σ x / n, from S1 = Σ (x − c)."""
    return (n * c + S1) / n


def variance(n: int, S1: float, S2: float) -> float:
    """v̂ = Σ (x − r̂)² / n = (n S2 − S1²) / n², from S1 and S2 = Σ (x − c)²."""
    return max(0.0, n * S2 - S1 * S1) / (float(n) * n)
