"""Asking for what later rounds will read while this one is played; nothing waits for the answer.

In an order that was drawn, rows stand all over memory, and are found by way of arrays each of which tells the
place in the next. So a round is approached in steps, one in each of the turns before its own.
"""

from __future__ import annotations

from rosenblatt.loops.compiling import inlined, prefetch_for_later

STARTS, INDEX, ROW, NUMBERS = 8, 6, 4, 2
"""How many turns ahead each step is taken."""

FETCHED = 128
"""Numbers that are asked for at most: after so many in a line the processor fetches on by itself."""

APART = 16
"""Numbers from one asking to the next, which is for two cache lines: so many of float64."""


@inlined
def later(turn, order, ahead):
    """What comes so many turns later in an order, or last."""
    return order[min(turn + ahead, order.shape[0] - 1)]


@inlined
def row_at(index, place):
    """The row at a place of an index that is not empty, or at the nearest: a round may have none."""
    return index[max(min(place, index.shape[0] - 1), 0)]


@inlined
def approach(locate, fetch_rows, turn, order, starts, index, truths, indptr, features, values):
    """Take the next step towards each of the rounds ahead; there must be rows."""
    prefetch_for_later(starts, later(turn, order, STARTS))
    prefetch_for_later(index, starts[later(turn, order, INDEX)])
    row = row_at(index, starts[later(turn, order, ROW)])
    prefetch_for_later(truths, row)
    locate(indptr, row)
    soon = later(turn, order, NUMBERS)
    fetch_rows(indptr, features, values, row_at(index, starts[soon]), row_at(index, starts[soon + 1] - 1))
