"""Ask and tell, in memory: which arm to try next, what came of it, which arms are over the bar."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import NamedTuple

from overbar.errors import AskClosed, BudgetSpent, InvalidInput, UnknownArm, a_whole_number
from overbar.live import saved
from overbar.live.checks import a_reward, a_scale, a_threshold, few, own_thresholds
from overbar.live.judge import UNLIMITED, Judge, Side, budget_for
from overbar.live.ledger import Ledger
from overbar.live.play import Play
from overbar.policies import Game, Policy
from overbar.policies.policy import opened
from overbar.problem import arm_names


@dataclass(frozen=True)
class Ask:
    """A request to try an arm once."""

    id: int
    arm: str


class Verdict(NamedTuple):
    """What the results say of an arm."""

    name: str
    tries: int
    mean: float | None  # None before the first result
    low: float  # the interval of the mean
    high: float
    verdict: Side
    over: bool  # whether the arm belongs to the answer Ŝ = {i : r̂_i ≥ τ}, sure or not


class Sampler:
    """Decides which arm to try next, and answers which arms have a mean over the threshold.

    >>> from overbar import APT
    >>> passes = {"quick": 1, "slow": 0, "flaky": 1}
    >>> sampler = Sampler(APT(), arms=list(passes), threshold=0.9, budget=30)
    >>> while asks := sampler.ask(4):
    ...     for ask in asks:
    ...         sampler.tell(ask, passes[ask.arm])
    >>> [verdict.name for verdict in sampler.verdicts() if verdict.over]
    ['quick', 'flaky']

    The policies are made for rewards in [0, 1]. Rewards on another scale come with
    `scale=(low, high)`; the threshold is on that scale too. Arms with a threshold of their own are
    named in `thresholds`.

    The verdicts hold together with a `confidence` of 95 %, if no other is asked for. `noise` says
    what is known of how rewards vary, as `UntilSure` takes it, which needs no budget.
    """

    def __init__(
        self,
        policy: Policy,
        arms: Sequence[str],
        threshold: float,
        budget: int | None = None,
        *,
        scale: tuple[float, float] | None = None,
        seed: int = 0,
        thresholds: Mapping[str, float] | None = None,
        confidence: float | None = None,
        noise: str | None = None,
    ) -> None:
        self.policy = policy
        self.arms = arm_names(arms)
        self.scale = scale = a_scale(scale)
        self.threshold = a_threshold(threshold, scale)
        self.budget = budget_for(policy, budget)
        self.seed = a_whole_number("the seed", seed, least=0)
        self.judge = Judge.of(policy, confidence, noise)
        tries = UNLIMITED if self.budget is None else self.budget
        rounds = opened(policy, Game(len(self.arms), tries))
        self._number = {name: number for number, name in enumerate(self.arms)}
        self.thresholds = own_thresholds(thresholds, self._number, scale)
        taus = [self.thresholds.get(name, self.threshold) for name in self.arms]
        play = Play(policy, rounds, taus, scale or (0.0, 1.0), self.seed, self.judge)
        self._ledger = Ledger(play, tries)
        self._orders = 0  # asks and results that nobody asked for
        self._log: list[saved.Event] = []

    def ask(self, n: int = 1) -> list[Ask]:
        """Return what to try next: up to n asks, none when nothing is left to try.

        An ask counts as a try until it is given up, so that a batch spreads over arms. There
        is none either while what is left hangs on asks that wait.
        """
        n = a_whole_number("the number of asks", n, least=1)
        asks: list[Ask] = []
        while len(asks) < n and (arm := self._ledger.choose()) is not None:
            ask = Ask(self._orders, self.arms[arm])
            self._orders += 1
            self._ledger.asked(ask.id, arm)
            self._log.append(("ask", arm))
            asks.append(ask)
        if len(asks) < n and self._ledger.stopped and self._log[-1] != ("stop",):
            self._log.append(("stop",))
        return asks

    def tell(self, ask: Ask | str, reward: float) -> None:
        """Take in the result of an ask; late or in another order is fine.

        With the name of an arm instead of an ask, take in a result that nobody asked for, such as
        history: it counts for the arm, and not against the budget.
        """
        reward = a_reward(reward, self.scale)
        if isinstance(ask, str):
            self._tell_unasked(ask, reward)
            return
        self._check_waits(ask)
        self._ledger.told(ask.id, reward)
        self._log.append(("tell", ask.id, reward))

    def give_up(self, ask: Ask) -> None:
        """Give up an ask that failed: its try goes back to the budget."""
        self._check_waits(ask)
        self._ledger.gave_up(ask.id)
        self._log.append(("give up", ask.id))

    @property
    def remaining(self) -> float:
        """How much of the budget is left: tries that were not asked for, or given up."""
        return inf if self.budget is None else self._ledger.remaining

    @property
    def waiting(self) -> list[Ask]:
        """The asks whose results are not in."""
        return [Ask(id_, self.arms[arm]) for id_, arm in self._ledger.waiting.items()]

    def verdicts(self) -> list[Verdict]:
        """Return what the results so far say of each arm; with what confidence, says the judge."""
        return [self._verdict(name, number) for name, number in self._number.items()]

    def _verdict(self, name: str, number: int) -> Verdict:
        record, tau = self._ledger.play.records[number], self._ledger.play.tau[number]
        judged = self.judge.judgement(record, tau, len(self.arms), self.scale)
        n, mean = record.estimate.n, record.estimate.mean
        return Verdict(name, n, mean if n else None, *judged, over=n > 0 and mean >= tau)

    def to_json(self) -> str:
        """Return the sampler as JSON: how it was made, and the log of all that happened since."""
        return saved.to_json(self, self._log)

    @classmethod
    def from_json(cls, text: str, policy: Policy | None = None) -> "Sampler":
        """Return the sampler that `to_json` was called on, to go on exactly as it would have.

        A policy of your own has to be given again; those of Overbar are found by name.
        """
        made, log = saved.from_json(text, policy)
        sampler = cls(**made)
        saved.replay(sampler, log)
        return sampler

    def save(self, path: str | Path) -> None:
        """Write the sampler to a file, whole or not at all."""
        saved.write(Path(path), self.to_json())

    @classmethod
    def load(cls, path: str | Path, policy: Policy | None = None) -> "Sampler":
        """Read a sampler from a file that `save` wrote."""
        return cls.from_json(Path(path).read_text(encoding="utf-8"), policy)

    def __repr__(self) -> str:
        of = "" if self.budget is None else f" of {self.budget}"
        return (
            f"<Sampler {self.policy!r}, {len(self.arms)} arms, threshold {self.threshold:g}: "
            f"{self._ledger.spent}{of} tries, {len(self._ledger.waiting)} waiting>"
        )

    def _tell_unasked(self, name: str, reward: float) -> None:
        if name not in self._number:
            raise UnknownArm("the arm", name, f"one of {few(self.arms)}")
        if not self._ledger.remaining and not self._ledger.waiting:
            raise BudgetSpent(
                "the budget",
                self.budget,
                "more than the tries that were made",
                "Every try was used and its result is in: the verdicts stand.",
            )
        self._ledger.unasked(self._orders, self._number[name], reward)
        self._orders += 1
        self._log.append(("unasked", self._number[name], reward))

    def _check_waits(self, ask: Ask) -> None:
        if not isinstance(ask, Ask):
            raise InvalidInput("the ask", ask, "an Ask that ask() returned, or the name of an arm")
        arm = self._ledger.waiting.get(ask.id)
        if arm is None and 0 <= ask.id < self._orders:
            raise AskClosed("the ask", ask, "one that waits", "It was told or given up before.")
        if arm is None or self.arms[arm] != ask.arm:
            raise InvalidInput("the ask", ask, "one that this sampler's ask() returned")
