"""The policies, one file each. To add one: write its file, and list it here."""

from overbar.policies.apt import APT
from overbar.policies.augucb import AugUCB
from overbar.policies.csar import CSAR
from overbar.policies.policy import Game, Policy, Round
from overbar.policies.ucbe import UCBE
from overbar.policies.ucbev import UCBEV
from overbar.policies.uniform import UniformAllocation
from overbar.policies.until_sure import UntilSure

BUILT_IN: tuple[type[Policy], ...] = (APT, AugUCB, UCBE, UCBEV, CSAR, UniformAllocation, UntilSure)

__all__ = [
    "APT",
    "BUILT_IN",
    "CSAR",
    "UCBE",
    "UCBEV",
    "AugUCB",
    "Game",
    "Policy",
    "Round",
    "UniformAllocation",
    "UntilSure",
]
