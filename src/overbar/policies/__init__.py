"""The policies, one file each. To add one: write its file, and list it here."""

from overbar.policies.anytime import AnytimeAugUCB
from overbar.policies.apt import APT
from overbar.policies.augucb import AugUCB
from overbar.policies.csar import CSAR
from overbar.policies.evt import EVT
from overbar.policies.fwt import FWT
from overbar.policies.likelihood_ratio import BernoulliLR, GaussianLR
from overbar.policies.lsa import LSA
from overbar.policies.policy import Game, Policy, Round
from overbar.policies.ucbe import UCBE
from overbar.policies.ucbev import UCBEV
from overbar.policies.uniform import UniformAllocation
from overbar.policies.until_sure import UntilSure

BUILT_IN: tuple[type[Policy], ...] = (
    *(AugUCB, APT, CSAR, UCBE, UCBEV, UniformAllocation),  # the paper's
    *(BernoulliLR, EVT, FWT, GaussianLR, LSA),  # published since
    *(AnytimeAugUCB, UntilSure),  # ours
)

__all__ = [
    "APT",
    "BUILT_IN",
    "CSAR",
    "EVT",
    "FWT",
    "LSA",
    "UCBE",
    "UCBEV",
    "AnytimeAugUCB",
    "AugUCB",
    "BernoulliLR",
    "Game",
    "GaussianLR",
    "Policy",
    "Round",
    "UniformAllocation",
    "UntilSure",
]
