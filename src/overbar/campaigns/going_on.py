"""Beginning a campaign, or going on with it where it stopped, by the same words."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from overbar.campaigns import DATABASE
from overbar.campaigns.arms_file import Listed
from overbar.campaigns.campaign import LIFETIME, Campaign
from overbar.errors import Conflict, InvalidInput, UnknownCampaign
from overbar.live.checks import a_scale, few
from overbar.policies import Policy, UntilSure


def begun(
    name: str,
    listed: Sequence[Listed],
    threshold: float | None,
    budget: int | None,
    *,
    policy: Policy | None = None,
    database: str | Path = DATABASE,
    scale: tuple[float, float] = (0.0, 1.0),
    seed: int = 0,
    lifetime: float = LIFETIME,
    reward: str | None = None,
    confidence: float | None = None,
    noise: str | None = None,
) -> Campaign:
    """Create a campaign of the arms that are listed."""
    own, history = _own(listed)
    return Campaign.create(
        name, [arm.name for arm in listed], threshold, budget, policy=policy, database=database,
        scale=scale, thresholds=own, history=history, seed=seed, lifetime=lifetime,
        reward=reward, confidence=confidence, noise=noise,
    )  # fmt: skip


def resumed(
    name: str,
    listed: Sequence[Listed],
    threshold: float | None,
    budget: int | None,
    *,
    policy: Policy | None = None,
    database: str | Path = DATABASE,
    scale: tuple[float, float] = (0.0, 1.0),
    seed: int = 0,
    reward: str | None = None,
    confidence: float | None = None,
    noise: str | None = None,
    named: bool = True,
) -> Campaign:
    """Open the campaign, with a larger budget and new arms if so listed; or create it.

    One that was not `named`, and has none of the arms that are listed, is taken for another.
    """
    a_scale(scale)
    try:
        campaign = Campaign.open(name, database)
    except UnknownCampaign:
        try:
            return begun(
                name, listed, threshold, budget, policy=policy, database=database, scale=scale,
                seed=seed, reward=reward, confidence=confidence, noise=noise,
            )  # fmt: skip
        except Conflict:  # another began it at this very moment
            campaign = Campaign.open(name, database)
    try:
        if policy is None and confidence is not None:
            _check_goes_until_sure(campaign, confidence)
        terms = {
            "threshold": threshold if campaign.terms.common else None, "policy": policy,
            "scale": tuple(scale), "seed": seed, "reward": reward, "confidence": confidence,
            "noise": noise,
        }  # fmt: skip
        _check_same(campaign, listed, terms)
        there = campaign.arms()
        if listed and not named and not any(arm.name in there for arm in listed):
            raise InvalidInput(
                f"the list of arms for the campaign {name!r}",
                [arm.name for arm in listed[:5]],
                f"of that campaign, one at least, such as {few(there)}",
                "To begin another campaign of the same command, give it a --name.",
            )
        new = [arm for arm in listed if arm.name not in there]
        own, history = _own(new)
        if threshold is not None and not campaign.terms.common:
            own = dict.fromkeys((arm.name for arm in new), threshold) | own
        if new or budget is not None:
            campaign.extend(budget, [arm.name for arm in new], own, history)
        return campaign
    except BaseException:
        campaign.close()
        raise


def _own(listed: Sequence[Listed]) -> tuple[dict[str, float], dict[str, tuple[float, ...]]]:
    own = {arm.name: arm.threshold for arm in listed if arm.threshold is not None}
    return own, {arm.name: arm.results for arm in listed if arm.results}


def _check_goes_until_sure(campaign: Campaign, confidence: float) -> None:
    """Check that the campaign is one that a confidence alone would have begun."""
    if not isinstance(campaign.terms.policy, UntilSure):
        policy = campaign.terms.policy.name
        raise InvalidInput(
            f"the confidence of the campaign {campaign.name!r}",
            confidence,
            f"left out, or given with the policy {policy}: it does not go on until it is sure",
            "Another campaign needs another name.",
        )


def _check_same(
    campaign: Campaign,
    listed: Sequence[Listed],
    terms: Mapping[str, object],
) -> None:
    for what, given in terms.items():
        of = campaign.terms.judge if what in ("confidence", "noise") else campaign.terms
        agreed = getattr(of, what)
        if None not in (given, agreed) and given != agreed:
            raise InvalidInput(
                f"the {what} of the campaign {campaign.name!r}",
                given,
                f"{agreed!r}, as when it began",
                "Another campaign needs another name.",
            )
    there = campaign.arms()
    for arm in listed:
        if arm.name in there and arm.threshold not in (None, there[arm.name]):
            raise InvalidInput(
                f"the threshold of the arm {arm.name!r}",
                arm.threshold,
                f"{there[arm.name]!r}, as when it was added",
            )
