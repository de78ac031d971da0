"""One pass over rounds in the primal, with lazy averaging.

Beside the weights w it keeps u = Σ when · correction; w − u / rounds is the average of all guesses.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.loops.book import STRUCTURE, write
from rosenblatt.loops.checking import checked_judge, checked_step
from rosenblatt.loops.compiling import composed, inlined, merged
from rosenblatt.loops.dense import (
    add_dense,
    clear_dense,
    never_out_of_range,
    norm_of_dense,
    prefetch_bounds_dense,
    prefetch_dense,
    prefetch_weights_dense,
    score_dense,
)
from rosenblatt.loops.prefetch import ROW, VALUES, prefetch_round
from rosenblatt.loops.sparse import (
    add_many,
    add_many_again,
    add_one,
    add_one_again,
    clear_many,
    clear_one,
    norm_of_rows,
    out_of_range,
    prefetch_bounds,
    prefetch_rows,
    prefetch_weights_many,
    prefetch_weights_one,
    score_many,
    score_many_again,
    score_one,
    score_one_again,
)

BEHIND = 10
"""Rounds by which the recent average may fall behind the current guess before it restarts."""


class Reading(NamedTuple):
    """The functions that read rows and weights; a pass is composed of one such set.

    A branch around an inlined function would make the loop count references to all arrays for every row.
    """

    prefetch_bounds: Any
    prefetch_rows: Any
    out_of_range: Any
    prefetch_weights: Any
    score: Any
    add: Any
    norm_of: Any
    score_again: Any
    add_again: Any
    clear: Any


ONE = Reading(
    prefetch_bounds, prefetch_rows, out_of_range, prefetch_weights_one, score_one, add_one, norm_of_rows,
    score_one_again, add_one_again, clear_one,
)  # fmt: skip
"""CSR rows, one output: one weight per feature."""

MANY = Reading(
    prefetch_bounds, prefetch_rows, out_of_range, prefetch_weights_many, score_many, add_many, norm_of_rows,
    score_many_again, add_many_again, clear_many,
)  # fmt: skip
"""CSR rows, a row of weights per feature."""

DENSE = Reading(
    prefetch_bounds_dense, prefetch_dense, never_out_of_range, prefetch_weights_dense, score_dense, add_dense,
    norm_of_dense, score_dense, add_dense, clear_dense,
)  # fmt: skip
"""Dense rows, a vector of weights per output."""


@inlined
def row_of(entries, a, first_row):
    """The row of an entry; below 0 if it moves a structure weight."""
    return int(entries[a, 1]) - first_row


@inlined
def delay(
    prefetch_bounds, prefetch_rows, add, indptr, features, values, first_row, constant, corrections, entries,
    begin, end, delayed,
):  # fmt: skip
    """Add entries of the book to u: when · change · φ(x) for each."""
    for a in range(begin, end):
        prefetch_bounds(indptr, row_of(entries, min(a + ROW, end - 1), first_row))
        soon = row_of(entries, min(a + VALUES, end - 1), first_row)
        if soon >= 0:
            prefetch_rows(indptr, features, values, soon, soon)
        if entries[a, 1] != STRUCTURE:
            row, output = row_of(entries, a, first_row), int(entries[a, 2])
            change = corrections[int(entries[a, 0]), 0] * entries[a, 3]
            add(indptr, features, values, row, constant, output, change, delayed)


@merged
def average_of(scores, others, structure, sum_structure, length, after, average, average_structure):
    """Write the scores and structure weights of the recent average, `after` rounds after its restart."""
    share = 1.0 / (float(after) * float(after + 1)) if after > 0 else 0.0
    for r in range(length):
        for o in range(scores.shape[1]):
            average[r, o] = scores[r, o] - others[r, o] * share
    for j in range(structure.shape[0]):
        average_structure[j] = structure[j] - sum_structure[j] * share


@merged
def falls_behind(behind, head, wrong, average_wrong):
    """Count a round that both have answered; returns whether the average is to be restarted."""
    if average_wrong and not wrong:
        behind[head] += 1
    elif wrong and not average_wrong and behind[head] > 0:
        behind[head] -= 1
    return behind[head] >= BEHIND


@cache
def delay_loop(reading: Reading) -> Any:
    """The loop that brings u up to date, for the background worker."""
    prefetch_bounds, prefetch_rows, add = reading.prefetch_bounds, reading.prefetch_rows, reading.add

    @composed(prefetch_bounds, prefetch_rows, add, delay)
    def delay_entries(
        indptr, features, values, first_row, constant, corrections, entries, begin, end, delayed
    ):
        delay(
            prefetch_bounds, prefetch_rows, add, indptr, features, values, first_row, constant, corrections,
            entries, begin, end, delayed,
        )  # fmt: skip

    return delay_entries


@cache
def pass_loop(judge: Any, step: Any, reading: Reading, recent: bool = False) -> Any:
    """The pass for a game, a rule and a way to read rows; if `recent`, it follows the recent average."""
    prefetch_bounds, prefetch_rows, out_of_range, prefetch_weights, score, add, norm_of, *again = reading
    score_again, add_again, clear = again
    parts = (judge, step, *reading, average_of, falls_behind)
    judge, step = checked_judge(judge), checked_step(step)

    @composed(*parts, judge, step)
    def play_pass(
        begin, order, starts, index, indptr, features, values, truths, sample_weights, longest, width,
        heads, outputs, weights, delayed, constant, structure, required, parameters, first_example, first_row,
        corrections, entries, tally, followed,
    ):  # fmt: skip
        """Play the rounds of `order` from `begin`, to the end or until the book has no room for another.

        The rows of round i are those at `index[starts[i]:starts[i + 1]]`, at most `longest`, for which a
        judge writes at most `width` entries. Without sample weights (an empty array) every round counts 1.
        Then bring `delayed`, which is u, up to date, unless it is empty. Returns the round to resume
        at; or −1 − row if a row has no finite score, or a feature that has no weight, or if the
        verdict or the step cannot be used, with nothing changed by its round.

        `followed` is what `engine.recent` keeps: sums, those of structure weights, since, behind.
        """
        where, amount = np.empty((width, 2), np.int64), np.empty(width)
        scores, truth = np.empty((longest, outputs)), np.empty(longest, truths.dtype)
        clock, k, e = tally[0], tally[1], tally[2]
        stopped = order.shape[0]
        sums, sum_structure, since, behind = followed
        others, average = (np.empty_like(scores), np.empty_like(scores)) if recent else (scores, scores)
        average_structure = structure.copy() if recent else structure
        unread, unread_amount = (where.copy(), amount.copy()) if recent else (where, amount)
        for turn in range(begin, order.shape[0]):
            if k + heads > corrections.shape[0] or e + heads * width > entries.shape[0]:
                stopped = turn
                break
            i = order[turn]
            first, last = starts[i], starts[i + 1]
            if index.shape[0] > 0:  # else all rounds are without rows
                prefetch_round(
                    prefetch_bounds, prefetch_rows, turn, order, starts, index, truths, indptr, features,
                    values,
                )  # fmt: skip
            for r in range(last - first):
                row = index[first + r]
                if out_of_range(indptr, features, row, weights.shape[0] - 1):
                    stopped = -1 - row
                    break
                prefetch_weights(indptr, features, index[min(first + r + 1, last - 1)], weights)
                score(indptr, features, values, row, weights, constant, scores, r)
                if recent:
                    score_again(indptr, features, values, row, sums, constant, others, r)
                truth[r] = truths[row]
                if not np.isfinite(scores[r, 0]):
                    stopped = -1 - row
            if stopped < 0:
                break
            clock, known = clock + 1, k
            for head in range(heads):
                if last - first == longest:  # no views, which cost as much as a short row
                    count, margin, wrong, cost = judge(
                        scores, structure, truth, head, required, where, amount
                    )
                else:
                    count, margin, wrong, cost = judge(
                        scores[: last - first],
                        structure,
                        truth[: last - first],
                        head,
                        required,
                        where,
                        amount,
                    )
                if not margin > -np.inf:  # NaN; a round that cannot go wrong may have an infinite margin
                    stopped = -1 - index[first] if last > first else -1
                    break
                weight = sample_weights[i] if sample_weights.shape[0] > 0 else 1.0
                late = False
                if recent and weight != 0.0:
                    length, after = last - first, clock - 1 - since[head]
                    average_of(
                        scores, others, structure, sum_structure, length, after, average, average_structure
                    )
                    _, _, average_wrong, _ = judge(
                        average[:length], average_structure, truth[:length], head, 0.0, unread, unread_amount
                    )
                    late = falls_behind(behind, head, wrong, average_wrong)
                if not (wrong or margin < required * cost) or weight == 0.0:
                    if recent and late:
                        clear(sums, sum_structure, head, heads)
                        since[head], behind[head] = clock, 0
                    continue
                rows = index[first:last]
                norm = norm_of(indptr, features, values, rows, constant, where, amount, count)
                size = step(margin, norm, cost, parameters) * weight
                if not abs(size) < np.inf:
                    stopped = -1 - rows[0] if last > first else -1
                    break
                example, missed = float(first_example + i), 1.0 if wrong else 0.0
                line = (float(clock), example, float(head), margin, norm, missed, cost, size)
                write(corrections, k, line, entries, e, where, amount, count, 0, size)
                for a in range(count):
                    output, change = where[a, 1], size * amount[a]
                    if where[a, 0] < 0:
                        structure[output] += change
                    else:
                        row = rows[where[a, 0]]
                        entries[e + a, 1] = first_row + row
                        add(indptr, features, values, row, constant, output, change, weights)
                    if recent:
                        later = change * (float(clock - since[head]) * float(clock - since[head] + 1))
                        if where[a, 0] < 0:
                            sum_structure[output] += later
                        else:
                            add_again(indptr, features, values, row, constant, output, later, sums)
                if recent and late:
                    clear(sums, sum_structure, head, heads)
                    since[head], behind[head] = clock, 0
                k, e = k + 1, e + count
            if stopped < 0:
                clock -= 1 if k == known else 0  # else a head has moved, and the round counts
                break
        if delayed.shape[0] > 0:
            delay(
                prefetch_bounds, prefetch_rows, add, indptr, features, values, first_row, constant,
                corrections, entries, tally[2], e, delayed,
            )  # fmt: skip
        tally[0], tally[1], tally[2] = clock, k, e
        return stopped

    return play_pass
