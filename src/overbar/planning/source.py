"""Where a guess comes from: what is typed, an experiment, a pilot campaign, a log of rewards."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from overbar.errors import InvalidInput
from overbar.experiments import toml_file
from overbar.planning import spelled
from overbar.planning.guess import (
    Drawn,
    Guess,
    Logged,
    OfExperiment,
    Resampled,
    Scale,
    check_on_scale,
)
from overbar.planning.pilot import FEWEST, TRIED, Results, fitted

Rewards = Mapping[str, Sequence[float]]

LOUD = 0.1  # of the spread of the means of a log is luck: then it is said


@dataclass(frozen=True)
class Source:
    """A guess, and what is to be said of it."""

    words: str
    guess: Guess
    threshold: float | None = None  # if it has one
    indifference: float = 0.0
    scale: Scale = (0.0, 1.0)
    on_scale: bool = True  # or its rewards may lie anywhere
    note: str = ""


def typed(text: str, rewards: str, count: int | None, scale: Scale) -> Source:
    """Return the guess that is typed as beta:A,B and the like, or the name of an experiment."""
    if text.endswith(".toml"):
        experiment = toml_file.read(Path(text))
        return Source(
            f"the arms of {text}",
            _so_many(OfExperiment(experiment), count),
            *(experiment.threshold, experiment.indifference),
            on_scale=False,
        )
    means, pays = spelled.means(text), spelled.rewards(rewards)
    if count is None:
        raise InvalidInput("the number of arms", None, "given", "For example: --arms 300")
    guess = Drawn(means, pays, count, scale)
    return Source(f"means from {text}, rewards {rewards}", guess, scale=scale)


def logged(path: Path, count: int | None, scale: Scale) -> Source:
    """Return the arms of a log, each of which pays what it paid once more."""
    rewards = toml_file.read_log(path)
    guess = _so_many(Logged(rewards, scale), count)
    words, note = f"the arms of {path}, resampled", _luck(rewards, path)
    return Source(words, guess, scale=scale, note=note)


def pilot(name: str, database: str, count: int | None, scale: Scale) -> Source:
    """Return what a campaign tells of its arms, or a log of rewards whose name ends with .csv."""
    threshold = None
    if name.endswith(".csv"):
        rewards: Rewards = toml_file.read_log(Path(name))
        check_on_scale(rewards, scale)
    else:
        rewards, threshold, scale = _of_campaign(name, database)
    guess = fitted(name, Results.of(rewards, scale), count)
    words = f"arms like those of the pilot {name}" if count else f"the arms of the pilot {name}"
    return Source(words, guess, threshold, scale=scale, note=guess.in_words(scale[1] - scale[0]))


def _so_many(guess: Guess, count: int | None) -> Guess:
    return guess if count is None else Resampled(guess, count)


def _of_campaign(name: str, database: str) -> tuple[Rewards, float | None, Scale]:
    """Return the rewards of each arm, the bar of all arms, and the scale."""
    from overbar.campaigns.campaign import Campaign

    with Campaign.open(name, database) as campaign:
        arms = campaign.arms()
        rewards: list[list[float]] = [[] for _ in arms]
        asked: dict[int, int] = {}  # the arms of the tickets
        for event in campaign.export():
            if event.kind == "ask" and event.arm is not None:
                asked[event.seq] = event.arm
            elif event.reward is not None:
                arm = asked[event.ticket or 0] if event.arm is None else event.arm
                rewards[arm].append(event.reward)
        bars = set(arms.values())
        threshold = bars.pop() if len(bars) == 1 else None
        return dict(zip(arms, rewards, strict=True)), threshold, campaign.terms.scale


def _luck(rewards: Rewards, path: Path) -> str:
    """Say how much of the spread of the means is luck, where it is much."""
    n, mean, variance = (
        np.array([f(each) for each in rewards.values()], np.float64) for f in (len, np.mean, np.var)
    )
    spread = float(mean.var())
    if spread == 0:
        return ""
    if (n == 1).all():
        part = 1.0
    else:
        several = n > 1
        part = min(1.0, float((variance[several] / (n[several] - 1)).mean()) / spread)
    if part < LOUD:
        return ""
    said = (
        f"{100 * part:.0f} % of the variance of the logged means is luck of few tries: the arms are"
        " more alike than they look."
    )
    enough = np.count_nonzero(n >= TRIED) >= FEWEST  # or a pilot would be refused
    return said + (f" --pilot {path} allows for that." if enough else "")
