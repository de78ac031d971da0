"""Compilation of loops, from functions of the library and of users' games and rules, and its cache on disk.

Numba's cache, and the names it gives to machine code, know a function by its file and name. So every loop has
a fingerprint in its name, of its code and of all that it calls: an edited loop is compiled again, and
two loops in one process cannot be confused.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from functools import cache
from pkgutil import get_data
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any, TypeVar, cast

import numpy as np
from numba import errors
from numba.extending import register_jitable

from rosenblatt.loops import fallbacks, instructions
from rosenblatt.loops.instructions import COUNTING, NO_COUNTING, PART, cached, when_compiling
from rosenblatt.loops.notices import NOTICES

Function = TypeVar("Function", bound=Callable[..., Any])


def is_ours(function: Callable[..., Any]) -> bool:
    """Whether a function is part of this library, and so trusted."""
    return str(getattr(function, "__module__", "")).partition(".")[0] == __name__.partition(".")[0]


def _began(function: Callable[..., Any], folder: str | None) -> None:
    """Report a loop of ours, and none of others."""
    if is_ours(function):
        NOTICES.began(function, folder)


when_compiling(_began, NOTICES.ended)


def compilable(function: Function) -> Function:
    """Let a module-level function be called from compiled loops; in Python it is unchanged.

    A function from outside this library raises IndexError past the end of an array when it is compiled, too.
    """
    checks = {} if is_ours(function) else {"boundscheck": True}
    return cast(Function, register_jitable(inline="never", **PART, **COUNTING, **checks)(function))


def merged(function: Function) -> Function:
    """Let a function that makes no arrays be called from loops, and become part of their machine code."""
    return inlined(function, **NO_COUNTING)


def inlined(function: Function, **options: Any) -> Function:
    """Let a function become part of the machine code of loops; one in a closure gets a name of its own."""
    if function.__closure__ is not None:
        function.__qualname__ = f"{function.__name__}_{fingerprint(function)}"
    return cast(Function, register_jitable(forceinline=True, **PART, **options)(function))


def viewing(function: Function) -> Function:
    """Let a function that makes arrays, or views of memory, become part of the machine code of loops."""
    return inlined(function, **COUNTING)


def summing(function: Function) -> Function:
    """Let a sum whose terms may be added in any order, and so several at a time, be called from loops.

    It makes no arrays. The order depends on the processor only: on one machine, the sum of the same numbers
    is always the same.
    """
    return inlined(function, fastmath={"reassoc"}, **NO_COUNTING)


def compiled(function: Function, **options: Any) -> Function:
    """Compile a loop on first call, keep the result on disk if possible, release the GIL while it runs.

    By default it makes no arrays.
    """
    function.__qualname__ = f"{function.__name__}_{fingerprint(function)}"
    return cast(Function, cached(function, **{"nogil": True, **NO_COUNTING, **options}))


def quick(function: Function) -> Function:
    """Compile a loop that makes arrays and holds the GIL: to release it and wait for it would take longer."""
    return compiled(function, nogil=False, **COUNTING)


def allocating(function: Function) -> Function:
    """Compile a loop that makes arrays."""
    return compiled(function, **COUNTING)


def fused(function: Function) -> Function:
    """Compile a loop in which a product and a sum may be one operation, rounded once."""
    return compiled(function, fastmath={"contract"})


def is_loaded(loop: Callable[..., Any]) -> bool:
    """Whether a compiled loop has run in this process; loading even a small one takes about 0.3 s.

    Without the compiler (NUMBA_DISABLE_JIT=1) a loop is a function, and never loaded.
    """
    return bool(getattr(loop, "overloads", ()))


MODULE_LEVEL = (
    "What loops are compiled from must be module-level functions marked with @rosenblatt.games.compilable, "
    "as must be all functions that they call."
)


def composed(*parts: Callable[..., Any], **options: Any) -> Callable[[Function], Function]:
    """Compile a loop that calls these functions, of which some may be a user's."""
    users = [part for part in parts if not is_ours(part)]
    for part in users:
        if isinstance(part, MethodType) or not hasattr(part, "__code__"):
            raise TypeError(f"{MODULE_LEVEL} Got {part!r:.100}.")

    def decorate(function: Function) -> Function:
        loop = compiled(function, **options)
        return cast(Function, UsersLoop(loop, users)) if users else loop

    return decorate


