"""Everything that Overbar raises, and the checks made where input enters.

OverbarError
├── InvalidInput (also a ValueError)   something given cannot be used
│   ├── UnknownArm                     no arm of that name
│   ├── AskClosed                      the ask was told, or given up, before
│   ├── BudgetSpent                    every try was used and every result is in
│   ├── UnknownCampaign                no campaign of that name in the database
│   ├── UnknownTicket                  the campaign gave no ticket of that number
│   └── Conflict                       another result, or campaign, is there already
├── StorageError                       the database cannot be used now
└── TryFailed                          a try brought no answer

OverbarWarning                         works, but probably not as hoped
"""

import math
from numbers import Integral, Real

SUREST = 1 - 1e-12  # of what can be said with a float


class OverbarError(Exception):
    """The base of all errors that Overbar raises on purpose."""


class InvalidInput(OverbarError, ValueError):
    """Something that was given cannot be used; nothing was changed by the call.

    The message names the value, what is accepted and, where it helps, what to do.
    """

    def __init__(self, what: str, given: object, accepted: str, do: str = "") -> None:
        self.what, self.given, self.accepted, self.do = what, given, accepted, do
        super().__init__(f"{what} is {given!r}, but must be {accepted}." + (f" {do}" if do else ""))

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (self.what, self.given, self.accepted, self.do)


class UnknownArm(InvalidInput):
    """No arm has that name."""


class AskClosed(InvalidInput):
    """The ask was told or given up before."""


class BudgetSpent(InvalidInput):
    """Every try of the budget was used and its result is in."""


class UnknownCampaign(InvalidInput):
    """No campaign of that name is in the database."""


class UnknownTicket(InvalidInput):
    """The campaign gave no ticket of that number."""


class Conflict(InvalidInput):
    """Another result of the ticket, or another campaign of the name, is there already."""


class StorageError(OverbarError):
    """The database cannot be used now: locked, full, or gone. The same call may be made again."""


class TryFailed(OverbarError):
    """A try brought no answer. Raised by what tries an arm, it returns the try to the budget."""


class OverbarWarning(UserWarning):
    """It works, but probably not as the caller hopes."""


def a_number(
    what: str,
    given: object,
    *,
    least: float = -math.inf,
    most: float = math.inf,
    above: float = -math.inf,
    do: str = "",
) -> float:
    """Return `given` as a finite float within its limits, or raise `InvalidInput`."""
    limits = [f"at least {least:g}"] * (least > -math.inf)
    limits += [f"above {above:g}"] * (above > -math.inf)
    limits += [f"at most {most:g}"] * (most < math.inf)
    accepted = " ".join(["a finite number", " and ".join(limits)]).strip()
    if not isinstance(given, Real) or isinstance(given, bool):
        raise InvalidInput(what, given, accepted, do)
    try:
        number = float(given)
    except OverflowError:
        number = math.inf
    if not (math.isfinite(number) and least <= number <= most and number > above):
        raise InvalidInput(what, given, accepted, do)
    return number


def a_confidence(given: object) -> float:
    """Return the confidence as a float above 0 and below 1, or raise `InvalidInput`."""
    try:
        return a_number("the confidence", given, above=0, most=SUREST)
    except InvalidInput:
        accepted = "a number above 0 and below 1"
        raise InvalidInput("the confidence", given, accepted, "95 % is 0.95.") from None


def a_whole_number(
    what: str, given: object, *, least: int, most: int | None = None, do: str = ""
) -> int:
    """Return `given` as an int within its limits, or raise `InvalidInput`."""
    accepted = f"a whole number, at least {least}"
    if most is not None:
        accepted += f" and at most {most}"
    whole = isinstance(given, Integral) and not isinstance(given, bool)
    if not whole or int(given) < least or (most is not None and int(given) > most):  # type: ignore[call-overload]
        raise InvalidInput(what, given, accepted, do)
    return int(given)  # type: ignore[call-overload, no-any-return]
