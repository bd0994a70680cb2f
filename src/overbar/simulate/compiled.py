"""A policy's own kernel: the loop of `overbar.simulate.kernel` with the policy's functions in it.

They are compiled together, so that a step calls nothing. The kernels of the built-in policies are
kept on disk, where numba keeps what it compiled of the kernel's file, under a name that holds a
digest of the sources: after an edit to any of them, nothing old is found.
"""

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from pickle import UnpicklingError
from threading import Lock
from types import FunctionType
from typing import Any

from numba import njit
from numba.core.dispatcher import Dispatcher
from numba.core.errors import NumbaError

from overbar.errors import InvalidInput, OverbarError
from overbar.policies import Policy
from overbar.simulate import kernel
from overbar.simulate.sources import code_digest

_compiling = Lock()  # one thread compiles; the others then find what it made


Functions = tuple[Callable[..., float], Callable[..., bool], Callable[..., int]]


def kernel_of(policy: Policy, constants: int, plain: bool) -> Callable[..., None]:
    """Return the kernel that plays the policy; a plain one where all arms are Gaussian."""
    functions = (policy.index, policy.deleted, policy.pick)
    with _compiling:
        try:
            loop = _kernel(functions, tuple(map(_seen_by, functions)), constants, plain)
        except RecursionError:
            raise InvalidInput(
                f"a function that {policy.name} calls", "one that calls itself", "a plain one"
            ) from None

    def play(*arguments: Any) -> None:
        try:
            loop(*arguments)
        except (EOFError, UnpicklingError):  # what was kept of the kernel is torn
            for file in Path(loop.stats.cache_path).glob(f"*{loop.py_func.__qualname__}*"):
                file.unlink(missing_ok=True)
            loop(*arguments)
        except NumbaError as error:
            raise OverbarError(
                f"The functions of {policy.name} cannot be compiled: they may use numbers,"
                f" branches, loops, and functions of their file and of math. {_gist(error)}"
            ) from error

    return play


@cache
def _kernel(functions: Functions, seen: object, constants: int, plain: bool) -> Any:
    index, deleted, pick = functions
    made_of = [f"{function.__module__}.{function.__qualname__}" for function in functions]
    told = (made_of, constants, plain, code_digest())
    whose = f"{index.__qualname__}-{hashlib.sha256(repr(told).encode()).hexdigest()[:16]}"
    namespace = vars(kernel) | {
        "index": njit(_named(_with_constants(index, constants), whose)),
        "deleted": njit(_named(_with_constants(deleted, constants), whose)),
        "pick": _compiled(pick, _seen_by(pick)),
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


def _seen_by(function: Any) -> object:
    """Return what a function is made of: itself, and the values that its global names have now.

    In a notebook, they change, and the function with them.
    """
    if not isinstance(function, FunctionType):
        return function if isinstance(function, int | float | str | Dispatcher) else id(function)
    names = [name for name in function.__code__.co_names if name in function.__globals__]
    return function, *((name, _seen_by(function.__globals__[name])) for name in names)


def _gist(error: NumbaError) -> str:
    """Return the line of numba's long message that tells most."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return next((line for line in lines if not line.startswith("Failed in")), "")


@cache
def _compiled(function: Callable[..., Any], seen: object) -> Any:
    """Compile a policy's function, and the plain functions of its file that it calls.

    A division by zero raises in a user's function, as it does live. Ours do not divide by zero, and
    looking for it would take as long as the rest of the index.
    """
    if isinstance(function, Dispatcher):  # the user compiled it
        return function
    names = function.__globals__
    called = {
        name: _compiled(names[name], _seen_by(names[name]))
        for name in function.__code__.co_names
        if isinstance(names.get(name), FunctionType)
    }
    error_model = "numpy" if _is_ours(function) else "python"
    return njit(error_model=error_model)(_again(function, names | called))


def _with_constants(function: Callable[..., Any], count: int) -> FunctionType:
    """Return f(n, r, v, tau, one, two, …) as f(n, r, v, tau, constants, m).

    numba cannot spread an array over arguments, so there is a form for each number of them.
    """
    f = _compiled(function, _seen_by(function))
    forms = (
        lambda n, r, v, tau, c, m: f(n, r, v, tau),
        lambda n, r, v, tau, c, m: f(n, r, v, tau, c[m, 0]),
        lambda n, r, v, tau, c, m: f(n, r, v, tau, c[m, 0], c[m, 1]),
        lambda n, r, v, tau, c, m: f(n, r, v, tau, c[m, 0], c[m, 1], c[m, 2]),
        lambda n, r, v, tau, c, m: f(n, r, v, tau, c[m, 0], c[m, 1], c[m, 2], c[m, 3]),
        lambda n, r, v, tau, c, m: f(n, r, v, tau, c[m, 0], c[m, 1], c[m, 2], c[m, 3], c[m, 4]),
        lambda n, r, v, tau, c, m: f(
            n, r, v, tau, c[m, 0], c[m, 1], c[m, 2], c[m, 3], c[m, 4], c[m, 5]
        ),
    )
    if count >= len(forms):
        raise InvalidInput("the number of constants of a round", count, "at most 6 in simulation")
    return forms[count]


def _again(function: Any, namespace: dict[str, Any]) -> FunctionType:
    """Return the same function, with the names of the namespace as its global ones."""
    again = FunctionType(
        *(function.__code__, namespace, function.__name__),
        *(function.__defaults__, function.__closure__),
    )
    again.__kwdefaults__ = function.__kwdefaults__
    again.__qualname__ = function.__qualname__
    return again
