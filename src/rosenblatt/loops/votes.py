"""Every guess of a run, one after the other, as a running sum over one row of similarities."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from rosenblatt.loops.compiling import compiled, composed, inlined


@inlined
def correct(scores, offsets, similarities, place, output, amount, begin, end):
    """Take the entries of one correction into the scores (rows × outputs) and the offsets of a round."""
    for a in range(begin, end):
        if place[a] < 0:
            offsets[output[a]] += amount[a]
            continue
        for r in range(scores.shape[0]):
            scores[r, output[a]] += amount[a] * similarities[r, place[a]]


@cache
def vote_loop(ballot: Any) -> Any:
    """The voting loop for this game's ballot."""

    @composed(ballot)
    def vote(
        starts, similarities, scores, offsets, track, ended, standing, bounds, place, output, amount, tally
    ):  # fmt: skip
        """Let every guess vote as often as it answered.

        `ended[j]` is how many rounds the guess that the j-th correction refuted had answered,
        `standing[t]` the same for the guess that no correction of track t refuted.
        """
        for i in range(starts.shape[0] - 1):
            first, last = starts[i], starts[i + 1]
            mine, moved = scores[first:last], offsets.copy()
            near, votes = similarities[first:last], tally[first:last]
            for j in range(track.shape[0]):
                ballot(mine, moved, track[j], ended[j], votes)
                correct(mine, moved, near, place, output, amount, bounds[j], bounds[j + 1])
            for t in range(standing.shape[0]):
                ballot(mine, moved, t, standing[t], votes)

    return vote


@compiled
def pick(starts, similarities, scores, moved, track, drawn, bounds, place, output, amount):
    """Turn the scores and offsets of v_0 into those of the guess drawn for each round (rounds × tracks)."""
    for i in range(starts.shape[0] - 1):
        first, last = starts[i], starts[i + 1]
        mine, near, own = scores[first:last], similarities[first:last], moved[i]
        passed = np.zeros(drawn.shape[1], np.int64)
        for j in range(track.shape[0]):
            if passed[track[j]] < drawn[i, track[j]]:
                passed[track[j]] += 1
                correct(mine, own, near, place, output, amount, bounds[j], bounds[j + 1])
