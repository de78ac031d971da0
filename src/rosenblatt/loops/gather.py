"""A copy of some rows of a CSR matrix."""

from __future__ import annotations

import numpy as np

from rosenblatt.loops.arguments import Csr
from rosenblatt.loops.compiling import compiled
from rosenblatt.loops.sparse import ROW, VALUES, later, prefetch_bounds, prefetch_rows


@compiled
def gather(rows, which, copied):
    """Copy the features and values of these rows to the positions that `copied.starts` gives."""
    rows, copied = Csr(*rows), Csr(*copied)
    for i in range(which.shape[0]):
        prefetch_bounds(rows, later(i, which, ROW))
        soon = later(i, which, VALUES)
        prefetch_rows(rows, soon, soon)
        begin, to = np.uint64(rows.starts[which[i]]), np.uint64(copied.starts[i])
        size = np.uint64(copied.starts[i + 1] - copied.starts[i])
        for p in range(size):
            copied.features[to + p] = rows.features[begin + p]
        for p in range(size):
            copied.values[to + p] = rows.values[begin + p]
