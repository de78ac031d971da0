"""Serialization of blocks, bit for bit and with the same dtypes: numbers as arrays, the rest in JSON."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from rosenblatt._types import Array
from rosenblatt.data.blocks import Block, Skipped

ALIGNED = 8
"""Arrays begin at multiples of this number of bytes."""

NUMBERS = ("int32", "int64", "float32", "float64")
"""The dtypes of arrays."""

NARROWER = {"int64": "int32", "float64": "float32"}
"""The dtypes they are stored as, if that changes no value."""

TEXTS = re.compile(r"object|list|U\d{1,9}")
"""The containers of strings: a list, or an array of one of these dtypes."""


class Packed(NamedTuple):
    """A block as bytes: the arrays, each padded to a multiple of ALIGNED, and the metadata.

    The metadata are JSON: the names and dtypes of the arrays, and all values that are not arrays.
    """

    arrays: list[Array]
    metadata: bytes


def packed(block: Block) -> Packed:
    """Serialize a block."""
    X, csr = block.X, sp.issparse(block.X)
    parts = {"values": X.data, "features": X.indices, "starts": X.indptr} if csr else {"values": X.ravel()}
    parts |= {"y": block.y, "qid": block.qid, "ids": block.ids}
    arrays: list[Array] = []
    metadata: dict[str, Any] = {
        "shape": X.shape,
        "canonical": csr and bool(X.has_canonical_format),
        "skipped": block.skipped,
        "parts": {name: _part(part, arrays) for name, part in parts.items() if part is not None},
    }
    return Packed(arrays, json.dumps(metadata, separators=(",", ":")).encode())


def _part(part: Any, arrays: list[Array]) -> list[Any]:
    """Return the entry of a part in the metadata; a numeric array is appended to `arrays`."""
    if isinstance(part, list):
        return ["list", part]
    if part.dtype.kind in "OU":
        return ["object" if part.dtype.kind == "O" else part.dtype.str[1:], part.tolist()]
    if part.dtype.name not in NUMBERS:
        raise TypeError(f"Blocks are made of {', '.join(NUMBERS)}. Got {part.dtype}.")
    stored = _narrowed(part)
    arrays.append(_filled(stored))
    return [part.dtype.name, stored.dtype.name, len(stored)]


def _narrowed(numbers: Array) -> Array:
    """Return numbers in half the memory if that is exact, else unchanged."""
    narrower = NARROWER.get(numbers.dtype.name)
    if narrower is None or not _fits(numbers[:1000], narrower) or not _fits(numbers, narrower):
        return numbers
    return numbers.astype(narrower)


def _fits(numbers: Array, dtype: str) -> bool:
    with np.errstate(all="ignore"):
        return bool((numbers.astype(dtype) == numbers).all())


def _filled(numbers: Array) -> Array:
    """Return the bytes of an array, padded with zeros."""
    raw = np.ascontiguousarray(numbers).view(np.uint8)
    return np.concatenate([raw, np.zeros(-len(raw) % ALIGNED, np.uint8)]) if len(raw) % ALIGNED else raw


def unpacked(raw: Array, metadata: bytes) -> Block:
    """Deserialize a block; arrays that are stored with their own dtype are views of `raw`."""
    about = json.loads(metadata)
    shape, at, parts = tuple(about["shape"]), 0, dict[str, Any]()
    for name, (dtype, *rest) in about["parts"].items():
        if TEXTS.fullmatch(dtype):
            parts[name] = rest[0] if dtype == "list" else np.array(rest[0], dtype)
            continue
        stored, count = rest
        if dtype not in NUMBERS or stored not in NUMBERS:
            raise ValueError(f"Blocks are made of {', '.join(NUMBERS)}. Got {dtype} as {stored}.")
        size = count * np.dtype(stored).itemsize
        parts[name] = raw[at : at + size].view(stored).astype(dtype, copy=False)
        at += size + -size % ALIGNED
    return Block(
        _rows(parts, shape, about["canonical"]),
        parts.get("y"),
        parts.get("qid"),
        parts.get("ids"),
        [Skipped(*line) for line in about["skipped"]],
    )


def _rows(parts: dict[str, Any], shape: tuple[int, ...], canonical: bool) -> Any:
    if "starts" not in parts:
        return parts["values"].reshape(shape)
    X = sp.csr_array((parts["values"], parts["features"], parts["starts"]), shape=shape)
    if canonical:
        X.has_canonical_format = True
    return X
