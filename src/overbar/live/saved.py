"""A sampler as JSON: how it was made, and the log of what happened to it.

The log is the truth. A sampler is brought back by doing all of it again, so that it goes on exactly
as it would have; and what the log says was chosen must be what the policy chooses, so that a file
that was altered, or that another version wrote, is noticed.
"""

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from overbar.errors import InvalidInput
from overbar.policies import Policy, spelling

if TYPE_CHECKING:
    from overbar.live.sampler import Sampler

SCHEMA = 3
SCHEMAS = (1, 2, 3)  # that can be read; 1 knew no thresholds of single arms, 2 no confidence
Event = tuple[str | int | float, ...]


def to_json(sampler: "Sampler", log: list[Event]) -> str:
    """Return the sampler as JSON."""
    return json.dumps(
        {
            "overbar": "sampler",
            "schema": SCHEMA,
            "policy": spelling.spelled(sampler.policy),
            "arms": sampler.arms,
            "threshold": sampler.threshold,
            "thresholds": sampler.thresholds,
            "budget": sampler.budget,
            "scale": sampler.scale,
            "seed": sampler.seed,
            "confidence": sampler.judge.confidence,
            "noise": sampler.judge.noise,
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
        made["thresholds"] = read.get("thresholds", {})
        made |= {key: read.get(key) for key in ("confidence", "noise")}
        spelt = {key: read["policy"][key] for key in ("name", "parameters")}
        spelt["own"] = read["policy"].get("own")
        log = [tuple(event) for event in read["log"]]
    except (ValueError, TypeError, KeyError) as error:
        raise InvalidInput(
            "the saved sampler", text[:60], "what Sampler.to_json wrote", repr(error)
        ) from None
    if schema not in SCHEMAS:
        raise InvalidInput(
            "the schema of the saved sampler",
            schema,
            f"{SCHEMA} or less for this version of Overbar",
        )
    played = spelling.read(spelt, policy, "the saved sampler", "Give it: load(path, policy=…).")
    return {"policy": played, **made}, log


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
