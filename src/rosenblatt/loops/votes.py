"""Every guess of a run, one after the other, as running sums over similarities to the corrected rows.

All rounds go through the guesses side by side: scores are (outputs × rows), and an entry of a correction adds
one row of the similarities (corrected rows × rows) to one of them.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from rosenblatt._types import Floats, Ints
from rosenblatt.loops.blocks import add_scaled
from rosenblatt.loops.compiling import allocating, composed


class Entries(NamedTuple):
    """The entries of corrections: those of the j-th lie between bounds[j] and bounds[j + 1].

    An entry adds amount · φ(row) to an output; `support` is its index in the support set, or −1 if the
    entry moves the structure weight `output`.
    """

    bounds: Ints
    support: Ints
    output: Ints
    amount: Floats


@cache
def vote_loop(ballot: Any) -> Any:
    """The voting loop for this game's ballot."""

    @composed(ballot)
    def vote(starts, similarities, scores, structure, head, ended, standing, entries, tally):
        """Let every guess vote as often as it answered.

        `ended[j]` is how many rounds the guess that the j-th correction refuted had answered,
        `standing[t]` that of the guess that no correction of head t refuted.
        """
        entries = Entries(*entries)
        for j in range(head.shape[0]):
            ballot(scores, structure, starts, head[j], ended[j], tally)
            for a in range(entries.bounds[j], entries.bounds[j + 1]):
                index, output, amount = entries.support[a], entries.output[a], entries.amount[a]
                if index < 0:
                    structure[output] += amount
                else:
                    add_scaled(scores[output], amount, similarities[index])
        for t in range(standing.shape[0]):
            ballot(scores, structure, starts, t, standing[t], tally)

    return vote


@allocating
def pick(starts, similarities, scores, structure, head, drawn, entries):
    """Turn the scores and structure weights (… × rounds) of v_0 into those of the guess drawn for each round.

    `drawn` (heads × rounds) is how many corrections of its head that guess includes.
    """
    entries = Entries(*entries)
    passed = np.zeros(drawn.shape[0], np.int64)
    for j in range(head.shape[0]):
        passed[head[j]] += 1
        for i in range(starts.shape[0] - 1):
            if passed[head[j]] > drawn[head[j], i]:
                continue
            for a in range(entries.bounds[j], entries.bounds[j + 1]):
                index, output, amount = entries.support[a], entries.output[a], entries.amount[a]
                if index < 0:
                    structure[output, i] += amount
                else:
                    for r in range(starts[i], starts[i + 1]):
                        scores[output, r] += amount * similarities[index, r]
