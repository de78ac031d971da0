"""What a loop writes down: one line per correction, one line per entry of its Δ.

Both are tables of float64, which holds whole numbers up to 2**53 exactly, so that a loop carries
two growing arrays and not ten.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt._types import Array, Floats
from rosenblatt.loops.compiling import inlined

CORRECTION = ("when", "example", "track", "margin", "norm_squared", "wrong", "size")
ENTRY = ("correction", "row", "output", "amount")

OFFSET = -1
"""The row number of an entry that moves one of the game's own offsets: such an entry sees no row."""


def blank(rounds: int) -> tuple[Floats, Floats]:
    """An empty table of corrections and one of entries, with room for one or two in each round."""
    return np.empty((rounds, len(CORRECTION))), np.empty((2 * rounds, len(ENTRY)))


@inlined
def room(table: Any, needed: int) -> Any:
    """The table, or a larger copy if it has no room for so many lines."""
    if needed <= table.shape[0]:
        return table
    larger = np.empty((max(needed, 2 * table.shape[0]), table.shape[1]))
    larger[: table.shape[0]] = table
    return larger


@inlined
def norm_squared(where: Array, amount: Array, count: int, gram: Array) -> float:
    """‖Φ(truth) − Φ(answer)‖² from the inner products of the rows; offsets are orthogonal to all else."""
    total = 0.0
    for a in range(count):
        for b in range(count):
            if where[a, 1] != where[b, 1] or (where[a, 0] < 0) != (where[b, 0] < 0):
                continue
            similarity = 1.0 if where[a, 0] < 0 else gram[where[a, 0], where[b, 0]]
            total += amount[a] * amount[b] * similarity
    return total


@inlined
def write(corrections, k, line, entries, e, where, amount, count, first, size):
    """Write the k-th correction and its entries, which move by size · amount; rows count from `first`."""
    corrections, entries = room(corrections, k + 1), room(entries, e + count)
    for column in range(len(line)):
        corrections[k, column] = line[column]
    for a in range(count):
        entries[e + a, 0] = k
        entries[e + a, 1] = where[a, 0] if where[a, 0] < 0 else first + where[a, 0]
        entries[e + a, 2] = where[a, 1]
        entries[e + a, 3] = size * amount[a]
    return corrections, entries
