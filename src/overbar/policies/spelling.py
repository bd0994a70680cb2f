"""A policy as a name and its parameters, for files and databases, and back."""

import json
from dataclasses import asdict, is_dataclass
from numbers import Integral, Real
from typing import Any

from overbar.errors import InvalidInput
from overbar.policies import BUILT_IN, Policy


def spelled(policy: Policy) -> dict[str, Any]:
    """Return the policy's name, its parameters, and whether it is one of the user's own."""
    parameters: dict[str, Any] = asdict(policy) if is_dataclass(policy) else {}  # type: ignore[redundant-expr]
    plain = {name: _plain(value) for name, value in parameters.items()}
    return {"name": policy.name, "parameters": plain, "own": type(policy) not in BUILT_IN}


def read(spelling: dict[str, Any], given: Policy | None, of: str, do: str) -> Policy:
    """Return the policy that `spelled` spelled. One that is not Overbar's has to be `given`.

    `of` names what it is the policy of, and `do` says how to give it.
    """
    name, parameters = spelling["name"], spelling["parameters"]
    own = spelling.get("own")  # None: it was not said once
    if given is not None:
        if given.name != name or own not in (None, type(given) not in BUILT_IN):
            whose = "" if own is None else " of your own" if own else " of Overbar's"
            raise InvalidInput("the policy", given, f"the {name}{whose} that {of} was made with")
        if json.loads(json.dumps(spelled(given)["parameters"])) != parameters:
            raise InvalidInput(
                "the policy", given, f"the {name} that {of} was made with, of {parameters}"
            )
        return given
    if own:
        raise InvalidInput(f"the policy of {of}", name, "given, for it is your own", do)
    for built_in in BUILT_IN:
        if built_in.name == name:
            try:
                return built_in(**parameters)
            except TypeError as error:
                raise InvalidInput(
                    f"the parameters of {name}", parameters, "what it takes", str(error)
                ) from None
    raise InvalidInput(f"the policy of {of}", name, "one of Overbar's", do)


def _plain(value: Any) -> Any:
    """Return a number of any kind as one that JSON writes, and all else as it is."""
    if isinstance(value, bool):
        return value
    if isinstance(value, Integral):
        return int(value)
    return float(value) if isinstance(value, Real) else value
