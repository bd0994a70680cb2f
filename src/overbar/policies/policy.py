"""What a policy is.

A policy is a few plain scalar functions in the paper's symbols and a table of rounds. It never sees
a reward: the simulator (which compiles the functions) and live use (which calls them) keep the
estimates and do what the functions say. One loop plays every policy:

    pull each arm `first_pulls` times, in order
    then, for each further pull t, until the budget T is spent or no arm is active:
        pull the active arm that `pick` names by chance, or else the one of lowest `index`
        delete every active arm of which `deleted` is true
        when t ≥ N_m:  settle the `settles` active arms farthest from τ
                       m ← m + 1,  N_m ← t + |B_m| ℓ_m;  after the last round, stop
    answer {i : r̂_i ≥ τ}

Equal indices go to the lowest arm number; `overbar.policies.ranking` says which are equal.
N_0 = K ℓ_0.
"""

from collections.abc import Callable, Sequence
from inspect import Parameter, signature
from typing import ClassVar, NamedTuple

from overbar.errors import InvalidInput
from overbar.problem import Problem


class Game(NamedTuple):
    """What a policy is told before it plays."""

    K: int  # arms
    T: int  # tries
    problem: Problem | None = None  # the truth: known in simulation, to those that ask for it


class Round(NamedTuple):
    """A stretch of play in which the constants of the index stay the same."""

    constants: tuple[float, ...]  # what the index takes after τ
    length: int  # ℓ_m: pulls for each active arm; T or more means until the budget is spent
    settles: int = 0  # how many arms, farthest from τ, are settled when it ends


def _never_deleted(n: int, r: float, v: float, tau: float, *constants: float) -> bool:
    return False


def _never_picked(u: float, K: int) -> int:
    return -1


class Policy:
    """The base of every policy: override `constants` and `index`, and the rest where it differs.

    The functions take `n`, the number of pulls of an arm; `r` and `v`, the mean and the variance of
    its rewards (both 0 before the first); `tau`, the threshold; and the constants of the round, by
    position. They may call functions of their own file and of `math`. The simulator compiles them
    with numba, so they may not use more of Python than numbers, branches and loops.
    """

    name: ClassVar[str]
    first_pulls: ClassVar[int] = 1

    #: index(n, r, v, tau, *constants): the active arm of lowest index is pulled next.
    index: ClassVar[Callable[..., float]]
    #: deleted(n, r, v, tau, *constants): whether an arm is clear, and pulled no more.
    deleted: ClassVar[Callable[..., bool]] = staticmethod(_never_deleted)
    #: pick(u, K): an arm by chance, u uniform in [0, 1), or -1 to leave the choice to the index.
    pick: ClassVar[Callable[..., int]] = staticmethod(_never_picked)

    def __init_subclass__(cls) -> None:
        if "name" not in cls.__dict__:
            cls.name = cls.__name__
        for name in ("index", "deleted", "pick"):
            if name in cls.__dict__ and not isinstance(cls.__dict__[name], staticmethod):
                raise TypeError(f"{cls.__name__}.{name} must be a @staticmethod, without self.")
        if not hasattr(cls, "index"):
            raise TypeError(f"{cls.__name__} has no index(n, r, v, tau, ...).")

    @property
    def picks(self) -> bool:
        """Whether chance has a say in what is pulled."""
        return self.pick is not Policy.pick

    @property
    def deletes(self) -> bool:
        """Whether arms are deleted at all."""
        return self.deleted is not Policy.deleted

    def check(self, game: Game) -> None:
        """Raise `InvalidInput`, or warn, where the policy cannot play this game, or not well."""

    def constants(self, game: Game) -> tuple[float, ...]:
        """Return what `index` takes after `tau`, for a policy of one round."""
        return ()

    def rounds(self, game: Game) -> Sequence[Round]:
        """Return the rounds; by default a single one that lasts."""
        return [Round(self.constants(game), length=game.T)]


def opened(policy: Policy, game: Game) -> tuple[Round, ...]:
    """Check that the policy can play the game, and return its rounds."""
    if not isinstance(policy, Policy):
        raise InvalidInput("a policy", policy, "an instance of a Policy, such as APT()")
    if game.T < game.K:
        raise InvalidInput(
            "the budget", game.T, f"at least {game.K}, the number of arms", "Each is tried once."
        )
    policy.check(game)
    rounds = tuple(policy.rounds(game))
    if not rounds:
        raise InvalidInput(f"the list of rounds of {policy.name}", [], "one round or more")
    for each in rounds:
        _check_takes(policy, "index", each)
        _check_takes(policy, "deleted", each)
        if len(each.constants) != len(rounds[0].constants):
            raise InvalidInput(
                f"a round of {policy.name}",
                each.constants,
                f"{len(rounds[0].constants)} constants, as its first round has",
            )
    return tuple(each._replace(length=min(each.length, game.T)) for each in rounds)


def _check_takes(policy: Policy, name: str, given: Round) -> None:
    """Check that a function takes n, r, v, tau and the constants of a round."""
    function = getattr(policy, name)
    if not hasattr(function, "__qualname__"):
        raise InvalidInput(f"the {name} of {policy.name}", function, "a function, made by def")
    takes = signature(function).parameters.values()
    if any(parameter.kind == Parameter.VAR_POSITIONAL for parameter in takes):
        return
    if len(given.constants) != len(takes) - 4:
        raise InvalidInput(
            f"a round of {policy.name}",
            given.constants,
            f"{len(takes) - 4} constants, as its {name} takes after tau",
        )
