"""All that needs the internals of Numba and llvmlite; `loops/fallbacks.py` has the same without them.

Nothing else in the library imports from `llvmlite` or `numba.core`, or passes an option that Numba does not
document.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils, event
from numba.extending import intrinsic

COUNTING: dict[str, bool] = {"_nrt": True}
"""The option of a function that makes arrays: references to them are counted."""

NO_COUNTING: dict[str, bool] = {"_nrt": False}
"""The option of a function that makes no arrays: counting references often costs more than the work."""

CACHE_LINE = 64
READ, FIRST_CACHE, SECOND_CACHE, DATA = 0, 3, 2, 1
WORD = ir.IntType(64)


def when_compiling(call: Callable[[Callable[..., Any]], None]) -> None:
    """Call a function with every Python function whose compilation begins, from now on."""

    class Listener(event.Listener):  # type: ignore[misc]
        def on_start(self, occasion: Any) -> None:
            call(occasion.data["dispatcher"].py_func)

        def on_end(self, occasion: Any) -> None:
            pass

    event.register("numba:compile", Listener())


def instruction(function: Callable[..., Any]) -> Any:
    """Make an intrinsic that is the same in every process.

    Numba gives an intrinsic a random name when it is pickled, and the key of a loop in its cache holds the
    pickles of what the loop is composed of: with a random name no other process would find it.
    """
    made = intrinsic(function)
    made._set_uuid(f"{__name__}.{function.__name__}")  # noqa: SLF001
    return made


def _prefetching(cache: int) -> Callable[..., Any]:
    """Return the code generator of a prefetch into this cache."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        byte, flags = ir.PointerType(ir.IntType(8)), [ir.IntType(32)] * 3
        view = context.make_array(signature.args[0])(context, builder, arguments[0])
        stride = cgutils.unpack_tuple(builder, view.strides)[0]
        index = context.cast(builder, arguments[1], signature.args[1], types.int64)
        start = builder.add(builder.ptrtoint(view.data, WORD), builder.mul(index, stride))
        signature = ir.FunctionType(ir.VoidType(), [byte, *flags])
        hint = builder.module.declare_intrinsic("llvm.prefetch", [byte], signature)
        for ahead in (0, CACHE_LINE):
            pointer = builder.inttoptr(builder.add(start, ir.Constant(WORD, ahead)), byte)
            builder.call(hint, [pointer, *(ir.Constant(flags[0], flag) for flag in (READ, cache, DATA))])
        return context.get_dummy_value()

    return generate


@instruction
def prefetch(typing_context: Any, array: Any, line: Any) -> Any:
    """Prefetch the first two cache lines of a row of an array, which will be read soon."""
    return types.void(array, line), _prefetching(FIRST_CACHE)


@instruction
def prefetch_for_later(typing_context: Any, array: Any, line: Any) -> Any:
    """Prefetch into the second cache only: in the first it would evict what is read until then."""
    return types.void(array, line), _prefetching(SECOND_CACHE)


def _pointer(context: Any, builder: Any, signature: Any, arguments: Any, size: int) -> Any:
    """A pointer to `size` bits at an index of an array of bytes."""
    view = context.make_array(signature.args[0])(context, builder, arguments[0])
    return builder.bitcast(builder.gep(view.data, [arguments[1]]), ir.IntType(size).as_pointer())


@instruction
def word_at(typing_context: Any, text: Any, at: Any) -> Any:
    """Eight bytes as one integer, little-endian; they must be within the array."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load(_pointer(context, builder, signature, arguments, 64), align=1)

    return types.uint64(text, types.int64), generate


@instruction
def byte_at(typing_context: Any, text: Any, at: Any) -> Any:
    """One byte; its index must be within the array, and is not counted from the end."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.zext(builder.load(_pointer(context, builder, signature, arguments, 8)), WORD)

    return types.int64(text, types.int64), generate


@instruction
def trailing_zeros(typing_context: Any, word: Any) -> Any:
    """How many bits are below the lowest that is set; 64 if none is."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], cgutils.false_bit)

    return types.int64(types.uint64), generate


@instruction
def leading_zeros(typing_context: Any, word: Any) -> Any:
    """How many bits are above the highest that is set; 64 if none is."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctlz(arguments[0], cgutils.false_bit)

    return types.int64(types.uint64), generate


@instruction
def high_product(typing_context: Any, a: Any, b: Any) -> Any:
    """The upper 64 bits of a product of two words; `*` returns the lower ones."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        wide = ir.IntType(128)
        product = builder.mul(*(builder.zext(argument, wide) for argument in arguments))
        return builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), WORD)

    return types.uint64(types.uint64, types.uint64), generate
