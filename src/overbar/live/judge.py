"""Over, under or undecided, and how sure that is.

Together the verdicts on K arms, and the intervals, hold with the confidence asked for, 1 − δ: each
arm is given δ/K, and the evidence of `overbar.sequences` holds at any time. What was settled stays
so: an interval may be cut by one that held before, and so by the threshold that it left out.
"""

from dataclasses import dataclass
from functools import cached_property
from math import inf, isnan, log
from typing import Literal, NamedTuple

from overbar.errors import InvalidInput, a_confidence, a_whole_number
from overbar.live.checks import Scale
from overbar.live.record import Record
from overbar.policies import Policy, UntilSure
from overbar.sequences import BOUNDED, Noise, log_evidence

CONFIDENCE = 0.95  # where none is asked for
UNLIMITED = 2**60  # tries: the budget where there is none

Side = Literal["over", "under", "undecided"]
UNDER, OVER = range(2)


def budget_for(policy: Policy | None, given: object, most: int | None = None) -> int | None:
    """Return the budget as an int, or None for a policy that stops without one."""
    if given is None and (policy is None or isinstance(policy, UntilSure)):
        return None
    do = ""
    if given is None:
        do = f"{getattr(policy, 'name', policy)} does not stop when sure. UntilSure does."
    return a_whole_number("the budget", given, least=1, most=most, do=do)


class Judgement(NamedTuple):
    """What the results say of an arm."""

    low: float  # the interval of the mean
    high: float
    verdict: Side


@dataclass(frozen=True)
class Judge:
    """Says which arms are over and under, with a confidence of all verdicts together."""

    confidence: float = CONFIDENCE
    noise: str = "bounded"  # on the scale of 0 to 1

    @classmethod
    def of(
        cls, policy: Policy | None, confidence: float | None = None, noise: str | None = None
    ) -> "Judge":
        """Return the judge that is asked for; `UntilSure` brings its own."""
        if isinstance(policy, UntilSure):
            for what, given, own in [
                ("confidence", confidence, policy.confidence),
                ("noise", noise, policy.noise),
            ]:
                if given not in (None, own):
                    raise InvalidInput(f"the {what}", given, f"{own!r}, as UntilSure has it")
            return cls(policy.confidence, policy.noise)
        own_noise = cls.noise if noise is None else noise
        Noise.read(own_noise)
        return cls(CONFIDENCE if confidence is None else a_confidence(confidence), own_noise)

    @cached_property
    def _known(self) -> Noise:
        return Noise.read(self.noise)

    def expects(self, reward: float) -> bool:
        """Return whether the noise allows for such a reward, on the scale of 0 to 1."""
        return self._known.model != BOUNDED or 0.0 <= reward <= 1.0

    def evidence(self, n: int, r: float, v: float, tau: float) -> float:
        """Return the logarithm of the evidence against the mean τ, on the scale of 0 to 1."""
        return log_evidence(n, r, v, tau, self._known.model, self._known.sigma)

    def judgement(
        self, record: Record, tau: float, K: int, scale: Scale | None = None
    ) -> Judgement:
        """Return what is to be said of one of K arms; no mean lies beyond a scale."""
        if isnan(record.against[OVER]):
            return Judgement(-inf, inf, "undecided")
        level = log(K / (1 - self.confidence))
        least, width = (0.0, 1.0) if scale is None else (scale[0], scale[1] - scale[0])
        final = record.final
        r, v = (final.mean - least) / width, final.variance / width**2
        low, high = (least + width * end for end in self._known.interval(final.n, r, v, level))
        if scale is not None:
            low, high = max(low, scale[0]), min(high, scale[1])
        over, under = record.against[UNDER] >= level, record.against[OVER] >= level
        if over == under:  # both: no arm whose mean stays the same does that but with chance δ
            return Judgement(low, high, "undecided")
        if over:
            return Judgement(max(low, tau), max(high, tau), "over")
        return Judgement(min(low, tau), min(high, tau), "under")
