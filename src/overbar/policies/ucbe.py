"""UCBE: modified from Audibert and Bubeck (COLT 2010), as the paper's evaluation sets it."""

from dataclasses import dataclass
from math import sqrt

from overbar.errors import InvalidInput, a_number
from overbar.policies.policy import Game, Policy
from overbar.theory import H_1


@dataclass(frozen=True)
class UCBE(Policy):
    """Knows H_1, or is given `a`. Without `a` it takes (T − K) / H_1 of the simulated problem."""

    a: float | None = None

    def __post_init__(self) -> None:
        if self.a is not None:
            a_number("a", self.a, least=0)

    def check(self, game: Game) -> None:
        """It needs the problem's complexity or `a`."""
        if self.a is None and game.problem is None:
            raise InvalidInput(
                "the a of UCBE",
                self.a,
                "a number outside simulation, where H_1 is not known",
                "Give UCBE(a=(T − K) / H_1), or use APT, which needs no such knowledge.",
            )

    def constants(self, game: Game) -> tuple[float, ...]:
        """a = (T − K) / H_1."""
        if self.a is not None:
            return (self.a,)
        assert game.problem is not None  # seen to by check
        return ((game.T - game.K) / H_1(game.problem),)

    @staticmethod
    def index(n: int, r: float, v: float, tau: float, a: float) -> float:
        """|r̂_i − τ| − sqrt(a / n_i)."""
        return abs(r - tau) - sqrt(a / n)
