"""The writer and reader of model files: named values and arrays in sections, checked on reading."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any, NoReturn

import numpy as np

from rosenblatt._types import Array, Bools, Ints
from rosenblatt.persistence.archive import Refused

LARGEST = 2**53
"""The largest integer in a model file, above all counts of this library."""


class Writer:
    """Collects the values of the header and the arrays of a model file, in sections."""

    def __init__(self, arrays: dict[str, Array] | None = None, prefix: str = "") -> None:
        self.values: dict[str, Any] = {}
        self.arrays = {} if arrays is None else arrays
        self._prefix = prefix

    def __setitem__(self, name: str, value: Any) -> None:
        self.values[name] = value

    def section(self, name: str) -> Writer:
        """Return a section inside this one."""
        inner = Writer(self.arrays, f"{self._prefix}{name}.")
        self.values[name] = inner.values
        return inner

    def array(self, name: str, values: Any) -> None:
        """Write an array."""
        self.arrays[self._prefix + name] = np.asarray(values)

    def texts(self, name: str, texts: Iterable[str]) -> None:
        """Write strings as an array of their bytes, concatenated, and one of their ends."""
        encoded = [string.encode("utf-8", "surrogatepass") for string in texts]
        self.array(f"{name}.ends", np.cumsum([len(string) for string in encoded], dtype=np.int64))
        self.array(f"{name}.bytes", np.frombuffer(b"".join(encoded), np.uint8))


class Reader:
    """Reads a section of a model file; raises Refused, with the name, for values that are not valid.

    A size is trusted only if there are arrays of that size.
    """

    def __init__(self, values: Any, arrays: dict[str, Array], prefix: str = "") -> None:
        self._prefix = prefix
        self._arrays = arrays
        if not isinstance(values, dict):
            self.refuse("it should hold named values")
        self._values: dict[str, Any] = values

    def refuse(self, what: str) -> NoReturn:
        """Raise Refused with what is wrong in this section."""
        where = self._prefix.rstrip(".") or "the header"
        raise Refused(f"in {where}, {what}. It was not written by this library, or was changed.")

    def __contains__(self, name: str) -> bool:
        return self._values.get(name) is not None

    def section(self, name: str) -> Reader:
        """Return a section inside this one."""
        return Reader(self._values.get(name), self._arrays, f"{self._prefix}{name}.")

    def value(self, name: str) -> Any:
        """Return a value of any type."""
        if name not in self._values:
            self.refuse(f"{name} is missing")
        return self._values[name]

    def integer(self, name: str, least: int = 0, most: int = LARGEST) -> int:
        """Return an integer in a range."""
        value = self.value(name)
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            self.refuse(f"{name} should be an integer from {least} to {most}, and is {value!r:.40}")
        return value

    def number(self, name: str) -> float:
        """Return a finite number as a float."""
        value = self.value(name)
        if not isinstance(value, int | float) or isinstance(value, bool) or not abs(value) < float("inf"):
            self.refuse(f"{name} should be a number, and is {value!r:.40}")
        return float(value)

    def flag(self, name: str) -> bool:
        """Return a boolean."""
        value = self.value(name)
        if not isinstance(value, bool):
            self.refuse(f"{name} should be true or false, and is {value!r:.40}")
        return value

    def one_of(self, name: str, allowed: Iterable[str]) -> str:
        """Return one of the allowed strings."""
        value, allowed = self.value(name), tuple(allowed)
        if not isinstance(value, str) or value not in allowed:
            self.refuse(f"{name} should be one of {', '.join(allowed)}, and is {value!r:.40}")
        return value

    def text(self, name: str) -> str:
        """Return a string."""
        value = self.value(name)
        if not isinstance(value, str):
            self.refuse(f"{name} should be a string, and is {value!r:.40}")
        return value

    def array(self, name: str, dtype: Any, *shape: int | None, finite: bool = True) -> Array:
        """Return a copy of an array, of one of these types and of this shape, in which None is any length."""
        found = self._arrays.get(self._prefix + name)
        if found is None:
            self.refuse(f"the array {name} is missing")
        allowed = dtype if isinstance(dtype, tuple) else (dtype,)
        if found.dtype not in allowed:
            self.refuse(f"{name} should be of type {allowed[0].__name__}, and is of {found.dtype}")
        fits = len(shape) == found.ndim and all(
            asked in (None, size) for asked, size in zip(shape, found.shape, strict=True)
        )
        if not fits:
            wanted = " × ".join("any" if size is None else str(size) for size in shape)
            self.refuse(f"{name} should be an array of {wanted}, and is of shape {found.shape}")
        if finite and found.dtype.kind == "f" and not np.isfinite(found).all():
            self.refuse(f"{name} should be finite numbers, and holds NaN or infinity")
        return found.copy()

    def integers(self, name: str, least: int, most: int, *shape: int | None) -> Ints:
        """Return an array of integers in a range."""
        found = self.array(name, np.int64, *shape)
        self.check(((found >= least) & (found <= most)), f"{name} should be from {least} to {most}")
        return found

    def check(self, holds: Bools | bool, what: str) -> None:
        """Raise Refused unless a condition holds throughout."""
        if not np.all(holds):
            self.refuse(what)

    def texts(self, name: str) -> list[str]:
        """Return strings, of any number."""
        ends = self.array(f"{name}.ends", np.int64, None)
        data = self.array(f"{name}.bytes", np.uint8, None).tobytes()
        edges = np.concatenate([[0], ends])
        self.check(np.diff(edges) >= 0, f"the ends of {name} should rise")
        self.check(edges[-1] == len(data), f"the strings of {name} should fill their bytes")
        bounds = edges.tolist()
        try:
            return [data[a:b].decode("utf-8", "surrogatepass") for a, b in pairwise(bounds)]
        except UnicodeDecodeError:
            self.refuse(f"{name} should be strings in UTF-8")
