"""Read an experiment from a TOML file. A mistake names the key, the value and what is accepted."""

import csv
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from overbar.errors import InvalidInput, a_number, a_whole_number
from overbar.experiments.experiment import DISTRIBUTIONS, Experiment, Group, Listed, Range, Value
from overbar.policies import BUILT_IN, Policy
from overbar.problem import Empirical

KEYS = (
    *("title", "threshold", "indifference", "budget", "repetitions", "seed"),
    *("arms", "policies"),
)


def read(path: Path) -> Experiment:
    """Read an experiment from a file."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(
            "the experiment", str(path), "a file that can be read", str(error)
        ) from None
    return parse(text, name=path.name, folder=path.parent)


def parse(text: str, name: str, folder: Path) -> Experiment:
    """Read an experiment; files that it names lie in `folder`."""
    try:
        given = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput("the experiment", name, "a TOML file", f"{error}.") from None
    try:
        experiment = _experiment(given, name, folder)
        experiment.problem()  # the arms check their own parameters
        return experiment
    except InvalidInput as error:
        error.args = (f"In {name}: {error}",)
        raise


def _experiment(given: dict[str, Any], name: str, folder: Path) -> Experiment:
    _known(given, KEYS, "")
    for key in ("threshold", "budget", "arms", "policies"):
        if key not in given:
            raise InvalidInput("the file", sorted(given), f"one that has the key {key!r}")
    return Experiment(
        name=Path(name).stem,
        title=_text(given.get("title", Path(name).stem), "title"),
        groups=_groups(given["arms"], folder),
        threshold=a_number("threshold", given["threshold"]),
        policies=_policies(given["policies"]),
        budget=a_whole_number("budget", given["budget"], least=1),
        repetitions=a_whole_number("repetitions", given.get("repetitions", 500), least=1),
        seed=(a_whole_number("seed", given.get("seed", 0), least=0),),
        indifference=a_number("indifference", given.get("indifference", 0), least=0),
    )


def _groups(given: object, folder: Path) -> tuple[Group | Listed, ...]:
    if not isinstance(given, list) or not given:
        raise InvalidInput("arms", given, "one [[arms]] table or more")
    return tuple(
        _group(_table(each, f"arms[{number}]"), f"arms[{number}]", folder)
        for number, each in enumerate(given, start=1)
    )


def _group(given: dict[str, Any], where: str, folder: Path) -> Group | Listed:
    if "log" in given:
        _known(given, ("log",), where)
        logged = read_log(folder / _text(given["log"], f"{where}.log"))
        return Listed(tuple(map(Empirical, logged.values())), names=tuple(logged))
    distribution = given.get("distribution")
    if not isinstance(distribution, str) or distribution not in DISTRIBUTIONS:
        raise InvalidInput(
            f"{where}.distribution",
            distribution,
            f"one of {', '.join(DISTRIBUTIONS)}",
            'Or give log = "FILE.csv", of logged rewards.',
        )
    needed = [field.name for field in fields(DISTRIBUTIONS[distribution])]
    if "sd" in needed and "variance" in given:
        needed[needed.index("sd")] = "variance"
    _known(given, ("distribution", "count", "names", *needed), where)
    values: dict[str, Value] = {}
    for key in needed:
        if key not in given:
            accepted = "a number, a list of numbers, or { from = LOW, to = HIGH }"
            raise InvalidInput(f"{where}.{key}", None, accepted, f"{distribution} needs it.")
        values[key] = _value(given[key], f"{where}.{key}")
        if key in ("sd", "variance"):
            _not_negative(values[key], f"{where}.{key}")
    names = given.get("names")
    lengths = {key: len(v) for key, v in values.items() if not isinstance(v, float | Range)}
    if names is not None:
        if not isinstance(names, list):
            raise InvalidInput(f"{where}.names", names, "a list of names")
        lengths["names"] = len(names)
    if "count" in given:
        lengths["count"] = a_whole_number(f"{where}.count", given["count"], least=1)
    if len(set(lengths.values())) > 1:
        raise InvalidInput(where, lengths, "of one count", "Lists and count must agree.")
    count = next(iter(lengths.values()), 1)
    return Group(distribution, values, count, None if names is None else tuple(names))


def _value(given: object, where: str) -> Value:
    if isinstance(given, list):
        return tuple(a_number(f"{where}[{i}]", each) for i, each in enumerate(given, start=1))
    if isinstance(given, dict):
        _known(given, ("from", "to"), where)
        low = a_number(f"{where}.from", given.get("from"))
        return Range(low, a_number(f"{where}.to", given.get("to"), least=low))
    return a_number(where, given)


def _not_negative(value: Value, where: str) -> None:
    for each in value if isinstance(value, tuple) else [value]:
        a_number(where, each, least=0)


def _policies(given: object) -> dict[str, Policy]:
    policies = {}
    for name, table in _table(given, "policies").items():
        where = f"policies.{name}"
        parameters = dict(_table(table, where))
        policies[name] = policy_named(parameters.pop("policy", name), parameters, where)
    if not policies:
        raise InvalidInput("policies", given, f"one or more of {_policy_names()}")
    return policies


def policy_named(
    name: object,
    parameters: Mapping[str, object],
    where: str,
    among: Sequence[type[Policy]] = BUILT_IN,
) -> Policy:
    """Make the policy of that name, by default a built-in one."""
    for built_in in among:
        if built_in.name == name:
            takes = tuple(field.name for field in fields(built_in))  # type: ignore[arg-type]
            _known(parameters, takes, where)
            try:
                return built_in(**parameters)
            except InvalidInput as error:
                error.args = (f"{where}: {error}",)
                raise
    raise InvalidInput(where, name, f"one of {_policy_names()}")


def _policy_names() -> str:
    return ", ".join(built_in.name for built_in in BUILT_IN)


def read_log(path: Path) -> dict[str, tuple[float, ...]]:
    """Read logged rewards: a CSV with the columns `arm` and `reward`, a row for each try."""
    rewards: dict[str, list[float]] = {}
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            rows = csv.DictReader(file)
            if not {"arm", "reward"} <= set(rows.fieldnames or ()):
                raise InvalidInput(
                    f"the header of {path.name}", rows.fieldnames, "one with arm and reward"
                )
            for row in rows:
                if not (row["arm"] or "").strip():
                    where = f"{path.name}, line {rows.line_num}, arm"
                    raise InvalidInput(where, row["arm"], "a name")
                rewards.setdefault(row["arm"], []).append(
                    _logged(row["reward"], path, rows.line_num)
                )
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InvalidInput(
            "the log", str(path), "a CSV file that can be read", str(error)
        ) from None
    if not rewards:
        raise InvalidInput("the log", str(path), "one that has a reward or more")
    return {arm: tuple(each) for arm, each in rewards.items()}


def _logged(given: str | None, path: Path, line: int) -> float:
    try:
        return a_number(f"{path.name}, line {line}, reward", float(given or "missing"))
    except ValueError:
        raise InvalidInput(f"{path.name}, line {line}, reward", given, "a finite number") from None


def _table(given: object, where: str) -> dict[str, Any]:
    if not isinstance(given, dict):
        raise InvalidInput(where, given, "a table")
    return given


def _text(given: object, where: str) -> str:
    if not isinstance(given, str):
        raise InvalidInput(where, given, "a text")
    return given


def _known(given: Mapping[str, object], keys: tuple[str, ...], where: str) -> None:
    for key in given:
        if key not in keys:
            name = f"{where}.{key}" if where else key
            raise InvalidInput("the key", name, f"one of {', '.join(keys) or 'none'}")
