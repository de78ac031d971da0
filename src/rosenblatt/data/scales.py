"""The scales of columns of numbers: how `data.scaling` is fitted to the rows of a file.

Sparse rows do not store zeros, so a zero that a file writes counts as one that it leaves out: the scale of a
column is the root mean square of the values that are there. Features of strings are left as they are.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt._types import Data, Floats, Ints
from rosenblatt.data.blocks import Block
from rosenblatt.data.scaling import Quantiles, Scaling, Standard
from rosenblatt.data.schema import Schema
from rosenblatt.rows import starts_of

MOST = 1000
"""The most quantiles of a column."""

SAMPLED = 2**26
"""The most bytes of rows from which quantiles are computed: of more, every second row, or fourth, …"""

CONSTANT = 1e-13
"""The most that the values of a constant column differ from their mean by rounding, relative to it."""


def fitted(method: str, blocks: Iterable[Block], schema: Schema) -> Scaling:
    """Return the scaling, "standard" or "quantile", of all rows of some blocks.

    Parameters
    ----------
    schema
        The columns of the blocks, whose features of strings are left as they are.
    """
    return _quantiles(blocks, schema) if method == "quantile" else _standard(blocks, schema)


def _standard(blocks: Iterable[Block], schema: Schema) -> Standard:
    found, dense = (np.zeros(0), np.zeros(0), np.zeros(0)), False
    with np.errstate(over="ignore", invalid="ignore"):
        for block in blocks:
            dense = not sp.issparse(block.X)
            found = _together(found, moments(block.X))
        values, mean, squares = found
        scale = np.sqrt(squares / np.maximum(values, 1))
    _check_finite(scale, schema)
    scale[scale <= CONSTANT * np.abs(mean)] = 1.0
    if not dense:
        scale[_of_strings(schema, len(scale))] = 1.0
    return Standard(mean if dense else None, scale)


Moments = tuple[Floats, Floats, Floats]
"""Of every column, how many values there are, their mean, and the sum of their squared distances from it."""


def moments(X: Data) -> Moments:
    """Return the moments of the columns of dense rows; of sparse ones those of present values, about 0."""
    if not sp.issparse(X):
        mean = X.mean(axis=0)
        return np.full(X.shape[1], float(len(X))), mean, ((X - mean) ** 2).sum(axis=0)
    counts = np.bincount(X.indices, X.data != 0, minlength=X.shape[1])
    squares = np.bincount(X.indices, X.data**2, minlength=X.shape[1])
    return counts.astype(np.float64), np.zeros(len(counts)), squares.astype(np.float64)


def _together(one: Moments, other: Moments) -> Moments:
    """Return the moments of two parts together (Chan, Golub and LeVeque, 1979); columns may have come."""
    width = max(len(one[0]), len(other[0]))
    (m, a, s), (n, b, t) = ([np.pad(part, (0, width - len(part))) for part in each] for each in (one, other))
    total = np.maximum(m + n, 1)
    return m + n, a + (b - a) * n / total, s + t + (b - a) ** 2 * m * n / total


def _check_finite(scale: Floats, schema: Schema) -> None:
    """Raise ValueError for a column with values whose squares are out of range."""
    if np.isfinite(scale).all():
        return
    column = int(np.flatnonzero(~np.isfinite(scale))[0])
    name = schema.names[column] if column < len(schema.names) else column + 1
    raise ValueError(
        "--scale standard needs columns whose squares are in the range of float64. Got larger values of "
        f"{name}: use --scale quantile."
    )


def _quantiles(blocks: Iterable[Block], schema: Schema) -> Quantiles:
    rows = _sample(blocks)
    dense = not sp.issparse(rows)
    columns = rows if dense else abs(rows.tocsc())
    left, parts = set(() if dense else _of_strings(schema, rows.shape[1]).tolist()), []
    for j in range(rows.shape[1]):
        values = columns[:, j] if dense else columns.data[columns.indptr[j] : columns.indptr[j + 1]]
        parts.append(_of_column(values if dense else values[values > 0], j in left))
    starts = starts_of(np.array([len(values) for values, _ in parts], np.int64))
    values, counts = (np.concatenate(some) for some in zip(*parts, strict=True))
    return Quantiles(dense, starts, values, counts)


def _of_column(values: Floats, left: bool) -> tuple[Floats, Ints]:
    """Return at most MOST quantiles of values, each once, and how many of them are not above each."""
    if left:
        return np.empty(0), np.empty(0, np.int64)
    ordered = np.sort(values)
    if len(ordered) > MOST:
        ordered = ordered[((np.arange(MOST) + 0.5) / MOST * len(ordered)).astype(np.int64)]
    found, counts = np.unique(ordered, return_counts=True)
    return found, np.cumsum(counts)


def _sample(blocks: Iterable[Block]) -> Any:
    """Return all rows or, where they take more than SAMPLED bytes, every 2^k-th of them."""
    kept: list[Any] = []
    seen, every, width = 0, 1, 0
    for block in blocks:
        kept.append(block.X[-seen % every :: every])
        seen, width = seen + len(block), max(width, block.X.shape[1])
        while sum(map(_bytes_of, kept)) > SAMPLED:
            kept, every = _halved(kept), 2 * every
    if not kept:
        raise ValueError("There is nothing to learn from. Got no rows.")
    if sp.issparse(kept[0]):
        return sp.csr_array(sp.vstack([_as_wide(X, width) for X in kept]))
    return np.vstack(kept)


def _halved(parts: list[Any]) -> list[Any]:
    """Return every second row of some parts together, the first one first."""
    result, before = [], 0
    for X in parts:
        result.append(X[before % 2 :: 2])
        before += X.shape[0]
    return result


def _bytes_of(X: Any) -> int:
    return Block(X, None).bytes_of_rows


def _as_wide(X: Any, width: int) -> Any:
    return sp.csr_array((X.data, X.indices, X.indptr), (X.shape[0], width))


def _of_strings(schema: Schema, width: int) -> Ints:
    """Return the ids of the features that are strings."""
    ids = np.array(schema.features_of_strings, np.int64)
    return ids[ids < width]
