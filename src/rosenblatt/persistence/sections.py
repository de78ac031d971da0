"""Named values and arrays of a model file, in sections: written, and read with every value checked."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any, NoReturn

import numpy as np

from rosenblatt._types import Array, Bools, Ints
from rosenblatt.persistence.archive import Refused

LARGEST = 2**53
"""Whole numbers above this are none that this library counts to."""


class Writer:
    """Values for the header, and arrays under the same names, as they are written down."""

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
        """Numbers, as they are."""
        self.arrays[self._prefix + name] = np.asarray(values)

    def texts(self, name: str, texts: Iterable[str]) -> None:
        """Any number of texts, as one after the other, and where each ends."""
        encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
        self.array(f"{name}.ends", np.cumsum([len(text) for text in encoded], dtype=np.int64))
        self.array(f"{name}.bytes", np.frombuffer(b"".join(encoded), np.uint8))


class Reader:
    """A section of a model file as it is read; refuses, by name, what is not valid.

    Sizes are only believed where there are arrays of that size.
    """

    def __init__(self, values: Any, arrays: dict[str, Array], prefix: str = "") -> None:
        self._prefix = prefix
        self._arrays = arrays
        if not isinstance(values, dict):
            self.refuse("it should hold named values")
        self._values: dict[str, Any] = values

    def refuse(self, what: str) -> NoReturn:
        """Say what is wrong here."""
        where = self._prefix.rstrip(".") or "the header"
        raise Refused(f"in {where}, {what}. It was not written by this library, or was changed.")

    def __contains__(self, name: str) -> bool:
        return self._values.get(name) is not None

    def section(self, name: str) -> Reader:
        """Return a section inside this one."""
        return Reader(self._values.get(name), self._arrays, f"{self._prefix}{name}.")

    def value(self, name: str) -> Any:
        """Whatever JSON has there."""
        if name not in self._values:
            self.refuse(f"{name} is missing")
        return self._values[name]

    def integer(self, name: str, least: int = 0, most: int = LARGEST) -> int:
        """A whole number in a range."""
        value = self.value(name)
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            self.refuse(f"{name} should be a whole number from {least} to {most}, and is {value!r:.40}")
        return value

    def number(self, name: str) -> float:
        """A finite number."""
        value = self.value(name)
        if not isinstance(value, int | float) or isinstance(value, bool) or not abs(value) < float("inf"):
            self.refuse(f"{name} should be a number, and is {value!r:.40}")
        return float(value)

    def flag(self, name: str) -> bool:
        """True or false."""
        value = self.value(name)
        if not isinstance(value, bool):
            self.refuse(f"{name} should be true or false, and is {value!r:.40}")
        return value

    def one_of(self, name: str, allowed: Iterable[str]) -> str:
        """One of these words."""
        value, allowed = self.value(name), tuple(allowed)
        if not isinstance(value, str) or value not in allowed:
            self.refuse(f"{name} should be one of {', '.join(allowed)}, and is {value!r:.40}")
        return value

    def text(self, name: str) -> str:
        """A text."""
        value = self.value(name)
        if not isinstance(value, str):
            self.refuse(f"{name} should be a text, and is {value!r:.40}")
        return value

    def array(self, name: str, dtype: Any, *shape: int | None, finite: bool = True) -> Array:
        """An array of its own, of one of these types and of this shape; None where any length will do."""
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
        """An array of whole numbers in a range."""
        found = self.array(name, np.int64, *shape)
        self.check(((found >= least) & (found <= most)), f"{name} should be from {least} to {most}")
        return found

    def check(self, holds: Bools | bool, what: str) -> None:
        """Refuse if this does not hold throughout."""
        if not np.all(holds):
            self.refuse(what)

    def texts(self, name: str) -> list[str]:
        """Any number of texts."""
        ends = self.array(f"{name}.ends", np.int64, None)
        data = self.array(f"{name}.bytes", np.uint8, None).tobytes()
        edges = np.concatenate([[0], ends])
        self.check(np.diff(edges) >= 0, f"the ends of {name} should rise")
        self.check(edges[-1] == len(data), f"the texts of {name} should fill their bytes")
        bounds = edges.tolist()
        try:
            return [data[a:b].decode("utf-8", "surrogatepass") for a, b in pairwise(bounds)]
        except UnicodeDecodeError:
            self.refuse(f"{name} should be texts in UTF-8")
