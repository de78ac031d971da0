"""Labels that come later: how the outputs of a game continue those of one for fewer labels."""

from __future__ import annotations

import numpy as np

from rosenblatt._types import Array
from rosenblatt.engine.outputs import Outputs
from rosenblatt.games import Binary, Game, MultiLabel


def continued(before: Array, after: Array, former: Game, game: Game) -> Outputs:
    """Return how the outputs of a game for some classes continue those of the former, for fewer.

    A score that tells two classes apart becomes the score of the second, and the opposite that of the first.
    """
    index = np.searchsorted(after, before)
    source, sign = np.full(game.outputs, -1), np.ones(game.outputs)
    if not isinstance(former, Binary):
        source[index] = np.arange(len(before))
    elif isinstance(game, Binary):  # there was one class, and so the score against all others
        source[:], sign[:] = 0, 1.0 if index[0] == 0 else -1.0
    else:
        source[index], sign[index] = 0, [-1.0, 1.0][: len(before)]
    heads = np.zeros(1, np.int64) if game.heads == 1 else source.copy()
    return Outputs(source, sign, heads, game.structure, np.empty(0, np.int64), index)


def appended(before: int, game: MultiLabel) -> Outputs:
    """Return how the outputs of a game for more labels continue those of one for the first `before`."""
    source = np.full(game.labels, -1)
    source[:before] = np.arange(before)
    none = np.empty(0, np.int64)
    return Outputs(source, np.ones(game.labels), source.copy(), game.structure, none, source[:before].copy())
