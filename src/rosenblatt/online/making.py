"""The reader of examples of which a function makes named features, such as strings."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.engine.packed import Packed
from rosenblatt.features.lines import lines_of
from rosenblatt.features.strings import Features, as_features, features_of
from rosenblatt.features.vectoriser import Vectoriser
from rosenblatt.kernels import Kernel
from rosenblatt.online.packing import UNKNOWN
from rosenblatt.online.reading import Reader
from rosenblatt.rows import Csr


def reader_of(kernel: Kernel | None, features: Any) -> Reader:
    """Return a reader of rows and named features, or of examples that `features` makes features of."""
    makes = as_features(features)
    return Reader(kernel) if makes is None else MakingReader(kernel, makes)


class MakingReader(Reader):
    """Converts what a function makes of examples into rows.

    Parameters
    ----------
    kernel
        The kernel; None for the linear learner.
    features
        Returns a dict of an example, or a collection of names. Lines may be read by compiled code instead.
    """

    def __init__(self, kernel: Kernel | None, features: Features) -> None:
        if kernel is not None and (kernel.on_objects or not kernel.inner):
            raise ValueError(
                f"Features of examples need a kernel of inner products, such as RBF. Got {kernel!r} and "
                f"features={features!r:.60}."
            )
        self._features = features
        super().__init__(kernel)
        self.named = True

    @property
    def state(self) -> tuple[bool | None, int | None, Vectoriser]:
        """Whether examples are named, their width, and the vectoriser with the names that lines brought."""
        if self._lines is not None:
            self._lines.share()
        return self.named, self._width, self._vectoriser

    @state.setter
    def state(self, state: tuple[bool | None, int | None, Vectoriser]) -> None:
        self._take(*state)
        self._lines = lines_of(self._vectoriser, self._features) if self.kernel is None else None

    def packed(self, x: Any, learning: bool = False) -> Packed:
        """Return the features made of an example, packed."""
        lines = self._lines
        line = lines.row(x, learning) if lines is not None and isinstance(x, str) else None
        if line is None:
            return super().packed(features_of(self._features, x), learning)
        features, values, width = line
        return features.tobytes(), values.tobytes(), width

    def row(self, x: Any, learning: bool = False) -> Any:
        """Return the features made of an example as a row."""
        lines = self._lines
        line = lines.row(x, learning) if lines is not None and isinstance(x, str) else None
        if line is None:
            return super().row(features_of(self._features, x), learning)
        features, values, width = line
        known = features != UNKNOWN
        return Csr(np.array([0, known.sum()]), features[known], values[known], width)
