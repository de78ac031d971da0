"""Numbers packed in bytes, which cost less to make and to hand to compiled code than arrays."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import repeat
from math import fsum, isfinite
from typing import Any

import numpy as np


class Packers(dict[int, Callable[..., bytes]]):
    """For every n that was asked for, a function that packs n numbers; it raises `NotNumbers` for others.

    Parameters
    ----------
    code
        The format of one number, as the module struct has it.
    """

    def __init__(self, code: str) -> None:
        super().__init__()
        self._code = code

    def __missing__(self, n: int) -> Callable[..., bytes]:
        self[n] = pack = struct.Struct(f"{n}{self._code}").pack
        return pack


NotNumbers = (struct.error, OverflowError)

INDICES, VALUES = Packers("i"), Packers("d")

UNKNOWN = -1
"""The index of a named feature that has no weight."""

UNKNOWNS = repeat(UNKNOWN)

ALL_BITS, PACKED_UNKNOWN = 255, INDICES[1](UNKNOWN)
"""One byte of UNKNOWN, which is found sooner, and all four, which no indices have in a row."""

SEQUENCES = (list, tuple, np.ndarray)
"""What most rows of numbers are."""

FLOAT64 = np.dtype(np.float64)


@lru_cache(maxsize=8)
def all_indices(width: int) -> bytes:
    """The indices of a row that has a value for every feature."""
    return np.arange(width, dtype=np.uint32).tobytes()


def packed_numbers(x: Any) -> bytes | None:
    """The values of a list of numbers or of an array with one dimension; None if x is anything else."""
    if type(x) is np.ndarray:
        if x.ndim != 1 or x.dtype.kind not in "fiub":
            return None
        return (x if x.dtype is FLOAT64 else x.astype(FLOAT64)).tobytes()
    if type(x) not in SEQUENCES:
        return None
    try:
        return VALUES[len(x)](*x)
    except NotNumbers:
        return None


def surely_finite(values: Iterable[float]) -> bool:
    """Whether all values are finite numbers; it may be False, too, if they are very large."""
    try:
        return isfinite(fsum(values))
    except (OverflowError, ValueError):
        return False
