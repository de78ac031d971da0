"""Feature maps, for dense and CSR rows alike: side by side, all pairs, all monomials."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from rosenblatt._types import Array, Data, Ints
from rosenblatt.rows import spans

if TYPE_CHECKING:
    from rosenblatt.kernels.base import Kernel

LARGEST = 50_000_000
"""The most entries of a feature map."""

MOST_COLUMNS = 2**31 - 1
"""The most features: the largest 32-bit column index of CSR arrays."""


def check_size(kernel: Kernel, data: Data) -> None:
    """Raise ValueError if the feature map has too many features or entries."""
    rows, width = data.shape
    dimension = kernel.dimension(width)
    if sp.issparse(data):
        # A row with r nonzero features has the features that r features have.
        filled, how_many = np.unique(np.diff(data.indptr), return_counts=True)
        entries = sum(kernel.dimension(int(r)) * int(n) for r, n in zip(filled, how_many, strict=True))
    else:
        entries = rows * dimension
    if entries > LARGEST or dimension > MOST_COLUMNS:
        raise ValueError(
            f"The feature map of {kernel!r} has {dimension:,} features, {entries:,} entries for {rows:,} "
            f"rows of {width:,} features; at most {MOST_COLUMNS:,} features and {LARGEST:,} entries are "
            f"built. Use the kernel itself, which never needs the map, or fewer rows or features."
        )


def beside(left: Data, right: Data) -> Data:
    """Put the features of both side by side."""
    if sp.issparse(left):
        return sp.hstack([left, right], format="csr")
    return np.hstack([left, right])


def column(data: Data, value: float) -> Data:
    """Return one feature with this value in every row, dense or CSR as the data."""
    constant = np.full((data.shape[0], 1), value, data.dtype)
    return sp.csr_array(constant) if sp.issparse(data) else constant


def scaled_rows(data: Data, factors: Array) -> Data:
    """Multiply every row by its factor."""
    factors = factors.astype(data.dtype, copy=False)
    if not sp.issparse(data):
        return data * factors[:, None]
    scaled = data.copy()
    scaled.data *= np.repeat(factors, np.diff(data.indptr))
    return scaled


def pairs(left: Data, right: Data) -> Data:
    """Return all products of a feature of `left` and one of `right` (the row-wise Khatri-Rao product)."""
    if not sp.issparse(left):
        return (left[:, :, None] * right[:, None, :]).reshape(left.shape[0], -1)
    row = np.repeat(np.arange(left.shape[0]), np.diff(left.indptr))
    counts = np.diff(right.indptr)[row]
    first = np.repeat(np.arange(left.nnz), counts)
    second = spans(right.indptr[row], counts)
    columns = left.indices[first].astype(np.int64) * right.shape[1] + right.indices[second]
    starts = np.concatenate([[0], np.cumsum(np.diff(left.indptr) * np.diff(right.indptr))])
    shape = (left.shape[0], left.shape[1] * right.shape[1])
    return sp.csr_array((left.data[first] * right.data[second], columns, starts), shape=shape)


def count_monomials(width: int, degree: int) -> int:
    """Return the number of monomials of exactly this degree in `width` features."""
    return math.comb(width + degree - 1, degree) if width else 0


def monomials(data: Data, degree: int) -> Data:
    r"""Return all monomials of exactly this degree, each times the root of its multinomial coefficient.

    The columns are in colexicographic order of the sorted feature indices: the monomial of
    :math:`i_1 \le … \le i_d` is column :math:`\sum_k \binom{i_k + k - 1}{k}`, whatever the width.
    """
    shape = data.shape[0], count_monomials(data.shape[1], degree)
    if not sp.issparse(data):
        width = data.shape[1]
        values, columns, _ = _multiply_out(data, np.arange(width), np.full(width, width), degree)
        return np.ascontiguousarray(values[:, np.argsort(columns)])
    data = data.sorted_indices()
    filled = np.diff(data.indptr)
    row = np.repeat(np.arange(data.shape[0]), filled)
    ends = np.repeat(data.indptr[1:], filled)
    values, columns, last = _multiply_out(data.data, data.indices, ends, degree)
    return sp.csr_array((values, (row[last], columns)), shape=shape)


def _multiply_out(entries: Array, features: Ints, ends: Ints, degree: int) -> tuple[Array, Ints, Ints]:
    """Return each product of `degree` entries of one row in order, its column, and its last entry.

    Entry p has feature `features[p]` and its row ends before entry `ends[p]`. For dense rows an entry
    is a column of values and there is one row; for CSR rows it is one stored value.
    """
    last = np.arange(len(features))
    columns = features.astype(np.int64)
    times, coefficients = np.ones_like(last), np.ones_like(last)
    values = entries
    for k in range(2, degree + 1):
        counts = ends[last] - last
        parents, following = np.repeat(np.arange(len(last)), counts), spans(last, counts)
        times = np.where(following == last[parents], times[parents] + 1, 1)
        # d! / (m_1! m_2! …) grows by k / m when the k-th factor is the m-th of its kind.
        coefficients = coefficients[parents] * k // times
        columns = columns[parents] + _choose(features[following].astype(np.int64) + k - 1, k)
        values = values[..., parents] * entries[..., following]
        last = following
    return values * np.sqrt(coefficients).astype(entries.dtype), columns, last


def _choose(n: Any, k: int) -> Any:
    """Return binomial coefficients, exactly."""
    result = np.ones_like(n)
    for j in range(k):
        result = result * (n - j) // (j + 1)
    return result
