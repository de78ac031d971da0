"""The rounds of one block, played one after the other on scores and a Gram matrix."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from rosenblatt.loops.book import norm_squared, write
from rosenblatt.loops.checking import checked_judge, checked_step
from rosenblatt.loops.compiling import compiled, composed, inlined


@inlined
def add_scaled(total, factor, values):
    """Total += factor · values, in float64 whatever the values are."""
    for r in range(total.shape[0]):
        total[r] += factor * values[r]


@cache
def block_loop(judge: Any, step: Any) -> Any:
    """The loop for this game and this rule."""
    parts = (judge, step)
    judge, step = checked_judge(judge), checked_step(step)

    @composed(*parts, judge, step)
    def play_block(
        turn, heads, width, starts, truths, weights, scores, structure, gram, known, wanted,
        required, slack, parameters, corrections, entries, tally,
    ):  # fmt: skip
        """Play from `turn` (round × heads + head) to the end, or to a correction it cannot make.

        `scores` (outputs × rows) is updated by every correction for all rows of the block.
        If a correction needs a row of `gram` that is not `known`, nothing more is corrected: the
        rows that would be, or whose margin is below `slack` and may soon be, are marked in `wanted`.
        If the book has no room for it, neither. Returns the turn to resume at, or −1 at the end; or
        −2 − round, if the scores of a round are not finite, or the verdict or the step cannot be used.
        A judge writes at most `width` entries.
        """
        where, amount = np.empty((width, 2), np.int64), np.empty(width)
        stopped, k, e = -1, tally[1], tally[2]
        for turn_now in range(turn, (starts.shape[0] - 1) * heads):
            i, head = turn_now // heads, turn_now % heads
            first, last = starts[i], starts[i + 1]
            count, margin, wrong, cost = judge(
                scores[:, first:last].T, structure, truths[first:last], head, required, where, amount
            )
            if not margin > -np.inf:  # NaN; a round that cannot go wrong may have an infinite margin
                stopped = -2 - i if stopped < 0 else stopped  # else it is judged again, once its turn comes
                break
            at_risk = stopped >= 0 and margin < slack
            if not (wrong or margin < required * cost or at_risk) or weights[i] == 0.0:
                continue
            ready = stopped < 0 and k < corrections.shape[0] and e + count <= entries.shape[0]
            for a in range(count):
                if where[a, 0] >= 0 and not known[first + where[a, 0]]:
                    wanted[first + where[a, 0]] = True
                    ready = False
            if not ready:
                stopped = turn_now if stopped < 0 else stopped
                continue
            norm = norm_squared(where, amount, count, gram[first:last, first:last])
            size = step(margin, norm, cost, parameters) * weights[i]
            if not abs(size) < np.inf:
                stopped = -2 - i
                break
            missed = 1.0 if wrong else 0.0
            line = (tally[0] + i + 1.0, float(i), float(head), margin, norm, missed, cost, size)
            write(corrections, k, line, entries, e, where, amount, count, first, size)
            for a in range(count):
                if where[a, 0] < 0:
                    structure[where[a, 1]] += size * amount[a]
                else:
                    add_scaled(scores[where[a, 1]], size * amount[a], gram[first + where[a, 0]])
            k, e = k + 1, e + count
        tally[1], tally[2] = k, e
        return stopped

    return play_block


@compiled
def accumulate(similarities, index, output, amount, scores):
    """Add amount · similarities[index] to the scores (outputs × rows) of each output."""
    for a in range(index.shape[0]):
        add_scaled(scores[output[a]], amount[a], similarities[index[a]])
