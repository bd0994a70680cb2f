"""What enters a sampler or a campaign: arms, thresholds, scale, rewards."""

from collections.abc import Collection, Mapping, Sequence
from itertools import islice
from warnings import warn

import numpy as np

from overbar.errors import InvalidInput, OverbarWarning, UnknownArm, a_number

Scale = tuple[float, float]


def a_scale(given: Scale | None) -> Scale | None:
    """Return the scale as a pair of floats, or raise `InvalidInput`."""
    if given is None:
        return None
    try:
        low, high = given
    except (TypeError, ValueError):
        raise InvalidInput("the scale", given, "a pair (low, high)") from None
    low = a_number("the low end of the scale", low)
    high = a_number("the high end of the scale", high, above=low)
    a_number("the width of the scale", high - low)
    return low, high


def a_threshold(
    given: object, scale: Scale | None, what: str = "the threshold", stacklevel: int = 3
) -> float:
    """Return the threshold as a float on the scale, or raise `InvalidInput`."""
    if scale is not None:
        do = "That is the scale, which holds for the threshold too."
        return a_number(what, given, least=scale[0], most=scale[1], do=do)
    threshold = a_number(what, given)
    if not 0 <= threshold <= 1:
        warn(
            f"The threshold is {threshold:g}, but the policies are made for rewards in [0, 1]."
            " Give scale=(low, high), the least and the greatest reward that can come.",
            OverbarWarning,
            stacklevel=stacklevel,
        )
    return threshold


def own_thresholds(
    given: Mapping[str, float] | None, arms: Collection[str], scale: Scale | None
) -> dict[str, float]:
    """Return the thresholds that single arms have, or raise `InvalidInput`."""
    own = {}
    for name, threshold in (given or {}).items():
        if name not in arms:
            raise UnknownArm("an arm with a threshold of its own", name, f"one of {few(arms)}")
        own[name] = a_threshold(threshold, scale, f"the threshold of {name!r}", stacklevel=4)
    return own


def a_reward(given: object, scale: Scale | None) -> float:
    """Return the reward as a float on the scale, or raise `InvalidInput`."""
    if isinstance(given, bool | np.bool_):  # passed, or failed
        given = float(given)
    if scale is None:
        return a_number("the reward", given)
    return a_number("the reward", given, least=scale[0], most=scale[1], do="That is the scale.")


def few(names: Collection[str] | Sequence[str]) -> str:
    """Return the first names, and how many more there are."""
    shown = ", ".join(repr(name) for name in islice(names, 5))
    return shown + (f" and {len(names) - 5} more" if len(names) > 5 else "")
