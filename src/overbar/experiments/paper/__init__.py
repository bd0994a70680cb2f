"""The paper's six experiments, a TOML file each, as its text describes them."""

from dataclasses import replace
from importlib.resources import files
from pathlib import Path

from overbar.errors import InvalidInput
from overbar.experiments.experiment import Experiment
from overbar.experiments.toml_file import parse

NUMBERS = (1, 2, 3, 4, 5, 6)


def text(number: int) -> str:
    """Return the file of an experiment."""
    if number not in NUMBERS:
        raise InvalidInput("the experiment", number, "one of 1, 2, 3, 4, 5, 6")
    return files(__name__).joinpath(f"{number}.toml").read_text(encoding="utf-8")


def written(number: int, seed: int = 0) -> Experiment:
    """Return an experiment in the reading *written*: listed values are variances."""
    experiment = parse(text(number), f"{number}.toml", Path())
    return replace(experiment, seed=(seed, number))
