"""What is typed of a guess: a name, a colon, and numbers with commas between them."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from overbar.errors import InvalidInput
from overbar.planning.guess import (
    BetaMeans,
    BetaRewards,
    GaussianRewards,
    Means,
    NormalMeans,
    PassFailRewards,
    Rewards,
    UniformMeans,
)

MEANS: Mapping[str, type] = {"beta": BetaMeans, "uniform": UniformMeans, "normal": NormalMeans}
REWARDS: Mapping[str, type] = {
    "pass-fail": PassFailRewards,
    "gaussian": GaussianRewards,
    "beta": BetaRewards,
}


def means(text: str) -> Means:
    """Return the distribution of the means that is typed.

    >>> means("beta:20,1")
    BetaMeans(a=20.0, b=1.0)
    """
    made: Means = _made("the guess", text, MEANS, "Or give an experiment, FILE.toml.")
    return made


def rewards(text: str) -> Rewards:
    """Return the kind of rewards that is typed.

    >>> rewards("gaussian:0.3")
    GaussianRewards(sd=0.3)
    """
    made: Rewards = _made("the kind of rewards", text, REWARDS)
    return made


def _made(what: str, text: str, known: Mapping[str, type], do: str = "") -> Any:
    forms = {name: _form(name, kind) for name, kind in known.items()}
    name, _, rest = text.partition(":")
    if name not in known:
        raise InvalidInput(what, text, f"one of {', '.join(forms.values())}", do)
    given = rest.split(",") if rest else []
    needs = fields(known[name])
    if len(given) != len(needs):
        numbers = ("alone", "with a number", "with two numbers")[len(needs)]
        raise InvalidInput(what, text, f"{forms[name]}, {numbers}")
    values = []
    for field, each in zip(needs, given, strict=True):
        try:
            values.append(float(each))
        except ValueError:
            raise InvalidInput(f"{field.name} of {what} {text}", each, "a number") from None
    try:
        return known[name](*values)
    except InvalidInput as error:
        error.args = (f"Of {what} {text}: {error}",)
        raise


def _form(name: str, kind: type) -> str:
    takes = ",".join(field.name for field in fields(kind)).upper()
    return f"{name}:{takes}" if takes else name
