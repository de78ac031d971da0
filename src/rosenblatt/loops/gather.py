"""A copy of some rows of a CSR matrix."""

from __future__ import annotations

import numpy as np

from rosenblatt.loops.compiling import without_counting
from rosenblatt.loops.prefetch import ROW, VALUES, later
from rosenblatt.loops.sparse import prefetch_bounds, prefetch_rows


@without_counting
def gather(indptr, features, values, rows, starts, some_features, some_values):
    """Copy the features and values of these rows to the positions that `starts` gives."""
    for i in range(rows.shape[0]):
        prefetch_bounds(indptr, later(i, rows, ROW))
        soon = later(i, rows, VALUES)
        prefetch_rows(indptr, features, values, soon, soon)
        begin, to = np.uint64(indptr[rows[i]]), np.uint64(starts[i])
        size = np.uint64(starts[i + 1] - starts[i])
        for p in range(size):
            some_features[to + p] = features[begin + p]
        for p in range(size):
            some_values[to + p] = values[begin + p]
