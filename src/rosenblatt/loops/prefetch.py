"""Prefetch the memory that later rounds will read while this one is played.

In a random order, rows are scattered over memory, and are found through several arrays, each an index into
the next. So a round is prefetched in steps, one array at a time, in the turns before its own.
"""

from __future__ import annotations

from rosenblatt.loops.compiling import inlined, prefetch_for_later

STARTS, INDEX, ROW, VALUES = 8, 6, 4, 2
"""How many turns ahead each array is prefetched."""

PREFETCHED = 128
"""Values of a row that are prefetched at most: after these the processor prefetches by itself."""

STRIDE = 16
"""Values from one prefetch to the next: two cache lines of float64."""


@inlined
def later(turn, order, ahead):
    """Return the element of an order that is `ahead` turns later, or the last."""
    return order[min(turn + ahead, order.shape[0] - 1)]


@inlined
def row_at(index, i):
    """Return index[i], i clipped to the range of an index that is not empty: a round may have no rows."""
    return index[max(min(i, index.shape[0] - 1), 0)]


@inlined
def prefetch_round(
    prefetch_bounds, prefetch_rows, turn, order, starts, index, truths, indptr, features, values
):
    """Prefetch the next array of each of the rounds ahead; there must be rows."""
    prefetch_for_later(starts, later(turn, order, STARTS))
    prefetch_for_later(index, starts[later(turn, order, INDEX)])
    row = row_at(index, starts[later(turn, order, ROW)])
    prefetch_for_later(truths, row)
    prefetch_bounds(indptr, row)
    soon = later(turn, order, VALUES)
    prefetch_rows(indptr, features, values, row_at(index, starts[soon]), row_at(index, starts[soon + 1] - 1))
