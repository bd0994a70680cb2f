"""The terms of a campaign: what is agreed when it is created, and never changes."""

import json
from dataclasses import dataclass
from warnings import warn

from overbar.errors import InvalidInput, OverbarWarning, a_number, a_whole_number
from overbar.live.checks import Scale, a_scale, a_threshold
from overbar.live.judge import UNLIMITED, Judge, budget_for
from overbar.live.play import Play
from overbar.live.record import Arrays
from overbar.policies import AnytimeAugUCB, Game, Policy, UntilSure, spelling
from overbar.policies.policy import opened

LONGEST_NAME = 500
SHOWN = 60  # characters of what is too long
LONGEST = 10 * 365 * 86400.0  # seconds that a ticket may last, or a try take: ten years
MOST = 2**53  # of a number that counts: above it, JSON and floats are not exact


@dataclass(frozen=True)
class Terms:
    """Policy, threshold, scale, seed, the seconds until a ticket expires, judge, what is rewarded.

    Where every arm has a bar of its own, the threshold is not common, and stands for nothing.
    """

    policy: Policy
    threshold: float
    scale: Scale
    seed: int
    lifetime: float
    judge: Judge
    common: bool = True
    reward: str | None = None  # None: not said

    def to_json(self) -> str:
        """Return the terms as JSON."""
        return json.dumps(
            {
                "policy": spelling.spelled(self.policy),
                "threshold": self.threshold,
                "scale": self.scale,
                "seed": self.seed,
                "lifetime": self.lifetime,
                "common": self.common,
                "reward": self.reward,
                "confidence": self.judge.confidence,
                "noise": self.judge.noise,
            }
        )

    @classmethod
    def from_json(cls, text: str, policy: Policy | None) -> "Terms":
        """Return the terms that `to_json` wrote; a policy of one's own has to be given again."""
        read = json.loads(text)
        do = "Give it: Campaign.open(name, policy=…)."
        played = spelling.read(read["policy"], policy, "the campaign", do)
        low, high = read["scale"]
        return cls(
            played,
            read["threshold"],
            (low, high),
            read["seed"],
            read["lifetime"],
            Judge.of(played, read.get("confidence"), read.get("noise")),
            read.get("common", True),  # older databases do not say these four
            read.get("reward"),
        )

    def play(self, thresholds: list[float], budget: int, state: Arrays | None = None) -> Play:
        """Return the policy at play on arms of these thresholds, from a state if one is given."""
        rounds = tuple(self.policy.rounds(Game(len(thresholds), budget)))
        return Play(self.policy, rounds, thresholds, self.scale, self.seed, self.judge, state)


def agreed(
    policy: Policy | None,
    threshold: float,
    scale: Scale,
    seed: int,
    lifetime: float,
    game: tuple[int, int],
    common: bool = True,
    reward: str | None = None,
    confidence: float | None = None,
    noise: str | None = None,
) -> Terms:
    """Return the terms, having checked that a game of so many arms and tries can be played.

    If no policy is given, it is UntilSure where a confidence is, and else AnytimeAugUCB.
    """
    K, T = game
    judge = Judge.of(policy, confidence, noise)
    if policy is None and (confidence is not None or T == UNLIMITED):
        policy = UntilSure(judge.confidence, judge.noise)
    elif policy is None:
        policy = AnytimeAugUCB()
    checked = a_scale(scale)
    if checked is None:
        raise InvalidInput("the scale", scale, "a pair (low, high)")
    terms = Terms(
        policy,
        a_threshold(threshold, checked),
        checked,
        a_whole_number("the seed", seed, least=0),
        a_lifetime(lifetime),
        judge,
        common,
        None if reward is None else a_text("the kind of reward", reward),
    )
    opened(policy, Game(K, T))
    if T == UNLIMITED and common:
        _warn_of_no_end(terms)
    return terms


def _warn_of_no_end(terms: Terms) -> None:
    """Warn where an arm that always pays an end of the scale would be tried for ever."""
    zone = terms.policy.indifference if isinstance(terms.policy, UntilSure) else 0.0
    if terms.threshold in terms.scale and zone == 0:
        warn(
            f"The bar is {terms.threshold:g}, an end of the scale: an arm that always"
            " pays so much is never settled, and without a budget it is tried for ever. Give a"
            " budget, an indifference, or a bar inside the scale.",
            OverbarWarning,
            stacklevel=4,
        )


def a_lifetime(given: object) -> float:
    """Return the seconds that a ticket lasts as a float, or raise `InvalidInput`."""
    return a_number(
        "the seconds until a ticket expires", given, above=0, most=LONGEST, do="That is ten years."
    )


def a_budget(given: object, policy: Policy | None, sure: bool) -> int:
    """Return the budget as an int, or raise `InvalidInput`; without one, the policy must stop."""
    if given is None and policy is None and not sure:
        raise InvalidInput(
            "the budget", None, "given when a campaign begins", "Or give the confidence to reach."
        )
    budget = budget_for(policy, given, MOST)
    return UNLIMITED if budget is None else budget


def a_text(what: str, given: object, most: int | None = None) -> str:
    """Return text that every database holds and every command takes, or raise `InvalidInput`."""
    accepted = "text" if most is None else f"text of 1 to {most} characters"
    if not isinstance(given, str) or (most is not None and not 1 <= len(given) <= most):
        if isinstance(given, str) and len(given) > SHOWN:
            given = f"{given[:SHOWN]}…"
        raise InvalidInput(what, given, accepted)
    try:
        given.encode()
    except UnicodeEncodeError:
        raise InvalidInput(what, given, "text that UTF-8 can write") from None
    if "\0" in given:
        raise InvalidInput(what, given, "text without NUL characters")
    return given
