"""The format of model files: safetensors arrays, and one JSON header with a checksum of all contents."""

from __future__ import annotations

import hashlib
import json
from os import PathLike, fspath
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import safetensors
from safetensors import numpy as tensors

from rosenblatt._atomic import replace_file
from rosenblatt._types import Array

KEY = "rosenblatt"
"""The key of the JSON header, the only one in the metadata of the file."""

FORMAT = 1
"""The version of the contents that is written, and the latest that is read."""

Header = dict[str, Any]


class ModelError(ValueError):
    """A file that is not a model, is broken, or is from a later version of the library."""


def write(path: str | PathLike[str], header: Header, arrays: dict[str, Array]) -> None:
    """Write a model file atomically."""
    replace_file(path, packed(header, arrays))


def packed(header: Header, arrays: dict[str, Array]) -> bytes:
    """Return the bytes of a model file: equal contents give equal bytes."""
    arrays = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    text = _text({"format": FORMAT, **header})
    metadata = {KEY: _text({"checksum": _checksum(text, arrays), "contents": text})}
    return bytes(tensors.save(arrays, metadata))


def read(path: str | PathLike[str]) -> tuple[Header, dict[str, Array]]:
    """Read the header and the arrays of a model file."""
    name = fspath(path)
    try:
        return unpacked(Path(name).read_bytes())
    except IsADirectoryError:
        raise ModelError(f"{name} is a folder. A model is one file.") from None
    except Refused as why:
        raise ModelError(f"{name} cannot be read as a model: {why}") from None


class Refused(Exception):  # noqa: N818
    """The reason why a file is not a valid model."""


def unpacked(data: bytes) -> tuple[Header, dict[str, Array]]:
    """Return the header and the arrays in the bytes of a model file; raises Refused if they are not valid."""
    outer = _metadata(data)
    try:
        arrays = {name: _array(view) for name, view in safetensors.deserialize(data)}  # type: ignore[no-untyped-call]
    except Exception as broken:
        raise Refused(
            f"its arrays are broken ({broken}). It may be cut off: copy or make it again."
        ) from None
    text, checksum = outer.get("contents"), outer.get("checksum")
    if not isinstance(text, str) or not isinstance(checksum, str):
        raise Refused("its header is incomplete. Copy or make it again.")
    if checksum != _checksum(text, arrays):
        raise Refused("its checksum is wrong: bytes of it were changed. Copy or make it again.")
    header = _json(text)
    version = header.get("format")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise Refused(f"its format must be an integer ≥ 1. Got {version!r}.")
    if version > FORMAT:
        raise Refused(
            f"it was written in format {version} by rosenblatt {header.get('library')!s:.20}, and this is a "
            f"version that reads formats up to {FORMAT}. Install a later one."
        )
    return header, arrays


def _metadata(data: bytes) -> Header:
    """Return the JSON object in the metadata."""
    size = int.from_bytes(data[:8], "little")
    if len(data) < 8 or size > len(data) - 8 or data[8:9] != b"{":
        raise Refused("it does not begin as one. Is it another kind of file, or cut off?")
    try:
        text = _json(data[8 : 8 + size].decode()).get("__metadata__", {}).get(KEY)
    except (UnicodeDecodeError, AttributeError):
        raise Refused("its header is broken. Copy or make it again.") from None
    if not isinstance(text, str):
        raise Refused("it holds arrays, but not those of a learner of this library.")
    return _json(text)


TYPES = {
    "BOOL": np.bool_, "U8": np.uint8, "I8": np.int8, "I16": np.int16, "U16": np.uint16, "I32": np.int32,
    "U32": np.uint32, "I64": np.int64, "U64": np.uint64, "F32": np.float32, "F64": np.float64,
}  # fmt: skip


def _array(view: Any) -> Array:
    dtype = TYPES.get(view["dtype"])
    if dtype is None:
        raise ValueError(f"numbers of type {view['dtype']}")
    return np.frombuffer(view["data"], dtype).reshape(view["shape"])


def _checksum(text: str, arrays: dict[str, Array]) -> str:
    digest = hashlib.sha256(text.encode())
    for name in sorted(arrays):
        array = arrays[name]
        digest.update(f"{name} {array.dtype} {array.shape}".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


def _text(value: Header) -> str:
    return json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))


def _json(text: str) -> Header:
    try:
        value = json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise Refused("its header is broken. Copy or make it again.") from None
    if not isinstance(value, dict):
        raise Refused("its header is not a JSON object. Copy or make it again.")
    return value


def _no_number(name: str) -> NoReturn:
    raise ValueError(name)
