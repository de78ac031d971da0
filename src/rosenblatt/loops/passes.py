"""One pass over rounds in the primal, with lazy averaging.

Beside the weights w it keeps u = Σ when · correction; w − u / rounds is the average of all guesses.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.loops.arguments import Csr, Dense, First, Following, Scratch, Shown, Stepping, Tables, Weights
from rosenblatt.loops.book import STRUCTURE, write
from rosenblatt.loops.checking import checked_judge, checked_step
from rosenblatt.loops.compiling import composed, merged
from rosenblatt.loops.dense import (
    add_dense,
    clear_dense,
    norm_of_dense,
    prefetch_no_bounds,
    prefetch_values,
    score_dense,
    square_of_vector,
)
from rosenblatt.loops.instructions import prefetch_for_later
from rosenblatt.loops.sparse import (
    INDEX,
    ROW,
    STARTS,
    VALUES,
    add_many,
    add_one,
    clear_many,
    clear_one,
    norm_of_few,
    norm_of_many,
    prefetch_bounds,
    prefetch_nothing,
    prefetch_rows,
    prefetch_weights,
    score_many,
    score_one,
    square_of_row,
)

BEHIND = 10
"""Rounds by which the recent average may fall behind the current guess before it restarts."""


class Reading(NamedTuple):
    """The functions that read rows and weights; a pass is composed of one such set."""

    group: Any
    prefetch_bounds: Any
    prefetch_rows: Any
    prefetch_weights: Any
    score: Any
    add: Any
    square: Any
    norm_of_few: Any
    norm_of_many: Any
    clear: Any


ONE = Reading(
    Csr, prefetch_bounds, prefetch_rows, prefetch_nothing, score_one, add_one, square_of_row, norm_of_few,
    norm_of_many, clear_one,
)  # fmt: skip
"""CSR rows, one output: one weight per feature."""

MANY = ONE._replace(prefetch_weights=prefetch_weights, score=score_many, add=add_many, clear=clear_many)
"""CSR rows, a row of weights per feature."""

DENSE = Reading(
    Dense, prefetch_no_bounds, prefetch_values, prefetch_nothing, score_dense, add_dense, square_of_vector,
    norm_of_dense, norm_of_dense, clear_dense,
)  # fmt: skip
"""Dense rows, a vector of weights per output."""


@merged
def average_of(scores, structure, following, length, after):
    """Write the scores and structure weights of the recent average, `after` rounds after its restart."""
    share = 1.0 / (float(after) * float(after + 1)) if after > 0 else 0.0
    for r in range(length):
        for o in range(scores.shape[1]):
            following.average[r, o] = scores[r, o] - following.scores[r, o] * share
    for j in range(structure.shape[0]):
        following.average_structure[j] = structure[j] - following.structure[j] * share


@merged
def falls_behind(behind, head, wrong, average_wrong):
    """Count a round that both have answered; returns whether the average is to be restarted."""
    if average_wrong and not wrong:
        behind[head] += 1
    elif wrong and not average_wrong and behind[head] > 0:
        behind[head] -= 1
    return behind[head] >= BEHIND


@merged
def restart(following, head, heads, clock):
    """Restart the recent average of a head, whose sums are cleared, after this round."""
    if heads == 1:
        for j in range(following.structure.shape[0]):
            following.structure[j] = 0.0
    following.since[head], following.behind[head] = clock, 0


@cache
def delay_loop(reading: Reading) -> Any:
    """The loop that brings u up to date after a pass, for the background worker."""
    group, prefetch_bounds, prefetch_rows, add = (
        reading.group,
        reading.prefetch_bounds,
        reading.prefetch_rows,
        reading.add,
    )

    @composed(add)
    def delay_entries(rows, tables, first_row, constant, begin, end, delayed):
        """Add entries of the book to u: when · change · φ(x) for each."""
        rows, tables = group(*rows), Tables(*tables)
        entries = tables.entries
        for a in range(begin, end):
            prefetch_bounds(rows, max(int(entries[min(a + ROW, end - 1), 1]) - first_row, 0))
            soon = max(int(entries[min(a + VALUES, end - 1), 1]) - first_row, 0)
            prefetch_rows(rows, soon, soon)
            if entries[a, 1] != STRUCTURE:
                row, output = int(entries[a, 1]) - first_row, int(entries[a, 2])
                add(
                    rows,
                    row,
                    constant,
                    output,
                    tables.corrections[int(entries[a, 0]), 0] * entries[a, 3],
                    delayed,
                )

    return delay_entries


class Parts(NamedTuple):
    """The parts of a pass that do not depend on game and rule."""

    prefetch_round: Any
    score_round: Any
    norm_of_round: Any
    correct: Any
    add_to_recent: Any


@cache
def parts_of(reading: Reading, single: bool, few: bool, vectors: bool) -> Parts:
    """The parts of passes that read rows in this way; `single`, `few` and `vectors` as in `pass_loop`."""
    _, prefetch_bounds, prefetch_rows, prefetch_weights, score, add, square, *norms, _ = reading
    norm_of = norms[0 if few else 1]

    @merged
    def prefetch_round(rows, shown, turn, weights):
        """Prefetch the next array of each of the rounds ahead; there must be rows."""
        order, starts, which = shown.order, shown.starts, shown.which
        left, last = order.shape[0] - 1 - turn, which.shape[0] - 1
        prefetch_for_later(starts, order[turn + (STARTS if left > STARTS else left)])
        prefetch_for_later(which, starts[order[turn + (INDEX if left > INDEX else left)]])
        first = starts[order[turn + (ROW if left > ROW else left)]]
        row = which[first if first < last else last]
        prefetch_for_later(shown.truths, row)
        prefetch_bounds(rows, row)
        soon = order[turn + (VALUES if left > VALUES else left)]
        first, end = starts[soon], starts[soon + 1]
        if end > first:
            prefetch_rows(rows, which[first], which[end - 1])
        if single:
            prefetch_weights(rows, which[starts[order[turn + (1 if left > 1 else left)]]], weights)

    @merged
    def score_round(rows, shown, i, weights, constant, scores, truth):
        """Write the scores and truths of a round; return 0, or −1 − row if a row has no finite score."""
        first, last = shown.starts[i], shown.starts[i + 1]
        for r in range(last - first):
            row = shown.which[first + r]
            if not single and first + r + 1 < last:
                prefetch_weights(rows, shown.which[first + r + 1], weights)
            if not score(rows, row, weights, constant, scores, r):
                return -1 - row
            if vectors:
                for column in range(truth.shape[1]):
                    truth[r, column] = shown.truths[row, column]
            else:
                truth[r] = shown.truths[row]
        return 0

    @merged
    def norm_of_round(rows, shown, i, constant, scratch, count):
        """‖Φ(truth) − Φ(answer)‖² of the entries that the judge has written."""
        first, last = shown.starts[i], shown.starts[i + 1]
        where, amount = scratch.where, scratch.amount
        if not single:
            return norm_of(rows, shown.which[first:last], constant, where, amount, count, scratch.delta)
        total, of_row = 0.0, constant * constant + square(rows, shown.which[first])
        for a in range(count):
            for b in range(count):
                if where[a, 1] == where[b, 1] and (where[a, 0] < 0) == (where[b, 0] < 0):
                    total += amount[a] * amount[b] * (1.0 if where[a, 0] < 0 else of_row)
        return total

    @merged
    def correct(rows, shown, i, guess, scratch, tables, count, size, first_row):
        """Add size · amount of every entry to the guess, and write its row id into the book."""
        where, entries, clock = scratch.where, tables.entries, float(tables.tally[0] + 1)
        first, e = shown.starts[i], tables.tally[2] - count
        for a in range(count):
            output, change = where[a, 1], size * scratch.amount[a]
            if where[a, 0] < 0:
                guess.structure[output] += change
            else:
                row = shown.which[first + where[a, 0]]
                entries[e + a, 1] = first_row + row
                add(rows, row, guess.constant, output, change, guess.current)
                if guess.delayed.shape[0] > 0:
                    add(rows, row, guess.constant, output, clock * change, guess.delayed)

    @merged
    def add_to_recent(rows, shown, i, constant, scratch, count, size, after, following):
        """Add after · (after + 1) · size · amount of every entry to the sums of the recent average."""
        where, factor, first = scratch.where, float(after) * float(after + 1), shown.starts[i]
        for a in range(count):
            later_change = size * scratch.amount[a] * factor
            if where[a, 0] < 0:
                following.structure[where[a, 1]] += later_change
            else:
                row = shown.which[first + where[a, 0]]
                add(rows, row, constant, where[a, 1], later_change, following.sums)

    return Parts(prefetch_round, score_round, norm_of_round, correct, add_to_recent)


@cache
def pass_loop(
    judge: Any,
    step: Any,
    reading: Reading,
    single: bool,
    few: bool,
    recent: bool,
    vectors: bool = False,
    by_head: bool = False,
) -> Any:
    """The pass for a game, a rule and a way to read rows.

    Parameters
    ----------
    single
        Whether every round shows one row.
    few
        Whether a judge writes at most `sparse.FEW` entries.
    recent
        Whether to follow the recent average.
    vectors
        Whether the truth about a row is a vector.
    by_head
        Whether there is a weight per round and head.
    """
    prefetch_round, score_round, norm_of_round, correct, add_to_recent = parts_of(
        reading, single, few, vectors
    )
    group, clear, users = reading.group, reading.clear, (judge, step)
    judge, step = checked_judge(judge), checked_step(step)

    @composed(*users)
    def play_pass(begin, heads, shown, rows, guess, stepping, tables, first, scratch, following):
        """Play the rounds of `shown.order` from `begin` to the end, or until the book has no more room.

        Returns the turn to resume at; or −1 − row if a row has no finite score, or a feature that has no
        weight, or if the verdict or the step cannot be used, with nothing changed by its round.
        """
        shown, rows, guess, stepping = Shown(*shown), group(*rows), Weights(*guess), Stepping(*stepping)
        tables, first, scratch = Tables(*tables), First(*first), Scratch(*scratch)
        if recent:
            following = Following(*following)
        order, starts, which, tally, required = (
            shown.order,
            shown.starts,
            shown.which,
            tables.tally,
            stepping.required,
        )
        where, amount, scores, truth = scratch.where, scratch.amount, scratch.scores, scratch.truth
        for turn in range(begin, order.shape[0]):
            room = tables.corrections.shape[0] - tally[1], tables.entries.shape[0] - tally[2]
            if room[0] < heads or room[1] < heads * where.shape[0]:
                return turn
            i = order[turn]
            length, example = starts[i + 1] - starts[i], float(first.example + i)
            if which.shape[0] > 0:  # else all rounds are without rows
                prefetch_round(rows, shown, turn, guess.current)
            failed = score_round(rows, shown, i, guess.current, guess.constant, scores, truth)
            if recent and failed == 0:
                failed = score_round(rows, shown, i, following.sums, guess.constant, following.scores, truth)
            if failed < 0:
                return failed
            clock, late = tally[0] + 1, False
            weight = shown.weights[i] if shown.weights.shape[0] > 0 else 1.0
            for head in range(heads):
                if by_head:
                    weight = shown.weights[i * heads + head]
                count, margin, wrong, cost = judge(
                    scores if single else scores[:length], guess.structure,
                    truth if single else truth[:length], head, required, where, amount,
                )  # fmt: skip
                norm, size = 0.0, 0.0
                if margin > -np.inf and (wrong or margin < required * cost) and weight != 0.0:
                    norm = norm_of_round(rows, shown, i, guess.constant, scratch, count)
                    size = step(margin, norm, cost, stepping.parameters) * weight
                if not margin > -np.inf or not abs(size) < np.inf:  # NaN; a margin may be ∞
                    return -1 - which[starts[i]] if length > 0 else -1
                if recent and weight != 0.0:
                    average_of(scores, guess.structure, following, length, clock - 1 - following.since[head])
                    _, _, average_wrong, _ = judge(
                        following.average[:length], following.average_structure, truth[:length], head, 0.0,
                        following.where, following.amount,
                    )  # fmt: skip
                    late = falls_behind(following.behind, head, wrong, average_wrong)
                if (wrong or margin < required * cost) and weight != 0.0:
                    line = (
                        float(clock),
                        example,
                        float(head),
                        margin,
                        norm,
                        1.0 if wrong else 0.0,
                        cost,
                        size,
                    )
                    write(tables, line, where, amount, count, 0, size)
                    correct(rows, shown, i, guess, scratch, tables, count, size, first.row)
                    if recent:
                        after = clock - following.since[head]
                        add_to_recent(rows, shown, i, guess.constant, scratch, count, size, after, following)
                if recent and late:
                    clear(following.sums, head, heads)
                    restart(following, head, heads, clock)
            tally[0] = clock
        return order.shape[0]

    return play_pass
