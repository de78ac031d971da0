"""Some rows of a CSR matrix, copied in one go."""

from __future__ import annotations

import numpy as np

from rosenblatt.loops.ahead import NUMBERS, ROW
from rosenblatt.loops.compiling import without_counting
from rosenblatt.loops.sparse import fetch, locate


@without_counting
def gather(indptr, features, values, rows, starts, some_features, some_values):
    """Copy the features and values of these rows to where `starts` says."""
    end = rows.shape[0] - 1
    for i in range(rows.shape[0]):
        locate(indptr, rows[min(i + ROW, end)])
        soon = rows[min(i + NUMBERS, end)]
        fetch(indptr, features, values, soon, soon)
        begin, at, size = (
            np.uint64(indptr[rows[i]]),
            np.uint64(starts[i]),
            np.uint64(starts[i + 1] - starts[i]),
        )
        for p in range(size):
            some_features[at + p] = features[begin + p]
        for p in range(size):
            some_values[at + p] = values[begin + p]
