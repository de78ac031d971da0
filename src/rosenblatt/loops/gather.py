"""Some rows of a CSR matrix, copied in one go."""

from __future__ import annotations

import numpy as np

from rosenblatt.loops.ahead import NUMBERS, ROW, later
from rosenblatt.loops.compiling import without_counting
from rosenblatt.loops.sparse import fetch_rows, locate


@without_counting
def gather(indptr, features, values, rows, starts, some_features, some_values):
    """Copy the features and values of these rows to where `starts` says."""
    for i in range(rows.shape[0]):
        locate(indptr, later(i, rows, ROW))
        soon = later(i, rows, NUMBERS)
        fetch_rows(indptr, features, values, soon, soon)
        begin, to = np.uint64(indptr[rows[i]]), np.uint64(starts[i])
        size = np.uint64(starts[i + 1] - starts[i])
        for p in range(size):
            some_features[to + p] = features[begin + p]
        for p in range(size):
            some_values[to + p] = values[begin + p]
