"""Inner products of all sparse rows of one matrix with all of another, as a dense matrix."""

from __future__ import annotations

import numpy as np

from rosenblatt.loops.compiling import prefetch_for_later, without_counting

AHEAD = 4
"""Features by which the rows that have one are prefetched before they are read."""


@without_counting
def add_products(by_row, by_feature, dense, result):
    """Add ⟨x, z⟩ to `result` (rows x × rows z), leaving out the features that `dense` marks.

    Of the rows x there are the CSR arrays; of the rows z the CSC ones: which of them have a feature, between
    `begins[feature]` and `begins[feature + 1]` of `rows`, and their values in `entries`.
    """
    indptr, features, values = by_row
    begins, rows, entries = by_feature
    for i in range(result.shape[0]):
        first, last = np.uint64(indptr[i]), np.uint64(indptr[i + 1])
        for p in range(first, last):
            soon = np.uint32(features[min(p + np.uint64(AHEAD), last - np.uint64(1))])
            prefetch_for_later(rows, begins[soon])
            prefetch_for_later(entries, begins[soon])
            feature = np.uint32(features[p])
            if dense[feature]:
                continue
            value = values[p]
            for q in range(np.uint64(begins[feature]), np.uint64(begins[feature + 1])):
                result[i, np.uint32(rows[q])] += value * entries[q]
