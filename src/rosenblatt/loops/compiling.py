"""Compilation of loops from the functions of a game and a rule, and fingerprints for their cache."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FunctionType, MethodType
from typing import Any, TypeVar, cast

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.errors import NumbaError
from numba.extending import intrinsic, register_jitable

from rosenblatt.loops.caching import cached

Function = TypeVar("Function", bound=Callable[..., Any])


def is_ours(function: Callable[..., Any]) -> bool:
    """Whether a function is part of this library, and so trusted."""
    return str(getattr(function, "__module__", "")).partition(".")[0] == __name__.partition(".")[0]


def compilable(function: Function) -> Function:
    """Let a module-level function be called from compiled loops; in Python it is unchanged.

    A function from outside this library raises IndexError past the end of an array when it is compiled, too.
    """
    register = register_jitable if is_ours(function) else register_jitable(boundscheck=True)
    return cast(Function, register(function))


def inlined(function: Function) -> Function:
    """Let a small function be called from compiled loops, inlined before they are compiled.

    A call would count references to every array it passes, which costs more than these functions.
    """
    return cast(Function, register_jitable(inline="always")(function))


def merged(function: Function) -> Function:
    """Let a function with loops and branches be called from compiled loops: compiled apart, then inlined.

    It makes no arrays. Inlined before compiling, such functions take minutes to compile.
    """
    return cast(Function, register_jitable(forceinline=True, _nrt=False)(function))


def summing(function: Function) -> Function:
    """Let a sum whose terms may be added in any order, and so several at a time, be called from loops.

    It makes no arrays. The order depends on the processor only: on one machine, the sum of the same numbers
    is always the same.
    """
    return cast(Function, register_jitable(forceinline=True, _nrt=False, fastmath={"reassoc"})(function))


def compiled(function: Function, **options: Any) -> Function:
    """Compile a loop on first call, keep the result on disk if possible, release the GIL while it runs."""
    return cast(Function, cached(function, **{"nogil": True, **options}))


def quick(function: Function) -> Function:
    """Compile a loop that holds the GIL: it takes less time than to release it and wait for it again."""
    return compiled(function, nogil=False)


def without_counting(function: Function) -> Function:
    """Compile a loop that makes no arrays, and so need not count references to them.

    Counting costs more than the work itself where small functions with branches are inlined in a loop.
    """
    return compiled(function, _nrt=False)


def fused(function: Function) -> Function:
    """Compile a loop in which a product and a sum may be one operation, rounded once."""
    return compiled(function, fastmath={"contract"})


def is_loaded(loop: Callable[..., Any]) -> bool:
    """Whether a compiled loop has run in this process; loading even a small one takes about 0.3 s."""
    return bool(cast(Any, loop).signatures)


CACHE_LINE = 64
READ, FIRST_CACHE, SECOND_CACHE, DATA = 0, 3, 2, 1


@intrinsic  # type: ignore[untyped-decorator]
def prefetch(typing_context: Any, array: Any, line: Any) -> Any:
    """Prefetch the first two cache lines of a row of an array, which will be read soon."""
    return types.void(array, line), _prefetching(FIRST_CACHE)


@intrinsic  # type: ignore[untyped-decorator]
def prefetch_for_later(typing_context: Any, array: Any, line: Any) -> Any:
    """Prefetch into the second cache only: in the first it would evict what is read until then."""
    return types.void(array, line), _prefetching(SECOND_CACHE)


def _prefetching(cache: int) -> Callable[..., Any]:
    """Return the code generator of a prefetch into this cache."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        integer, byte = ir.IntType(64), ir.PointerType(ir.IntType(8))
        view = context.make_array(signature.args[0])(context, builder, arguments[0])
        stride = cgutils.unpack_tuple(builder, view.strides)[0]
        index = context.cast(builder, arguments[1], signature.args[1], types.int64)
        start = builder.add(builder.ptrtoint(view.data, integer), builder.mul(index, stride))
        flags = [ir.IntType(32)] * 3
        hint = builder.module.declare_intrinsic(
            "llvm.prefetch", [byte], ir.FunctionType(ir.VoidType(), [byte, *flags])
        )
        for ahead in (0, CACHE_LINE):
            pointer = builder.inttoptr(builder.add(start, ir.Constant(integer, ahead)), byte)
            builder.call(hint, [pointer, *(ir.Constant(flags[0], flag) for flag in (READ, cache, DATA))])
        return context.get_dummy_value()

    return generate


def composed(*parts: Callable[..., Any], **options: Any) -> Callable[[Function], Function]:
    """Compile a loop that is composed of these functions, under a name with a fingerprint of their code.

    Numba's cache, and the names it gives to machine code, know a function in a closure by its name only.
    Under one name, a loop of an edited game would be served from before the edit, and of two loops
    in one process the second might run the code of the first.
    """
    users = [part for part in parts if not is_ours(part)]

    def decorate(function: Function) -> Function:
        function.__qualname__ = f"{function.__name__}_{fingerprint(function, *parts)}"
        loop = compiled(function, **options)
        return cast(Function, UsersLoop(loop, users)) if users else loop

    return decorate


MODULE_LEVEL = (
    "What loops are compiled from must be module-level functions marked with @rosenblatt.games.compilable, "
    "as must be all functions that they call."
)


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
            if not isinstance(error, NumbaError) and is_loaded(self._loop):  # a user's function raised it
                raise
            raise TypeError(
                f"{self._names} cannot be compiled: {_cause(error):.400}. Correct it. {MODULE_LEVEL}"
            ) from error

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loop, name)


def _cause(error: Exception) -> str:
    """Return the innermost cause of an error of the compiler, which reports the functions around it first."""
    if not isinstance(error, NumbaError):
        return f"{type(error).__name__}: {error}"
    inner = str(error).rpartition("raised a specific error:")[2]
    reason = re.split(r"\n\s*(?:During:|raised from)", inner)[0]
    return " ".join(re.sub(r"(TypingError: )?Failed in nopython mode pipeline \(.*\)", "", reason).split())


def fingerprint(*functions: Callable[..., Any]) -> str:
    """Return a digest of these functions, all they call, and this module."""
    digest, seen = hashlib.sha256(Path(__file__).read_bytes()), set[int]()
    pending: list[Any] = list(functions)
    while pending:
        function = pending.pop()
        if id(function) in seen:
            continue
        seen.add(id(function))
        if isinstance(function, MethodType) or not hasattr(function, "__code__"):
            raise TypeError(f"{MODULE_LEVEL} Got {function!r:.100}.")
        digest.update(f"{function.__module__}.{function.__qualname__}".encode())
        _feed(digest, function.__code__)
        for name in function.__code__.co_names:
            value = function.__globals__.get(name)
            if isinstance(value, FunctionType):
                pending.append(value)
            elif isinstance(
                value, bool | int | float | str | tuple | np.generic
            ):  # compiled in as a constant
                digest.update(f"{name} = {value!r}".encode())
    return digest.hexdigest()[:20]


def _feed(digest: Any, code: CodeType) -> None:
    digest.update(code.co_code)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            _feed(digest, constant)
        else:
            digest.update(repr(constant).encode())
