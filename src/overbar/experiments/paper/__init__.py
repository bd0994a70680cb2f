"""The paper's six experiments, a TOML file each, in two readings.

*written*: as the paper's text describes them. The listed values are variances, the rules are as
printed. That is what the files say.

*released*: as the authors' released simulation ran, from which the published Figure 1 comes. The
listed values are standard deviations; the spread of the 90 filler arms is drawn from [0.3, 0.4]
where the text has [0.38, 0.42]; in experiment 1 the means of arms 7 to 10 are 0.6, 0.65, 0.7, 0.75
where the text has 0.65 to 0.8; AugUCB, UCBE and UCBEV differ as `overbar.policies.released` says.
"""

from collections.abc import Mapping
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

from overbar.errors import InvalidInput
from overbar.experiments.experiment import Experiment, Group, Range, Value
from overbar.experiments.toml_file import parse
from overbar.policies import UCBE, UCBEV, AugUCB, Policy
from overbar.policies.released import ReleasedAugUCB, ReleasedUCBE, ReleasedUCBEV

NUMBERS = (1, 2, 3, 4, 5, 6)
READINGS = ("written", "released")

#: What the released simulation has where the text has another value.
RELEASED: Mapping[Value, Value] = {
    Range(0.38, 0.42): Range(0.3, 0.4),  # the spread of the fillers
    (0.55, 0.65, 0.7, 0.75, 0.8): (0.55, 0.6, 0.65, 0.7, 0.75),  # experiment 1's good arms
}

RELEASED_FORMS: Mapping[type[Policy], type[Policy]] = {
    AugUCB: ReleasedAugUCB,
    UCBE: ReleasedUCBE,
    UCBEV: ReleasedUCBEV,
}


def text(number: int) -> str:
    """Return the file of an experiment."""
    if number not in NUMBERS:
        raise InvalidInput("the experiment", number, "one of 1, 2, 3, 4, 5, 6")
    return files(__name__).joinpath(f"{number}.toml").read_text(encoding="utf-8")


def experiment(number: int, reading: str, seed: int = 0) -> Experiment:
    """Return an experiment of the paper, in a reading."""
    if reading not in READINGS:
        raise InvalidInput("the reading", reading, f"one of {', '.join(READINGS)}")
    as_written = replace(
        parse(text(number), f"{number}.toml", Path()),
        name=number,
        reading="written",
        seed=(seed, number),
    )
    return as_written if reading == "written" else _released(as_written)


def _released(written: Experiment) -> Experiment:
    return replace(
        written,
        reading="released",
        groups=tuple(
            replace(group, values=_as_released(group.values))
            for group in written.groups
            if isinstance(group, Group)
        ),
        policies={name: _released_policy(policy) for name, policy in written.policies.items()},
    )


def _as_released(values: Mapping[str, Value]) -> dict[str, Value]:
    mean, listed = values["mean"], values["variance"]
    return {"mean": RELEASED.get(mean, mean), "sd": RELEASED.get(listed, listed)}


def _released_policy(printed: Policy) -> Policy:
    if isinstance(printed, UCBEV):
        return ReleasedUCBEV(printed.factor)
    form = RELEASED_FORMS.get(type(printed))
    return form() if form else printed
