"""One row that is packed in bytes: its score, and the round about it.

Its features are int32 and its values float64, in the order in which they came. To pass an array to compiled
code costs as much as to score a short row, so these loops take as few arrays as they can.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from rosenblatt.loops.arguments import Csr, Tables
from rosenblatt.loops.book import write
from rosenblatt.loops.checking import checked_judge, checked_step
from rosenblatt.loops.compiling import composed, merged, quick, viewing
from rosenblatt.loops.instructions import COUNTING
from rosenblatt.loops.sparse import FOUR, ONE, THREE, TWO, add_one, score_one, square_of_row, weighed

PLAYED, NO_ROOM, FAILED = 0, 1, 2
"""The outcomes of a round; if it was not played, nothing has changed."""


@viewing
def unpacked(features, values):
    """Return a packed row as CSR rows, without a copy."""
    numbers = np.frombuffer(values, np.float64)
    starts: Any = (0, len(numbers))
    return Csr(starts, np.frombuffer(features, np.int32), numbers, 0)


@merged
def weighted(rows, p, weights, last):
    """Return a value times its weight, 0 if it has none; NaN and infinity propagate."""
    feature, value = weighed(rows, p, last)
    return value * weights[feature]


@quick
def score_row(features, values, weights, constant):
    """Return the score of a packed row; features that have no weight are ignored.

    The sums are those of `score_one`, in the same order: it is the score that the next round would see.
    """
    rows = unpacked(features, values)
    flat, last, end = weights.reshape(-1), np.uint32(weights.shape[0] - 1), np.uint64(rows.starts[1])
    fours = end & ~THREE
    first = second = third = 0.0
    fourth = constant * flat[last]
    for p in range(np.uint64(0), fours, FOUR):
        first += weighted(rows, p, flat, last)
        second += weighted(rows, p + ONE, flat, last)
        third += weighted(rows, p + TWO, flat, last)
        fourth += weighted(rows, p + THREE, flat, last)
    for p in range(fours, end):
        first += weighted(rows, p, flat, last)
    return (first + second) + (third + fourth)


@cache
def round_loop(judge: Any, step: Any) -> Any:
    """The round about one packed row, in a game with one output and one head."""
    parts = (judge, step)
    judge, step = checked_judge(judge), checked_step(step)

    @composed(*parts, nogil=False, **COUNTING)
    def play_round(
        features, values, truth, weights, delayed, structure, numbers, most, corrections, entries, tally
    ):  # fmt: skip
        """Play one round as `play_pass` does; the id of a row is the index of its round.

        `numbers` are the constant, the margin that the rule requires, the weight of a correction, and the
        rule's parameters. A judge writes at most `most` entries. Work arrays are made here: to pass them
        would take longer. Returns PLAYED, NO_ROOM if the book has none, or FAILED if the row has no finite
        score, or a feature that has no weight, or the step is not finite.
        """
        tables, constant, required = Tables(corrections, entries, tally), numbers[0], numbers[1]
        weight = numbers[2]
        where, amount, scores = np.empty((most, 2), np.int64), np.empty(most), np.empty((1, 1))
        rows, flat, clock = unpacked(features, values), weights.reshape(-1), tally[0] + 1
        if not score_one(rows, 0, flat, constant, scores, 0):
            return FAILED
        count, margin, wrong, cost = judge(scores, structure, truth, 0, required, where, amount)
        if not margin > -np.inf:
            return FAILED
        if (wrong or margin < required * cost) and weight != 0.0:
            if tally[1] == corrections.shape[0] or tally[2] + count > entries.shape[0]:
                return NO_ROOM
            norm, square = 0.0, constant * constant + square_of_row(rows, 0)
            for a in range(count):
                for b in range(count):
                    norm += amount[a] * amount[b] * square
            size, missed = step(margin, norm, cost, numbers[3:]) * weight, 1.0 if wrong else 0.0
            if not np.isfinite(size):
                return FAILED
            line = (float(clock), float(clock - 1), 0.0, margin, norm, missed, cost, size)
            write(tables, line, where, amount, count, clock - 1, size)
            for a in range(count):
                change = size * amount[a]
                add_one(rows, 0, constant, 0, change, flat)
                add_one(rows, 0, constant, 0, clock * change, delayed.reshape(-1))
        tally[0] = clock
        return PLAYED

    return play_round
