"""Rows of a data set: dense, CSR or Python objects; stores that grow; token columns; groups of rows."""

from rosenblatt.rows.inner_products import products
from rosenblatt.rows.rows import (
    NO_FEATURES,
    Csr,
    Rows,
    canonical,
    check_in_range,
    count,
    counting,
    parts,
    read_only,
    spans,
    squared_norms,
    widened,
)

__all__ = [
    "NO_FEATURES",
    "Csr",
    "Rows",
    "canonical",
    "check_in_range",
    "count",
    "counting",
    "parts",
    "products",
    "read_only",
    "spans",
    "squared_norms",
    "widened",
]
