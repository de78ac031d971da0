"""The precomputed kernel: a kernel matrix given as data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from rosenblatt._types import Array
from rosenblatt.kernels.base import Domain, Kernel
from rosenblatt.rows import Rows, rows_of


@dataclass(frozen=True)
class Precomputed(Kernel):
    """The kernel whose matrix is the data: row i holds k(x_i, z) for every training row z.

    The similarity to a training row is looked up in its column, so only the ids of support vectors are kept.

    Examples
    --------
    >>> from rosenblatt.rows import Rows
    >>> gram = np.array([[2.0, 1.0], [1.0, 5.0]])
    >>> rows = rows_of(gram)
    >>> Precomputed().between(rows, rows.take(slice(1, 2)))
    array([[1.],
           [5.]])
    """

    inner = False

    @property
    def domain(self) -> Domain:
        """Rows of a precomputed matrix."""
        return "precomputed"

    def between(self, A: Rows, B: Rows) -> Array:
        """Return the columns of the training rows B."""
        self._check_columns(A, B)
        if sp.issparse(A.data):
            return np.asarray(A.data[:, B.ids].toarray(order="C"))
        return np.take(A.data, B.ids, axis=1)

    def diagonal(self, A: Rows) -> Array:
        """Return each row's entry in its own column; training rows only."""
        self._check_columns(A, A)
        return np.asarray(A.data[np.arange(len(A)), A.ids]).ravel()

    def stored(self, rows: Rows) -> Rows:
        """Keep the ids of rows and none of their contents."""
        return rows_of(np.empty((len(rows), 0), rows.data.dtype), rows.ids)

    def _check_columns(self, A: Rows, B: Rows) -> None:
        width = A.data.shape[1]
        if len(B) and B.ids.max() >= width:
            raise ValueError(
                f"A row of a precomputed kernel matrix must have one column for each training row. "
                f"Got {width} columns, and training row {B.ids.max()} was asked for."
            )
