"""Who plays in a comparison: policies as a user names them.

A name is one of the experiment's own policies or of Overbar's, as `AugUCB`. Parameters may follow,
as in `APT:epsilon=0.1` or `UCBEV:factor=4`; and for a policy that had another form in the paper's
released simulation, which of the two is meant: `AugUCB:printed`, `AugUCB:released`. Without a word
it is the form of the experiment's reading.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple
from warnings import catch_warnings, simplefilter

from overbar.errors import InvalidInput, OverbarWarning
from overbar.experiments.experiment import Experiment
from overbar.experiments.paper import RELEASED_FORMS
from overbar.experiments.toml_file import policy_named
from overbar.policies import BUILT_IN, Policy
from overbar.simulate.simulation import opening_block

FORMS: Mapping[str, tuple[type[Policy], ...]] = {
    "printed": BUILT_IN,
    "released": tuple(RELEASED_FORMS.get(policy, policy) for policy in BUILT_IN),
}
NAMES = tuple(policy.name for policy in BUILT_IN)


class Entered(NamedTuple):
    """An experiment with the policies that can play it; and why the others cannot."""

    experiment: Experiment
    absent: Mapping[str, str]


def entered(
    experiments: Sequence[Experiment], names: Sequence[str] | None, baseline: str | None = None
) -> list[Entered]:
    """Return the experiments with the named policies, and the baseline.

    Without names the paper's experiments, and those that have no policies of their own, are played
    by all of Overbar's, and the others by their own.
    """
    beside = [] if baseline is None else [baseline]
    _check(names or [], experiments)
    _check(beside, experiments)
    ready = []
    for experiment in experiments:
        wanted = _names_for(experiment) if names is None else names
        ready.append(_entered(experiment, [*dict.fromkeys([*wanted, *beside])]))
    if not any(each.experiment.policies for each in ready):
        why = next(why for each in ready for why in each.absent.values())
        raise InvalidInput("the list of policies that can play", [], "one policy or more", why)
    return ready


def _entered(experiment: Experiment, names: Sequence[str]) -> Entered:
    problem, policies, absent = experiment.problem(), {}, {}
    for name in names:
        try:
            policy = _policy(name, experiment)
            with catch_warnings():  # they are told when it is played
                simplefilter("ignore", OverbarWarning)
                opening_block(problem, policy, experiment.budget, experiment.seed)
        except InvalidInput as error:
            absent[name] = str(error)
        else:
            policies[name] = policy
    return Entered(replace(experiment, policies=policies), absent)


def _names_for(experiment: Experiment) -> list[str]:
    own = list(experiment.policies)
    if own and experiment.reading == "given":
        return own
    return [*own, *(name for name in NAMES if name not in own)]


def _check(names: Sequence[str], experiments: Sequence[Experiment]) -> None:
    """Check that each name means a policy in one of the experiments or more, and comes once."""
    own = {name for experiment in experiments for name in experiment.policies}
    for name in names:
        if names.count(name) > 1:
            raise InvalidInput("the policy", name, "unlike every other", "It came twice.")
        if name not in own:
            if name.partition(":")[0] not in NAMES:
                known = ", ".join(sorted({*own, *NAMES}))
                raise InvalidInput("the policy", name, f"one of {known}")
            built_in(name, reading="given")


def _policy(name: str, experiment: Experiment) -> Policy:
    if name in experiment.policies:
        return experiment.policies[name]
    return built_in(name, experiment.reading)


def built_in(said: str, reading: str) -> Policy:
    """Return the policy of Overbar's that is meant in that reading."""
    name, *words = said.split(":")
    form = "released" if reading == "released" else "printed"
    parameters: dict[str, object] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if equals:
            parameters[key] = _number(value)
        elif word in FORMS and name in {policy.name for policy in RELEASED_FORMS}:
            form = word
        else:
            raise InvalidInput(
                f"a word after {name}",
                word,
                "a parameter, such as epsilon=0.1; or printed or released",
                "Only AugUCB, UCBE and UCBEV have two forms.",
            )
    return policy_named(name, parameters, said, FORMS[form])


def _number(said: str) -> object:
    for kind in (int, float):
        try:
            return kind(said)
        except ValueError:
            continue
    return said
