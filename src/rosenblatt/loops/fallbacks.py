"""What `loops/internals.py` has, with nothing but Numba's public interface: slower, and the same results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit
from numba.extending import register_jitable

from rosenblatt.loops.notices import NOTICES

COUNTING: dict[str, bool] = {}
NO_COUNTING: dict[str, bool] = {}
PART: dict[str, Any] = {}

BYTE, HALF, LOW = np.uint64(8), np.uint64(32), np.uint64(0xFFFFFFFF)
ONE = np.uint64(1)


def cached(function: Callable[..., Any], **options: Any) -> Any:
    """Compile a loop on first call, and keep its code as Numba does, if it finds a folder to write."""
    try:
        return njit(cache=True, **options)(function)
    except RuntimeError as fault:
        NOTICES.not_kept(str(fault))
        return njit(**options)(function)


def when_compiling(
    began: Callable[[Callable[..., Any], str | None], None], ended: Callable[[], None]
) -> None:
    """Do nothing: when a function is compiled is not known without Numba's internals."""


@register_jitable
def prefetch(array, line):
    """Do nothing: the processor prefetches by itself, later."""


@register_jitable
def prefetch_for_later(array, line):
    """Do nothing, as `prefetch`."""


@register_jitable
def byte_at(text, at):
    """One byte."""
    return np.int64(text[at])


@register_jitable
def word_at(text, at):
    """Eight bytes as one integer, little-endian; they must be within the array."""
    word = np.uint64(0)
    for i in range(8):
        word = (word << BYTE) | np.uint64(text[at + 7 - i])
    return word


@register_jitable
def trailing_zeros(word):
    """How many bits are below the lowest that is set; 64 if none is."""
    count = 0
    while count < 64 and (word >> np.uint64(count)) & ONE == np.uint64(0):
        count += 1
    return count


@register_jitable
def leading_zeros(word):
    """How many bits are above the highest that is set; 64 if none is."""
    count = 0
    while count < 64 and (word >> np.uint64(63 - count)) & ONE == np.uint64(0):
        count += 1
    return count


@register_jitable
def high_product(a, b):
    """The upper 64 bits of a product of two words, from products of their halves."""
    low = (a & LOW) * (b & LOW)
    middle = (a >> HALF) * (b & LOW) + (low >> HALF)
    other = (a & LOW) * (b >> HALF) + (middle & LOW)
    return (a >> HALF) * (b >> HALF) + (middle >> HALF) + (other >> HALF)
