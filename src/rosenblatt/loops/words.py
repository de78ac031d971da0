"""Eight bytes of text at once, and instructions for words of 64 bits that NumPy does not have."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

WORD = ir.IntType(64)


def _pointer(context: Any, builder: Any, signature: Any, arguments: Any, size: int) -> Any:
    """A pointer to `size` bits at an index of an array of bytes."""
    view = context.make_array(signature.args[0])(context, builder, arguments[0])
    return builder.bitcast(builder.gep(view.data, [arguments[1]]), ir.IntType(size).as_pointer())


@intrinsic  # type: ignore[untyped-decorator]
def word_at(typing_context: Any, text: Any, at: Any) -> Any:
    """Eight bytes as one integer, little-endian; they must be within the array."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load(_pointer(context, builder, signature, arguments, 64), align=1)

    return types.uint64(text, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def byte_at(typing_context: Any, text: Any, at: Any) -> Any:
    """One byte; its index must be within the array, and is not counted from the end."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.zext(builder.load(_pointer(context, builder, signature, arguments, 8)), WORD)

    return types.int64(text, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def trailing_zeros(typing_context: Any, word: Any) -> Any:
    """How many bits are below the lowest that is set; 64 if none is."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], cgutils.false_bit)

    return types.int64(types.uint64), generate


@intrinsic  # type: ignore[untyped-decorator]
def leading_zeros(typing_context: Any, word: Any) -> Any:
    """How many bits are above the highest that is set; 64 if none is."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctlz(arguments[0], cgutils.false_bit)

    return types.int64(types.uint64), generate


@intrinsic  # type: ignore[untyped-decorator]
def high_product(typing_context: Any, a: Any, b: Any) -> Any:
    """The upper 64 bits of a product of two words; `*` returns the lower ones."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        wide = ir.IntType(128)
        product = builder.mul(*(builder.zext(argument, wide) for argument in arguments))
        return builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), WORD)

    return types.uint64(types.uint64, types.uint64), generate


@intrinsic  # type: ignore[untyped-decorator]
def float_of(typing_context: Any, bits: Any) -> Any:
    """The float64 that has these bits."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], ir.DoubleType())

    return types.float64(types.uint64), generate
