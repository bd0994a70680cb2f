"""A policy's own kernel: the loop of `overbar.simulate.kernel` with the policy's functions in it.

They are compiled together, so that a step calls nothing. The kernels of the built-in policies are
kept on disk, where numba keeps what it compiled of the kernel's file, under a name that holds a
digest of the sources: after an edit to any of them, nothing old is found.
"""

import hashlib
import inspect
from collections.abc import Callable
from functools import cache
from threading import Lock
from types import FunctionType
from typing import Any

from numba import njit
from numba.core.dispatcher import Dispatcher

from overbar.policies import Policy
from overbar.simulate import kernel
from overbar.simulate.sources import code_digest

_compiling = Lock()  # one thread compiles; the others then find what it made


def kernel_of(policy: Policy, plain: bool) -> Callable[..., None]:
    """Return the kernel that plays the policy; a plain one where all arms are Gaussian."""
    with _compiling:
        return _kernel(policy.index, policy.deleted, policy.pick, plain)


@cache
def _kernel(
    index: Callable[..., float],
    deleted: Callable[..., bool],
    pick: Callable[..., int],
    plain: bool,
) -> Any:
    functions = (index, deleted, pick)
    made_of = [f"{function.__module__}.{function.__qualname__}" for function in functions]
    digest = hashlib.sha256(repr((made_of, plain, code_digest())).encode()).hexdigest()
    whose = f"{index.__qualname__}-{digest[:16]}"
    namespace = vars(kernel) | {
        "index": njit(_named(_with_constants(index), whose)),
        "deleted": njit(_named(_with_constants(deleted), whose)),
        "pick": _compiled(pick),
        "PICKS": pick is not Policy.pick,
        "PLAIN": plain,
    }
    for name in ("rank", "sweep"):
        namespace[name] = njit(_named(_again(vars(kernel)[name], namespace), whose))
    loop = _named(_again(kernel.play_loop, namespace), whose)
    if all(_is_ours(function) for function in functions):
        try:
            return njit(nogil=True, cache=True)(loop)
        except RuntimeError:  # there is no folder that can be written to
            pass
    return njit(nogil=True)(loop)


def _named(function: FunctionType, whose: str) -> FunctionType:
    """Give a function the name of its kernel.

    By the name numba finds the file it keeps, and the linker what a kernel calls: two functions of
    one name, one of them from a file, would be taken for the same.
    """
    function.__qualname__ = f"{function.__name__}-{whose}"
    return function


def _is_ours(function: Callable[..., Any]) -> bool:
    return function.__module__.startswith("overbar.")


@cache
def _compiled(function: Callable[..., Any]) -> Any:
    """Compile a policy's function, and the plain functions of its file that it calls.

    A division by zero raises in a user's function, as it does live. Ours do not divide by zero, and
    looking for it would take as long as the rest of the index.
    """
    if isinstance(function, Dispatcher):  # the user compiled it
        return function
    seen = function.__globals__
    called = {
        name: _compiled(seen[name])
        for name in function.__code__.co_names
        if isinstance(seen.get(name), FunctionType)
    }
    error_model = "numpy" if _is_ours(function) else "python"
    return njit(error_model=error_model)(_again(function, seen | called))


def _with_constants(function: Callable[..., Any]) -> FunctionType:
    """Return f(n, r, v, tau, one, two, …) as f(n, r, v, tau, constants, m).

    numba cannot spread an array over arguments, so there is a form for each number of them.
    """
    f = _compiled(function)
    parameters = inspect.signature(function).parameters.values()
    spreads = any(parameter.kind == parameter.VAR_POSITIONAL for parameter in parameters)
    forms = (
        lambda n, r, v, tau, c, m: f(n, r, v, tau),
        lambda n, r, v, tau, c, m: f(n, r, v, tau, c[m, 0]),
        lambda n, r, v, tau, c, m: f(n, r, v, tau, c[m, 0], c[m, 1]),
        lambda n, r, v, tau, c, m: f(n, r, v, tau, c[m, 0], c[m, 1], c[m, 2]),
        lambda n, r, v, tau, c, m: f(n, r, v, tau, c[m, 0], c[m, 1], c[m, 2], c[m, 3]),
        lambda n, r, v, tau, c, m: f(n, r, v, tau, c[m, 0], c[m, 1], c[m, 2], c[m, 3], c[m, 4]),
    )
    return forms[0 if spreads else len(parameters) - 4]


def _again(function: Any, namespace: dict[str, Any]) -> FunctionType:
    """Return the same function, with the names of the namespace as its global ones."""
    again = FunctionType(
        function.__code__, namespace, function.__name__, None, function.__closure__
    )
    again.__qualname__ = function.__qualname__
    return again
