"""The rounds of one block, played one after the other on scores and a Gram matrix."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from rosenblatt._types import Array, Bools, Floats, Ints
from rosenblatt.loops.arguments import Stepping, Tables
from rosenblatt.loops.book import norm_squared, write
from rosenblatt.loops.checking import checked_judge, checked_step
from rosenblatt.loops.compiling import compiled, composed, merged


class BlockRounds(NamedTuple):
    """The rounds of a block: where each begins, the truths of its rows, and a weight per round and head."""

    starts: Ints
    truths: Array
    weights: Floats


class BlockScratch(NamedTuple):
    """The entries a judge writes, the Gram matrix of a block, and which of its rows are known and wanted."""

    where: Ints
    amount: Floats
    gram: Array
    known: Bools
    wanted: Bools


@merged
def add_scaled(total, factor, values):
    """Total += factor · values, in float64 whatever the values are."""
    for r in range(total.shape[0]):
        total[r] += factor * values[r]


@merged
def mark_missing(scratch, first, count):
    """Mark the rows of the Gram matrix that entries need and that are unknown; return whether none is."""
    ready = True
    for a in range(count):
        row = scratch.where[a, 0]
        if row >= 0 and not scratch.known[first + row]:
            scratch.wanted[first + row] = True
            ready = False
    return ready


@merged
def add_correction(scores, structure, scratch, first, count, size):
    """Add size · amount of every entry to the scores of all rows of the block, or to a structure weight."""
    for a in range(count):
        row, output, change = scratch.where[a, 0], scratch.where[a, 1], size * scratch.amount[a]
        if row < 0:
            structure[output] += change
        else:
            add_scaled(scores[output], change, scratch.gram[first + row])


@cache
def block_loop(judge: Any, step: Any) -> Any:
    """The loop for this game and this rule."""
    parts = (judge, step)
    judge, step = checked_judge(judge), checked_step(step)

    @composed(*parts)
    def play_block(turn, heads, rounds, scores, structure, scratch, stepping, slack, tables):
        """Play from `turn` (round × heads + head) to the end, or to a correction it cannot make.

        `scores` (outputs × rows) is updated by every correction for all rows of the block.
        If a correction needs a row of the Gram matrix that is not known, nothing more is corrected: the
        rows that would be, or whose margin is below `slack` and may soon be, are marked as wanted.
        If the book has no room for it, neither. Returns the turn to resume at, or −1 at the end; or
        −2 − round, if the scores of a round are not finite, or the verdict or the step cannot be used.
        """
        rounds, scratch = BlockRounds(*rounds), BlockScratch(*scratch)
        stepping, tables = Stepping(*stepping), Tables(*tables)
        starts, tally, required = rounds.starts, tables.tally, stepping.required
        stopped = -1
        for turn_now in range(turn, (starts.shape[0] - 1) * heads):
            i, head = turn_now // heads, turn_now % heads
            first, last = starts[i], starts[i + 1]
            count, margin, wrong, cost = judge(
                scores[:, first:last].T, structure, rounds.truths[first:last], head, required, scratch.where,
                scratch.amount,
            )  # fmt: skip
            if not margin > -np.inf:  # NaN; a round that cannot go wrong may have an infinite margin
                stopped = -2 - i if stopped < 0 else stopped  # else it is judged again, once its turn comes
                break
            at_risk = stopped >= 0 and margin < slack
            if not (wrong or margin < required * cost or at_risk) or rounds.weights[turn_now] == 0.0:
                continue
            room = tally[1] < tables.corrections.shape[0] and tally[2] + count <= tables.entries.shape[0]
            if not (mark_missing(scratch, first, count) and stopped < 0 and room):
                stopped = turn_now if stopped < 0 else stopped
                continue
            norm = norm_squared(scratch.where, scratch.amount, count, scratch.gram[first:last, first:last])
            size = step(margin, norm, cost, stepping.parameters) * rounds.weights[turn_now]
            if not abs(size) < np.inf:
                stopped = -2 - i
                break
            missed = 1.0 if wrong else 0.0
            line = (tally[0] + i + 1.0, float(i), float(head), margin, norm, missed, cost, size)
            write(tables, line, scratch.where, scratch.amount, count, first, size)
            add_correction(scores, structure, scratch, first, count, size)
        return stopped

    return play_block


@compiled
def accumulate(similarities, index, output, amount, scores):
    """Add amount · similarities[index] to the scores (outputs × rows) of each output."""
    for a in range(index.shape[0]):
        add_scaled(scores[output[a]], amount[a], similarities[index[a]])
