"""The books of a game of live arms: what to try next, what is spent, which tries wait.

A sampler keeps one in memory, a campaign folds one out of its log. Either writes down what happened
in its own way; the ledger is what that adds up to.
"""

from collections.abc import Sequence

from overbar.live.play import Play
from overbar.policies import Round


class Ledger:
    """A play and its budget. Tries are known by their orders: numbers that grow."""

    def __init__(self, play: Play, budget: int) -> None:
        self.play, self.budget = play, budget
        self.spent = 0  # tries: asks but for those given up
        self.waiting: dict[int, int] = {}  # the arm of each ask without a result, by order
        self.stopped = False  # whether the policy needs no more tries

    @property
    def remaining(self) -> int:
        """How much of the budget is left: tries that were not asked for, or given up."""
        return self.budget - self.spent

    def choose(self) -> int | None:
        """Return the arm to try next.

        None when the budget is spent, the policy stops, or what is left hangs on results to come.
        """
        if self.remaining <= 0:
            return None
        arm = self.play.choose(self.spent)
        self.stopped = arm is None and self.play.stopped
        return arm

    def asked(self, order: int, arm: int) -> None:
        """Count a try, whose result is to come."""
        self.spent += 1
        self.waiting[order] = arm
        self.play.asked(arm, order)

    def told(self, order: int, reward: float) -> None:
        """Take in the result of a try that waits."""
        self.play.told(self.waiting.pop(order), order, reward)

    def unasked(self, order: int, arm: int, reward: float) -> None:
        """Take in a result that counts for its arm, and not against the budget."""
        self.play.told(arm, order, reward)

    def gave_up(self, order: int) -> None:
        """Return a try that waits to the budget."""
        self.spent -= 1
        self.play.gave_up(self.waiting.pop(order), order)

    def reopen(self, rounds: Sequence[Round], new_arms: Sequence[float], budget: int) -> None:
        """Go on with another budget, and with new arms, given by their thresholds."""
        self.budget = budget
        self.stopped = False
        self.play.reopen(rounds, new_arms)
