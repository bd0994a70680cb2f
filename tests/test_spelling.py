"""A policy that was agreed is the one that plays on, and no other of its name."""

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import overbar as ob


@dataclass(frozen=True)
class Other(ob.APT):
    """One of the user's own, by a name of Overbar's."""

    name = "APT"


def test_another_policy_than_was_agreed_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "overbar.db"
    ob.Campaign.create("c", ["a", "b"], 0.5, 9, database=file, policy=ob.APT()).close()
    ob.Campaign.open("c", file, ob.APT(epsilon=0.05)).close()
    with pytest.raises(ob.InvalidInput, match=r"APT\(epsilon=0.3\), but must be the APT .*0.05"):
        ob.Campaign.open("c", file, ob.APT(epsilon=0.3))
    with pytest.raises(ob.InvalidInput, match="must be the APT of Overbar's"):
        ob.Campaign.open("c", file, Other())


def test_a_policy_of_one_s_own_is_not_taken_for_overbar_s(tmp_path: Path) -> None:
    file = tmp_path / "overbar.db"
    ob.Campaign.create("c", ["a", "b"], 0.5, 9, database=file, policy=Other()).close()
    with pytest.raises(ob.InvalidInput, match="is 'APT', but must be given, for it is your"):
        ob.Campaign.open("c", file)
    with pytest.raises(ob.InvalidInput, match="must be the APT of your own"):
        ob.Campaign.open("c", file, ob.APT())
    ob.Campaign.open("c", file, Other()).close()
    saved = ob.Sampler(Other(), ["a", "b"], 0.5, 9).to_json()
    with pytest.raises(ob.InvalidInput, match="for it is your own"):
        ob.Sampler.from_json(saved)


@pytest.mark.parametrize("epsilon", [np.float32(0.125), Fraction(1, 8), np.float64(0.125)])
def test_numbers_of_every_kind_are_saved(tmp_path: Path, epsilon: float) -> None:
    file, policy = tmp_path / "overbar.db", ob.APT(epsilon=epsilon)
    ob.Campaign.create("c", ["a", "b"], 0.5, 9, database=file, policy=policy).close()
    for given in (None, policy):
        with ob.Campaign.open("c", file, given) as campaign:
            assert campaign.terms.policy == ob.APT(epsilon=0.125)
    sampler = ob.Sampler(policy, ["a", "b"], 0.5, 9)
    assert ob.Sampler.from_json(sampler.to_json()).policy == ob.APT(epsilon=0.125)