class UsersLoop:
    """A loop composed of users' functions: an error of the compiler names them."""

    def __init__(self, loop: Callable[..., Any], users: list[Callable[..., Any]]) -> None:
        self._loop = loop
        self._names = " or ".join(f"{each.__module__}.{each.__qualname__}" for each in users)

    def __call__(self, *arguments: Any) -> Any:
        """Call the loop, which is compiled the first time."""
        try:
            return self._loop(*arguments)
        except IndexError as error:
            raise IndexError(f"{self._names} uses an index past the end of an array ({error}).") from error
        except Exception as error:
            if not isinstance(error, errors.NumbaError) and is_loaded(
                self._loop
            ):  # a user's function raised it
                raise
            raise TypeError(
                f"{self._names} cannot be compiled: {_cause(error):.400}. Correct it. {MODULE_LEVEL}"
            ) from error

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loop, name)


def _cause(error: Exception) -> str:
    """Return the innermost cause of an error of the compiler, which reports the functions around it first."""
    if not isinstance(error, errors.NumbaError):
        return f"{type(error).__name__}: {error}"
    inner = str(error).rpartition("raised a specific error:")[2]
    reason = re.split(r"\n\s*(?:During:|raised from)", inner)[0]
    return " ".join(re.sub(r"(TypingError: )?Failed in nopython mode pipeline \(.*\)", "", reason).split())


CONSTANTS = (bool, int, float, str, tuple, np.generic)
"""Types of values that are compiled in."""

TRUSTED = ("numpy", "numba", "math", "builtins")
"""Modules whose functions the compiler translates by itself: their code is that of its version."""


def fingerprint(*functions: Callable[..., Any]) -> str:
    """Return a digest of these functions, of all they call and of how they are compiled."""
    digest, seen = hashlib.sha256(_own_code()), set[int]()
    pending: list[Any] = list(functions)
    while pending:
        function = pending.pop()
        if id(function) in seen:
            continue
        seen.add(id(function))
        digest.update(f"{function.__module__}.{function.__name__}".encode())
        _feed(digest, function.__code__)
        for name, value in _values_of(function):
            if isinstance(value, FunctionType):
                pending.append(value)
            elif isinstance(value, CONSTANTS):
                digest.update(f"{name} = {value!r}".encode())
            elif isinstance(value, np.ndarray):
                digest.update(name.encode() + value.tobytes())
            elif hasattr(value, "py_func"):  # a compiled loop
                pending.append(value.py_func)
            elif hasattr(value, "_fields"):  # a named tuple: its fields are read by position
                digest.update(f"{name}: {value._fields}".encode())
    return digest.hexdigest()[:20]


@cache
def _own_code() -> bytes:
    """Return the code that decides how functions are compiled, as bytes."""
    names = ("compiling.py", "fallbacks.py", "internals.py")
    sources = (get_data(__package__, name) for name in names)  # also from a zip archive
    return f"plain: {instructions.prefetch is fallbacks.prefetch}".encode() + b"".join(filter(None, sources))


def _values_of(function: Callable[..., Any]) -> list[tuple[str, Any]]:
    """Return what a function finds by name: global and enclosing variables, and attributes of modules."""
    code, found = function.__code__, function.__globals__
    enclosing = [] if function.__closure__ is None else [cell.cell_contents for cell in function.__closure__]
    names = _names(code)
    values = [(name, found[name]) for name in names if name in found]
    values += zip(code.co_freevars, enclosing, strict=True)
    modules = [module for _, module in values if isinstance(module, ModuleType) and not _is_trusted(module)]
    return values + [
        (name, getattr(module, name)) for module in modules for name in names if hasattr(module, name)
    ]


def _is_trusted(module: ModuleType) -> bool:
    return module.__name__.partition(".")[0] in TRUSTED


def _names(code: CodeType) -> list[str]:
    """Return the names of globals and attributes in a function and in those within it."""
    inner = [name for part in code.co_consts if isinstance(part, CodeType) for name in _names(part)]
    return [*code.co_names, *inner]


def _feed(digest: Any, code: CodeType) -> None:
    digest.update(code.co_code + repr(code.co_names).encode())
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            _feed(digest, constant)
        else:
            digest.update(repr(constant).encode())
