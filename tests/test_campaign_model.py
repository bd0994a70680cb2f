"""A campaign against the simplest model of its books, driven through every verb in any order."""

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

import overbar as ob
from overbar.campaigns import database as databases
from tests.accounts import check_accounts

LIFETIME = 100.0
PICK = st.integers(0, 10_000)
REWARD = st.sampled_from([0.0, 0.5, 1.0])


class Books(RuleBasedStateMachine):
    """The model: what became of each ticket, and a few sums."""

    @initialize(K=st.integers(2, 9), spare=st.integers(0, 30))
    def create(self, K: int, spare: int) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.now = 1e9
        databases.seconds, self._seconds = (lambda: self.now), databases.seconds
        self.arms = [f"arm {i}" for i in range(K)]
        self.budget = K + spare
        self.database = str(self.folder / "overbar.db")
        self.campaign = ob.Campaign.create(
            "c", self.arms, 0.5, self.budget, policy=ob.APT(), database=self.database,
            lifetime=LIFETIME,
        )  # fmt: skip
        self.out: dict[int, ob.Ticket] = {}
        self.back: dict[int, ob.Ticket] = {}  # failed, or expired
        self.rewards: dict[int, float] = {}
        self.told = self.late = self.history = 0
        self.requests: dict[str, list[ob.Ticket]] = {}

    def teardown(self) -> None:
        if hasattr(self, "campaign"):
            self.campaign.close()
            databases.seconds = self._seconds
            check_accounts(self.database, "c")
            shutil.rmtree(self.folder)

    @rule(n=st.integers(1, 12), request=st.none() | st.sampled_from(["r", "s", "t"]))
    def ask(self, n: int, request: str | None) -> None:
        tickets = self.campaign.ask(n, request=request)
        if request in self.requests:
            assert tickets == self.requests[request]
            return
        self.expire()
        assert len(tickets) == min(n, self.budget - self.told - len(self.out))
        assert not {ticket.id for ticket in tickets} & {*self.out, *self.back, *self.rewards}
        self.out |= {ticket.id: ticket for ticket in tickets}
        if request and tickets:
            self.requests[request] = tickets

    def expire(self) -> None:
        """What is over returns when somebody asks."""
        for id_, ticket in list(self.out.items()):
            if ticket.expires.timestamp() <= self.now:
                self.back[id_] = self.out.pop(id_)

    @rule(pick=PICK, reward=REWARD)
    def tell(self, pick: int, reward: float) -> None:
        if self.out:
            id_ = list(self.out)[pick % len(self.out)]
            self.campaign.tell(self.out.pop(id_), reward)
            self.rewards[id_] = reward
            self.told += 1

    @rule(pick=PICK, reward=REWARD)
    def tell_again(self, pick: int, reward: float) -> None:
        if self.rewards:
            id_ = list(self.rewards)[pick % len(self.rewards)]
            if reward == self.rewards[id_]:
                self.campaign.tell(id_, reward)
            else:
                with pytest.raises(ob.Conflict):
                    self.campaign.tell(id_, reward)

    @rule(pick=PICK, reward=REWARD)
    def tell_late(self, pick: int, reward: float) -> None:
        if self.back:
            id_ = list(self.back)[pick % len(self.back)]
            self.campaign.tell(self.back.pop(id_), reward)
            self.rewards[id_] = reward
            self.late += 1

    @rule(pick=PICK)
    def fail(self, pick: int) -> None:
        if self.out:
            id_ = list(self.out)[pick % len(self.out)]
            self.campaign.fail(self.out[id_], "no answer")
            self.campaign.fail(id_)
            self.back[id_] = self.out.pop(id_)

    @rule(pick=PICK, reward=REWARD)
    def tell_history(self, pick: int, reward: float) -> None:
        self.campaign.tell(self.arms[pick % len(self.arms)], reward)
        self.history += 1

    @rule(seconds=st.sampled_from([1.0, 60.0, 101.0]))
    def wait(self, seconds: float) -> None:
        self.now += seconds

    @rule(more=st.integers(0, 9), arms=st.integers(0, 2))
    def extend(self, more: int, arms: int) -> None:
        new = [f"arm {len(self.arms) + i}" for i in range(arms)]
        if self.budget + more < len(self.arms) + arms:
            with pytest.raises(ob.InvalidInput, match="Each is tried once"):
                self.campaign.extend(self.budget + more, new)
            return
        self.campaign.extend(self.budget + more, new)
        self.budget += more
        self.arms += new

    @rule()
    def reopen(self) -> None:
        self.campaign.close()
        self.campaign = ob.Campaign.open("c", self.database)

    @invariant()
    def the_books_agree(self) -> None:
        if not hasattr(self, "campaign"):
            return
        status = self.campaign.status()
        lapsed = sum(ticket.expires.timestamp() <= self.now for ticket in self.out.values())
        assert status.budget == self.budget
        assert status.arms == len(self.arms)
        assert status.told == self.told
        assert status.waiting == len(self.out) - lapsed
        assert status.failed + status.expired == len(self.back) + self.late + lapsed
        assert (status.late, status.history) == (self.late, self.history)
        assert status.remaining == self.budget - self.told - status.waiting
        tries = sum(finding.tries for finding in self.campaign.findings())
        assert tries == self.told + self.late + self.history


TestBooks = Books.TestCase
TestBooks.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
