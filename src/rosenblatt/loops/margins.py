"""The margin of one guess on every round."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from rosenblatt.loops.compiling import composed
from rosenblatt.loops.instructions import COUNTING


@cache
def margin_loop(judge: Any) -> Any:
    """The loop for this game: ⟨u, Φ(truth) − Φ(rival)⟩ as an array (rounds × heads).

    A judge writes at most `width` entries.
    """

    @composed(judge, **COUNTING)
    def margins(starts, truths, scores, structure, heads, width):
        where, amount = np.empty((width, 2), np.int64), np.empty(width)
        found = np.empty((starts.shape[0] - 1, heads))
        for i in range(starts.shape[0] - 1):
            first, last = starts[i], starts[i + 1]
            for t in range(heads):
                truth = truths[first:last]
                _, found[i, t], _, _ = judge(scores[first:last], structure, truth, t, 0.0, where, amount)
        return found

    return margins
