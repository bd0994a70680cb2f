"""UCBEV: modified from GapE-V of Gabillon et al. (NIPS 2011), as the paper's evaluation sets it."""

from dataclasses import dataclass

from overbar.errors import InvalidInput, a_number
from overbar.policies.policy import Game, Policy
from overbar.policies.ucbe import UCBE
from overbar.theory import H_sigma_1


@dataclass(frozen=True)
class UCBEV(Policy):
    """Knows H_σ,1, or is given `a`. "Identical to UCBE, but with" a = (T − 2K) / H_σ,1.

    `factor` multiplies that a; experiment 6 takes 4^i for i = −1, 0, 4.
    """

    a: float | None = None
    factor: float = 1.0

    def __post_init__(self) -> None:
        if self.a is not None:
            a_number("a", self.a, least=0)
        a_number("factor", self.factor, least=0)

    def check(self, game: Game) -> None:
        """It needs the problem's complexity or `a`, and T ≥ 2K."""
        if self.a is None and game.problem is None:
            raise InvalidInput(
                "the a of UCBEV",
                self.a,
                "a number outside simulation, where H_σ,1 is not known",
                "Give UCBEV(a=(T − 2K) / H_σ,1), or use AugUCB, which needs no such knowledge.",
            )
        if self.a is None and game.T < 2 * game.K:
            raise InvalidInput(
                "the budget", game.T, f"at least 2K = {2 * game.K} for UCBEV", "Or give it `a`."
            )

    def constants(self, game: Game) -> tuple[float, ...]:
        """a = factor (T − 2K) / H_σ,1."""
        if self.a is not None:
            return (self.factor * self.a,)
        assert game.problem is not None  # seen to by check
        return (self.factor * (game.T - 2 * game.K) / H_sigma_1(game.problem),)

    index = staticmethod(UCBE.index)
