"""One row that is packed in bytes: its score, and the round about it.

Its features are int32 and its values float64, in the order in which they came. To pass an array to compiled
code costs as much as to score a short row, so these loops take as few arrays as they can.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from rosenblatt.loops.book import write
from rosenblatt.loops.checking import checked_judge, checked_step
from rosenblatt.loops.compiling import composed, inlined, quick
from rosenblatt.loops.sparse import (
    FOUR,
    ONE,
    THREE,
    TWO,
    add_one,
    norm_of_rows,
    out_of_range,
    score_one,
    weighed,
)

PLAYED, NO_ROOM, FAILED = 0, 1, 2
"""The outcomes of a round; if it was not played, nothing has changed."""


@inlined
def unpacked(features, values):
    """Return the arrays of a packed row, without a copy, and the positions where it begins and ends."""
    numbers = np.frombuffer(values, np.float64)
    return np.frombuffer(features, np.int32), numbers, (0, len(numbers))


@inlined
def weighted(indices, numbers, p, weights, last):
    """Return a value times its weight, 0 if it has none; NaN and infinity propagate."""
    feature, value = weighed(indices, numbers, p, last)
    return value * weights[feature]


@quick
def score_row(features, values, weights, constant):
    """Return the score of a packed row; features that have no weight are ignored.

    The sums are those of `score_one`, in the same order: it is the score that the next round would see.
    """
    indices, numbers, bounds = unpacked(features, values)
    flat, last, end = weights.reshape(-1), np.uint32(weights.shape[0] - 1), np.uint64(bounds[1])
    fours = end & ~THREE
    first = second = third = 0.0
    fourth = constant * flat[last]
    for p in range(np.uint64(0), fours, FOUR):
        first += weighted(indices, numbers, p, flat, last)
        second += weighted(indices, numbers, p + ONE, flat, last)
        third += weighted(indices, numbers, p + TWO, flat, last)
        fourth += weighted(indices, numbers, p + THREE, flat, last)
    for p in range(fours, end):
        first += weighted(indices, numbers, p, flat, last)
    return (first + second) + (third + fourth)


@cache
def round_loop(judge: Any, step: Any) -> Any:
    """The round about one packed row, in a game with one output and one head."""
    parts = (judge, step)
    judge, step = checked_judge(judge), checked_step(step)

    @composed(*parts, judge, step, nogil=False)
    def play_round(
        features, values, truth, weights, delayed, constant, structure, required, parameters, most,
        corrections, entries, tally,
    ):  # fmt: skip
        """Play one round as `play_pass` does; the id of a row is the index of its round.

        A judge writes at most `most` entries. Returns PLAYED, NO_ROOM if the book has none, or FAILED if the
        row has no finite score, or a feature that has no weight, or the step is not finite.
        """
        indices, numbers, bounds = unpacked(features, values)
        flat, clock, k, e = weights.reshape(-1), tally[0] + 1, tally[1], tally[2]
        if out_of_range(bounds, indices, 0, flat.shape[0] - 1):
            return FAILED
        where, amount, scores = np.empty((most, 2), np.int64), np.empty(most), np.empty((1, 1))
        score_one(bounds, indices, numbers, 0, flat, constant, scores, 0)
        count, margin, wrong, cost = judge(scores, structure, truth, 0, required, where, amount)
        if not np.isfinite(scores[0, 0]) or not margin > -np.inf:
            return FAILED
        if wrong or margin < required * cost:
            if k == corrections.shape[0] or e + count > entries.shape[0]:
                return NO_ROOM
            norm = norm_of_rows(bounds, indices, numbers, (0,), constant, where, amount, count)
            size, missed = step(margin, norm, cost, parameters), 1.0 if wrong else 0.0
            if not np.isfinite(size):
                return FAILED
            line = (float(clock), float(clock - 1), 0.0, margin, norm, missed, cost, size)
            write(corrections, k, line, entries, e, where, amount, count, clock - 1, size)
            for a in range(count):
                change = size * amount[a]
                add_one(bounds, indices, numbers, 0, constant, 0, change, flat)
                add_one(bounds, indices, numbers, 0, constant, 0, clock * change, delayed.reshape(-1))
            tally[1], tally[2] = k + 1, e + count
        tally[0] = clock
        return PLAYED

    return play_round
