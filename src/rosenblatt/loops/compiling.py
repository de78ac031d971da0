"""How a game's and a rule's functions are compiled into a loop, and when the cached result is stale."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, TypeVar, cast

from numba import njit
from numba.extending import register_jitable

Function = TypeVar("Function", bound=Callable[..., Any])


def compilable(function: Function) -> Function:
    """Let a module-level function be called from compiled loops; from Python it stays what it is."""
    return cast(Function, register_jitable(function))


def inlined(function: Function) -> Function:
    """The same for a small part of a loop, which is written out where it is called.

    A call would count references to every array it passes, which costs more than what these parts do.
    """
    return cast(Function, register_jitable(inline="always")(function))


def compiled(function: Function) -> Function:
    """Compile a loop on first call, keep the result on disk, and release the GIL while it runs."""
    return cast(Function, njit(cache=True, nogil=True)(function))


def fingerprint(*functions: Callable[..., Any]) -> str:
    """What these functions, all they call, and the way they are compiled are made of.

    Numba's cache knows a function in a closure by its name only, so a loop composed of an edited
    game would be served from before the edit. A loop that closes over the fingerprint is not.
    """
    digest, seen = hashlib.sha256(Path(__file__).read_bytes()), set[int]()
    pending: list[Any] = list(functions)
    while pending:
        function = pending.pop()
        if not isinstance(function, FunctionType) or id(function) in seen:
            continue
        seen.add(id(function))
        _feed(digest, function.__code__)
        pending += [function.__globals__.get(name) for name in function.__code__.co_names]
    return digest.hexdigest()


def _feed(digest: Any, code: CodeType) -> None:
    digest.update(code.co_code)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            _feed(digest, constant)
        else:
            digest.update(repr(constant).encode())
