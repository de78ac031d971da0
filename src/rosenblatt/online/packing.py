"""Numbers packed into bytes, which are cheaper to make and to pass to compiled code than arrays."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import repeat
from math import fsum, isfinite
from typing import Any

import numpy as np


class Packers(dict[int, Callable[..., bytes]]):
    """A cache of functions by n: each packs n numbers, and raises one of `NotNumbers` for other values.

    Parameters
    ----------
    code
        The format of one number, as in the module struct.
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
"""One byte of UNKNOWN, which is faster to search for, and all four, which no valid indices contain."""

SEQUENCES = (list, tuple, np.ndarray)
"""The usual types of rows of numbers."""

FLOAT64 = np.dtype(np.float64)


@lru_cache(maxsize=8)
def all_indices(width: int) -> bytes:
    """Return the packed indices of a row that has a value for every feature."""
    return np.arange(width, dtype=np.uint32).tobytes()


def packed_numbers(x: Any) -> bytes | None:
    """Return the packed values of a list of numbers or a one-dimensional array; None for anything else."""
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
    """Return True only if all values are finite numbers; may return False for very large ones."""
    try:
        return isfinite(fsum(values))
    except (OverflowError, ValueError):
        return False
