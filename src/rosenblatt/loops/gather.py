"""Some rows of a CSR matrix, copied in one go."""

from __future__ import annotations

from rosenblatt.loops.compiling import compiled


@compiled
def gather(indptr, features, values, rows, starts, some_features, some_values):
    """Copy the features and values of these rows to where `starts` says."""
    for i in range(rows.shape[0]):
        begin = indptr[rows[i]]
        for p in range(starts[i + 1] - starts[i]):
            some_features[starts[i] + p] = features[begin + p]
            some_values[starts[i] + p] = values[begin + p]
