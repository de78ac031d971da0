"""The tables that loops write: a row per correction, a row per entry of its Δ, and a tally of both.

Both tables are of float64, which holds integers up to 2**53 exactly. Loops append to the tables of the run's
book, and stop where these have no room left.
"""

from __future__ import annotations

from rosenblatt._types import Array
from rosenblatt.loops.compiling import merged

CORRECTION = ("when", "example", "head", "margin", "norm_squared", "wrong", "cost", "size")
ENTRY = ("correction", "row", "output", "amount")
TALLY = ("rounds", "corrections", "entries")

STRUCTURE = -1
"""The row id of an entry that moves one of the game's structure weights, and no row."""


@merged
def norm_squared(where: Array, amount: Array, count: int, gram: Array) -> float:
    """‖Φ(truth) − Φ(answer)‖² from inner products of the rows; structure weights are orthogonal to them."""
    total = 0.0
    for a in range(count):
        for b in range(count):
            if where[a, 1] != where[b, 1] or (where[a, 0] < 0) != (where[b, 0] < 0):
                continue
            similarity = 1.0 if where[a, 0] < 0 else gram[where[a, 0], where[b, 0]]
            total += amount[a] * amount[b] * similarity
    return total


@merged
def write(tables, line, where, amount, count, first, size):
    """Write the next correction and its entries, which move by size · amount; rows count from `first`."""
    corrections, entries, k, e = tables.corrections, tables.entries, tables.tally[1], tables.tally[2]
    for column in range(len(line)):
        corrections[k, column] = line[column]
    for a in range(count):
        entries[e + a, 0] = k
        entries[e + a, 1] = STRUCTURE if where[a, 0] < 0 else first + where[a, 0]
        entries[e + a, 2] = where[a, 1]
        entries[e + a, 3] = size * amount[a]
    tables.tally[1], tables.tally[2] = k + 1, e + count
