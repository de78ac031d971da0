"""Inner products of all sparse rows of one matrix with all of another, as a dense matrix."""

from __future__ import annotations

import numpy as np

from rosenblatt.loops.compiling import compiled
from rosenblatt.loops.instructions import prefetch_for_later

FAR, NEAR = 12, 4
"""How many features ahead the bounds of a feature's rows are prefetched, and these rows."""


@compiled
def add_products(by_row, by_feature, dense, result):
    """Add ⟨x, z⟩ to `result` (rows x × rows z), leaving out the features that `dense` marks, if any.

    The rows x are CSR arrays, the rows z CSC ones: those that have a feature lie between `begins[feature]`
    and `begins[feature + 1]` of `rows`, and their values in `entries`.
    """
    indptr, features, values = by_row
    begins, rows, entries = by_feature
    last = np.uint32(max(features.shape[0] - 1, 0))
    for i in range(result.shape[0]):
        for p in range(np.uint32(indptr[i]), np.uint32(indptr[i + 1])):
            prefetch_for_later(begins, features[min(p + np.uint32(FAR), last)])
            soon = begins[np.uint32(features[min(p + np.uint32(NEAR), last)])]
            prefetch_for_later(rows, soon)
            prefetch_for_later(entries, soon)
            feature = np.uint32(features[p])
            if dense.shape[0] > 0 and dense[feature]:
                continue
            value = values[p]
            for q in range(np.uint32(begins[feature]), np.uint32(begins[feature + np.uint32(1)])):
                result[i, np.uint32(rows[q])] += value * entries[q]
