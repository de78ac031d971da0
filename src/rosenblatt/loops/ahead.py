"""Asking for what later rounds will read while this one is played; nothing waits for it.

In an order that was drawn, rows stand all over memory, and are found by way of arrays each of which tells the
place in the next. So a round is approached in steps, one in each of the turns before its own.
"""

from __future__ import annotations

from rosenblatt.loops.compiling import inlined, prefetch

STARTS, INDEX, ROW, NUMBERS = 8, 6, 4, 2
"""How many turns ahead each step is taken."""

FETCHED = 128
"""Numbers of a round that are asked for: the machine has seen by then that they stand in a line."""

APART = 16
"""Numbers that are asked for at once."""


@inlined
def later(turn, order, ahead):
    """The round that is played so many turns later, or the last one."""
    return order[min(turn + ahead, order.shape[0] - 1)]


@inlined
def row_at(index, place):
    """The row at a place of the index, of which there is at least one; a round without rows may be beyond."""
    return index[max(min(place, index.shape[0] - 1), 0)]


@inlined
def approach(locate, fetch, turn, order, starts, index, truths, indptr, features, values):
    """Take the next step towards each of the rounds ahead."""
    prefetch(starts, later(turn, order, STARTS))
    prefetch(index, starts[later(turn, order, INDEX)])
    row = row_at(index, starts[later(turn, order, ROW)])
    prefetch(truths, row)
    locate(indptr, row)
    soon = later(turn, order, NUMBERS)
    fetch(indptr, features, values, row_at(index, starts[soon]), row_at(index, starts[soon + 1] - 1))
