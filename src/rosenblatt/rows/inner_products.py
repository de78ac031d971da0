"""Inner products of all rows of one matrix with all of another, dense or sparse, as a dense array."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt._types import Array, Data
from rosenblatt.rows.rows import read_only, widened

MANY = 2**16
"""Stored values in two sparse matrices from which on their product is worth loading compiled code for."""

WIDE = 4
"""Features for each stored value from which on those that no row has are left out."""

COMMON, MANY_ROWS = 8, 1024
"""In a matrix of many rows, a feature that one row in COMMON or more has is multiplied as a dense column."""


def products(X: Data, Z: Data) -> Array:
    """The inner product of every row of X with every row of Z, as a dense array.

    Sparse rows may differ in width, as rows over a vocabulary that has grown meanwhile do.
    """
    if sp.issparse(X) and sp.issparse(Z) and X.shape[1] != Z.shape[1]:
        X, Z = (widened(data, max(X.shape[1], Z.shape[1])) for data in (X, Z))
    if sp.issparse(X) and sp.issparse(Z) and X.shape[1] > WIDE * (X.nnz + Z.nnz):
        X, Z = _narrowed(X, Z)
    if sp.issparse(X) and sp.issparse(Z) and MANY <= X.nnz + Z.nnz < 2**31:
        return _sparse_products(X, Z)
    result = X @ Z.T
    return np.asarray(result.toarray() if sp.issparse(result) else result)


def _narrowed(X: Any, Z: Any) -> tuple[Any, Any]:
    """Return rows without the features that neither has: products by feature take time for each of them."""
    X, Z = sp.csr_array(X), sp.csr_array(Z)
    used = np.union1d(X.indices, Z.indices)
    X, Z = (
        sp.csr_array(
            (data.data, np.searchsorted(used, data.indices), data.indptr), (data.shape[0], len(used))
        )
        for data in (X, Z)
    )
    return X, Z


def _sparse_products(X: Any, Z: Any) -> Array:
    """The inner products of sparse rows: the smaller matrix is read by feature, the larger one by row."""
    if X.nnz < Z.nnz:
        return np.ascontiguousarray(_sparse_products(Z, X).T)
    from rosenblatt.loops.products import add_products  # late: it imports the compiler

    X, columns, dtype = sp.csr_array(X), sp.csc_array(Z), np.result_type(X.dtype, Z.dtype)
    common: Any = np.empty(0, bool)
    result = np.zeros((X.shape[0], Z.shape[0]), dtype)
    if Z.shape[0] >= MANY_ROWS:
        common = np.diff(columns.indptr) > Z.shape[0] // COMMON
        dense = np.flatnonzero(common)
        result = np.asarray(X[:, dense].toarray() @ columns[:, dense].toarray().T)
    by_row, by_feature = _arrays(X, dtype), _arrays(columns, dtype)
    add_products(by_row, by_feature, common, result)
    return result


def _arrays(data: Any, dtype: Any) -> tuple[Array, Array, Array]:
    """The arrays of a CSR or CSC matrix in the types that the compiled loop takes."""
    starts, indices = (array.astype(np.int32, copy=False) for array in (data.indptr, data.indices))
    return read_only(starts), read_only(indices), read_only(data.data.astype(dtype, copy=False))
