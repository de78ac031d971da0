"""Rows of a data set: dense, CSR or Python objects; arrays that grow; token columns; groups of rows."""

from rosenblatt.loops.arguments import Csr, Dense
from rosenblatt.rows.inner_products import products
from rosenblatt.rows.rows import (
    EXACT_IN_SINGLE,
    DenseRows,
    ObjectRows,
    Rows,
    SparseRows,
    canonical,
    check_in_range,
    count,
    counting,
    enlarged,
    grown,
    parts,
    read_only,
    rows_of,
    spans,
    squared_norms,
    starts_of,
    widened,
)

__all__ = [
    "EXACT_IN_SINGLE",
    "Csr",
    "Dense",
    "DenseRows",
    "ObjectRows",
    "Rows",
    "SparseRows",
    "canonical",
    "check_in_range",
    "count",
    "counting",
    "enlarged",
    "grown",
    "parts",
    "products",
    "read_only",
    "rows_of",
    "spans",
    "squared_norms",
    "starts_of",
    "widened",
]
