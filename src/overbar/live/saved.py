"""A sampler as JSON: how it was made, and the log of what happened to it.

The log is the truth. A sampler is brought back by doing all of it again, so that it goes on exactly
as it would have; and what the log says was chosen must be what the policy chooses, so that a file
that was altered, or that another version wrote, is noticed.
"""

import json
import os
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from overbar.errors import InvalidInput
from overbar.policies import BUILT_IN, Policy

if TYPE_CHECKING:
    from overbar.live.sampler import Sampler

SCHEMA = 1
Event = tuple[str | int | float, ...]


def to_json(sampler: "Sampler", log: list[Event]) -> str:
    """Return the sampler as JSON."""
    policy = sampler.policy
    parameters: dict[str, Any] = asdict(policy) if is_dataclass(policy) else {}  # type: ignore[redundant-expr]
    return json.dumps(
        {
            "overbar": "sampler",
            "schema": SCHEMA,
            "policy": {"name": policy.name, "parameters": parameters},
            "arms": sampler.arms,
            "threshold": sampler.threshold,
            "budget": sampler.budget,
            "scale": sampler.scale,
            "seed": sampler.seed,
            "log": log,
        }
    )


def from_json(text: str, policy: Policy | None) -> tuple[dict[str, Any], list[Event]]:
    """Return what the sampler was made with, and its log."""
    try:
        read = json.loads(text)
        if read["overbar"] != "sampler":
            raise ValueError("not a sampler")
        schema = read["schema"]
        made = {key: read[key] for key in ("arms", "threshold", "budget", "scale", "seed")}
        name, parameters = read["policy"]["name"], read["policy"]["parameters"]
        log = [tuple(event) for event in read["log"]]
    except (ValueError, TypeError, KeyError) as error:
        raise InvalidInput(
            "the saved sampler", text[:60], "what Sampler.to_json wrote", repr(error)
        ) from None
    if schema != SCHEMA:
        raise InvalidInput(
            "the schema of the saved sampler", schema, f"{SCHEMA} for this version of Overbar"
        )
    return {"policy": _policy(name, parameters, policy), **made}, log


def _policy(name: str, parameters: dict[str, Any], given: Policy | None) -> Policy:
    if given is not None:
        if given.name != name:
            raise InvalidInput("the policy", given, f"the {name} that the sampler was saved with")
        return given
    for built_in in BUILT_IN:
        if built_in.name == name:
            try:
                return built_in(**parameters)
            except TypeError as error:
                raise InvalidInput(
                    f"the parameters of {name}", parameters, "what it takes", str(error)
                ) from None
    raise InvalidInput(
        "the policy of the saved sampler",
        name,
        "one of Overbar's",
        "Give it: load(path, policy=…).",
    )


def replay(sampler: "Sampler", log: list[Event]) -> None:
    """Do all that the log says."""
    waiting = {}
    for event in log:
        try:
            match event:
                case ("ask", int(arm)):
                    [ask] = sampler.ask()
                    waiting[ask.id] = ask
                    if ask.arm != sampler.arms[arm]:
                        raise ValueError(f"the policy chooses {ask.arm!r}")
                case ("stop",):
                    if sampler.ask():
                        raise ValueError("the policy goes on")
                case ("tell", int(id_), float(reward)):
                    sampler.tell(waiting[id_], reward)
                case ("unasked", int(arm), float(reward)):
                    sampler.tell(sampler.arms[arm], reward)
                case ("give up", int(id_)):
                    sampler.give_up(waiting[id_])
                case _:
                    raise ValueError("no such event")
        except (ValueError, LookupError) as error:
            raise InvalidInput(
                "an event in the log of the saved sampler",
                event,
                "what happened to a sampler of this version of Overbar",
                f"({error})",
            ) from None


def write(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    part = path.with_name(f"{path.name}.part{os.getpid()}")
    try:
        part.write_text(text, encoding="utf-8")
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
