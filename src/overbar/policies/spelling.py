"""A policy as a name and its parameters, for files and databases, and back."""

from dataclasses import asdict, is_dataclass
from typing import Any

from overbar.errors import InvalidInput
from overbar.policies import BUILT_IN, Policy


def spelled(policy: Policy) -> dict[str, Any]:
    """Return the policy's name and parameters."""
    parameters: dict[str, Any] = asdict(policy) if is_dataclass(policy) else {}  # type: ignore[redundant-expr]
    return {"name": policy.name, "parameters": parameters}


def read(spelling: dict[str, Any], given: Policy | None, of: str, do: str) -> Policy:
    """Return the policy that `spelled` spelled. One that is not Overbar's has to be `given`.

    `of` names what it is the policy of, and `do` says how to give it.
    """
    name, parameters = spelling["name"], spelling["parameters"]
    if given is not None:
        if given.name != name:
            raise InvalidInput("the policy", given, f"the {name} that {of} was made with")
        return given
    for built_in in BUILT_IN:
        if built_in.name == name:
            try:
                return built_in(**parameters)
            except TypeError as error:
                raise InvalidInput(
                    f"the parameters of {name}", parameters, "what it takes", str(error)
                ) from None
    raise InvalidInput(f"the policy of {of}", name, "one of Overbar's", do)
