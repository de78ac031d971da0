"""Some rows of a CSR matrix, copied in one go."""

from __future__ import annotations

import numpy as np

from rosenblatt.loops.compiling import compiled


@compiled
def gather(indptr, features, values, rows):
    """The three arrays of the matrix that has these rows."""
    starts = np.zeros(rows.shape[0] + 1, indptr.dtype)
    for i in range(rows.shape[0]):
        starts[i + 1] = starts[i] + indptr[rows[i] + 1] - indptr[rows[i]]
    some_features = np.empty(starts[-1], features.dtype)
    some_values = np.empty(starts[-1], values.dtype)
    for i in range(rows.shape[0]):
        for p in range(starts[i + 1] - starts[i]):
            some_features[starts[i] + p] = features[indptr[rows[i]] + p]
            some_values[starts[i] + p] = values[indptr[rows[i]] + p]
    return starts, some_features, some_values
