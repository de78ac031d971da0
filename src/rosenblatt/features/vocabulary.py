"""The vocabulary of a learner: examples with named features become CSR rows, whose columns are the names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt._types import Ints
from rosenblatt.features.dicts import Unreadable
from rosenblatt.features.encoders import shown
from rosenblatt.features.strings import as_features
from rosenblatt.features.vectoriser import Vectoriser, example_of
from rosenblatt.loops.templates import UNKNOWN
from rosenblatt.rows import Csr, canonical, starts_of

EXAMPLES = (Mapping, list, tuple, set, frozenset)
"""The types of examples: features by name, or a collection of names; `Vectoriser` defines what they mean."""


class Vocabulary:
    """What makes rows of examples with named features, and the column of every name.

    Parameters
    ----------
    features
        What makes a dict or a collection of names of an example, as for `PerceptronClassifier`; None for
        examples that are such.
    hashing
        None for a column per name, in the order in which they come; or the number of columns that names are
        hashed into.

    Attributes
    ----------
    function
        What `features` stands for.
    vectoriser
        The columns of the names.

    Examples
    --------
    >>> vocabulary = Vocabulary()
    >>> vocabulary.rows([{"size": 2, "colour": "red"}, ["round"]], learning=True).toarray()
    array([[2., 1., 0.],
           [0., 0., 1.]])
    >>> vocabulary.vectoriser.names()
    ['size', 'colour=red', 'round']
    >>> vocabulary.rows([{"size": 3, "weight": 1}]).toarray()
    array([[3., 0., 0.]])
    """

    def __init__(self, features: Any = None, hashing: int | None = None) -> None:
        self.function = as_features(features)
        self.vectoriser = Vectoriser(hashing)

    @property
    def width(self) -> int:
        """The number of columns."""
        return self.vectoriser.width

    def rows(self, X: Any, *, learning: bool = False, unknown: bool = False) -> Any:
        """Return examples as a CSR array; while learning, new names get the next columns.

        Names that are not known are left out. With `unknown` they get columns after the others, for these
        rows alone: they count in norms and distances.
        """
        examples = self._made(X)
        found = _encoded(self.vectoriser, examples, learning)
        if unknown and (found.features == UNKNOWN).any():
            found = self._with_unknown(examples)
        known = found.features != UNKNOWN
        starts = np.concatenate([[0], np.cumsum(known)])[found.starts]
        matrix = (found.values[known], found.features[known], starts)
        return canonical(sp.csr_array(matrix, shape=(len(examples), found.width)))

    def names_in(self, X: Any) -> dict[int, str]:
        """Return the names of the known features of examples, by column; hashed ones may share theirs."""
        fresh, result = Vectoriser(), dict[int, str]()
        _encoded(fresh, self._made(X), learning=True)
        for name, column in zip(fresh.names(), self._columns_of(fresh).tolist(), strict=True):
            if column != UNKNOWN:
                result[column] = f"{result[column]}, {name}" if column in result else name
        return result

    def _made(self, X: Any) -> list[Any]:
        """Return dicts or collections of names, one per example."""
        examples = as_list(X)
        if self.function is not None:
            examples = [self._of(x, i) for i, x in enumerate(examples)]
        for i, example in enumerate(examples):
            if not isinstance(example, EXAMPLES):
                raise ValueError(_refusal(example, i, self.function))
        return examples

    def _of(self, x: Any, i: int) -> Any:
        assert self.function is not None
        try:
            return self.function(x)
        except ValueError as wrong:
            raise ValueError(f"{str(wrong).removesuffix('.')} in row {i}.") from wrong
        except Exception as wrong:
            wrong.add_note(f"It was raised by features, for row {i} of X.")
            raise

    def _columns_of(self, other: Vectoriser) -> Ints:
        """Return our columns of the names of another vectoriser, in its order; UNKNOWN for others."""
        found = np.full(other.width, UNKNOWN, np.int64)
        names, strings = other.known
        for name, i in names.items():
            found[i] = self.vectoriser.feature(name)
        for name, known in strings.items():
            for string, i in known.items():
                found[i] = self.vectoriser.feature(name, string)
        return found

    def _with_unknown(self, examples: list[Any]) -> Csr:
        """Return rows in which unknown names have columns of their own, after those of known ones."""
        fresh = Vectoriser()
        rows = _encoded(fresh, examples, learning=True)
        columns = self._columns_of(fresh)
        new = columns == UNKNOWN
        columns[new] = self.width + np.arange(new.sum())
        return rows._replace(features=columns[rows.features], width=self.width + int(new.sum()))


def _column(X: Any) -> Any:
    """Return a column of pandas, polars or Arrow as a list; anything else as it is."""
    listing = next((name for name in ("to_pylist", "to_list") if hasattr(X, name)), None)
    return X if listing is None or hasattr(X, "columns") else getattr(X, listing)()


def as_list(X: Any) -> list[Any]:
    """Return examples as a list; a string is not a list of characters, nor a dict one of its names."""
    if hasattr(X, "columns"):
        raise ValueError(
            f"X must be a list with an example per row. Got a {type(X).__name__}: pass one of its columns."
        )
    X = _column(X)
    if isinstance(X, str | bytes | Mapping | set | frozenset) or not hasattr(X, "__len__") or sp.issparse(X):
        raise ValueError(f"X must be a list with an example per row. Got {shown(X)}.")
    examples = list(X)
    if not examples:
        raise ValueError("Found no examples: at least 1 is needed. Got an empty list.")
    return examples


def are_named(X: Any) -> bool:
    """Whether examples are dicts or collections of names: the first one that is not empty tells."""
    X = _column(X)
    if not isinstance(X, list | tuple | np.ndarray) or (isinstance(X, np.ndarray) and X.ndim != 1):
        return False
    first = next((x for x in X if not (isinstance(x, list | tuple) and not x)), None)
    if isinstance(first, list | tuple):
        return isinstance(first[0], str)
    return isinstance(first, Mapping | set | frozenset)


def _encoded(vectoriser: Vectoriser, examples: Sequence[Any], learning: bool) -> Csr:
    """Return the rows of examples; raises ValueError for the first invalid feature, with its row."""
    try:
        return vectoriser.rows(examples, learning)
    except Unreadable as fault:
        starts = starts_of(np.fromiter(map(len, examples), np.int64, len(examples)))
        raise ValueError(f"{fault} in row {example_of(starts, fault.position)}.") from None


def _refusal(example: Any, row: int, function: Any) -> str:
    """Return the error about an example that has no names."""
    if function is not None:
        return (
            f"features must make a dict, or a list or set of names, of an example. Got {shown(example)} for "
            f"row {row}."
        )
    instead = ": features='words' makes some of a string" if isinstance(example, str) else ""
    return f"An example is a dict, or a list or set of names. Got {shown(example)} in row {row}{instead}."
