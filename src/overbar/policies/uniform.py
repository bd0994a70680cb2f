"""UA: uniform allocation, the naive strategy."""

from dataclasses import dataclass

from overbar.policies.policy import Policy


@dataclass(frozen=True)
class UniformAllocation(Policy):
    """Knows nothing. At each step an arm is drawn uniformly at random."""

    name = "UA"
    first_pulls = 0

    @staticmethod
    def pick(u: float, K: int) -> int:
        """Return the arm floor(u K)."""
        return int(u * K)

    @staticmethod
    def index(n: int, r: float, v: float, tau: float) -> float:
        """Never asked: `pick` always names an arm."""
        return 0.0
