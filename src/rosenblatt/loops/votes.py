"""Every guess of a run, one after the other, as running sums over similarities to the corrected rows.

All rounds go through the guesses side by side: scores are (outputs × rows), and an entry of a correction adds
one row of the similarities (corrected rows × rows) to one of them.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from rosenblatt.loops.blocks import add_scaled
from rosenblatt.loops.compiling import compiled, composed


@cache
def vote_loop(ballot: Any) -> Any:
    """The voting loop for this game's ballot."""

    @composed(ballot)
    def vote(
        starts, similarities, scores, structure, head, ended, standing, bounds, index, output, amount, tally
    ):  # fmt: skip
        """Let every guess vote as often as it answered.

        `ended[j]` is how many rounds the guess that the j-th correction refuted had answered,
        `standing[t]` that of the guess that no correction of head t refuted.
        """
        for j in range(head.shape[0]):
            ballot(scores, structure, starts, head[j], ended[j], tally)
            for a in range(bounds[j], bounds[j + 1]):
                if index[a] < 0:
                    structure[output[a]] += amount[a]
                else:
                    add_scaled(scores[output[a]], amount[a], similarities[index[a]])
        for t in range(standing.shape[0]):
            ballot(scores, structure, starts, t, standing[t], tally)

    return vote


@compiled
def pick(starts, similarities, scores, structure, head, drawn, bounds, index, output, amount):
    """Turn the scores and structure weights (… × rounds) of v_0 into those of the guess drawn for each round.

    `drawn` (heads × rounds) is how many corrections of its head that guess includes.
    """
    passed = np.zeros(drawn.shape[0], np.int64)
    for j in range(head.shape[0]):
        passed[head[j]] += 1
        for i in range(starts.shape[0] - 1):
            if passed[head[j]] > drawn[head[j], i]:
                continue
            for a in range(bounds[j], bounds[j + 1]):
                if index[a] < 0:
                    structure[output[a], i] += amount[a]
                else:
                    for r in range(starts[i], starts[i + 1]):
                        scores[output[a], r] += amount[a] * similarities[index[a], r]
