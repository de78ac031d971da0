"""The schema of a table: the roles and types of its columns, detected from rows and kept with a model."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from types import NoneType
from typing import Any

import numpy as np

from rosenblatt._types import Array
from rosenblatt.features.vectoriser import Vectoriser
from rosenblatt.loops.templates import UNKNOWN

MOST_UNKNOWN = 2**17
"""The most unknown features whose names are kept."""

QUERIES = frozenset({"qid", "query", "query_id"})
"""Names of columns, in lower case, that look like queries."""


class MissingColumnError(ValueError):
    """A column that is asked for by its name, and that the file lacks."""


@dataclass
class Schema:
    """The roles and types of columns, detected from the first rows and kept with a model.

    Parameters
    ----------
    label, query, id
        The columns of the label, the query and the names of rows; None if there is none.
    bits
        None to give features ids in order of appearance; or b to hash them into 2^b buckets.
    learning
        Whether new features get ids. If not, their names are collected in `unknown`.
    columns
        The columns that features are made of; None until rows are seen.
    texts
        Those of them whose cells are strings, each a feature of its own.
    dense
        Whether rows are dense arrays, with a column for every feature; None until rows are seen.
    kind
        The type of labels: "int", "float", "bool" or "str"; None until one is seen.
    ignored
        Columns that are left out.
    text
        The column whose words are features, each with the value that `Words` gives it; None if there is none.
    unnamed_query
        A column of features whose name suggests queries; None until one is seen.
    labelled
        Whether every row must have a label.

    Attributes
    ----------
    absent
        Columns that the model learned from and that are missing now.
    unknown
        Features that the model did not learn from.
    remarks
        What looks odd about each string column that holds more numbers; an empty string for the others.
    """

    label: str | None = "label"
    query: str | None = None
    id: str | None = None
    bits: int | None = None
    learning: bool = True
    columns: list[str] | None = None
    texts: list[str] = field(default_factory=list)
    dense: bool | None = None
    kind: str | None = None
    ignored: list[str] = field(default_factory=list)
    text: str | None = None
    unnamed_query: str | None = None
    labelled: bool = True
    absent: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    unknown: dict[str, None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._vectoriser: Vectoriser | None = None
        if self.bits is not None and not 1 <= self.bits <= 30:
            raise ValueError(f"Features are hashed into 2^b buckets, b from 1 to 30. Got {self.bits}.")

    @property
    def vectoriser(self) -> Vectoriser:
        """The ids of features, made when they are first needed: rows of numbered features need none."""
        if self._vectoriser is None:
            self._vectoriser = Vectoriser(self.buckets)
        return self._vectoriser

    @property
    def buckets(self) -> int | None:
        """The number of buckets that features are hashed into; None if they get ids."""
        return None if self.bits is None else 2**self.bits

    @property
    def names(self) -> list[str]:
        """The names of all features in the order of their ids; none if they are hashed."""
        return [] if self.bits is not None or self._vectoriser is None else self._vectoriser.names()

    @property
    def features_of_strings(self) -> list[int]:
        """The ids of features that are strings, such as `colour=red`; none if they are hashed."""
        known = {} if self._vectoriser is None else self._vectoriser.known[1]
        return [feature for strings in known.values() for feature in strings.values()]

    def noted(self) -> dict[str, Any]:
        """Return the values to keep with a model besides the names of features."""
        noted = {name: getattr(self, name) for name in NOTED if name != "of_strings"}
        return noted | {"of_strings": [] if self._vectoriser is None else self._vectoriser.columns}

    def ids(self, names: list[str], values: list[Any]) -> Array:
        """Return the ids of features, each a name and a number or a string; UNKNOWN for unknown ones."""
        found, _ = self.vectoriser.pairs(names, values, self.learning)
        for i in np.flatnonzero(found == UNKNOWN).tolist():
            if len(self.unknown) == MOST_UNKNOWN:
                break
            if names[i] == self.text:  # new words are no surprise
                continue
            self.unknown[f"{names[i]}={values[i]}" if isinstance(values[i], str) else names[i]] = None
        return found

    def know(self, names: Sequence[str], of_strings: Sequence[str]) -> None:
        """Set the features: their names in the order of ids, and the names under which strings are known."""
        self._vectoriser = Vectoriser.of_names(names, of_strings, self.buckets)

    def special(self) -> set[str]:
        """Return the columns whose cells are not features."""
        columns = self.label, self.query, self.id, self.text, *self.ignored
        return {column for column in columns if column is not None}

    def look_at(self, columns: Collection[str], name: str) -> None:
        """Check the columns of the file `name` before they are encoded."""
        if not self.learning:
            return
        missing = [column for column in self.ignored if column not in columns]
        if missing and self.kind is None:  # later objects may lack them
            raise MissingColumnError(
                f"There must be a column {missing[0]!r} to ignore in {name}. Got {_some(list(columns))}."
            )
        if self.text is not None and self.kind is None and self.text not in columns:
            raise MissingColumnError(
                f"There must be a column {self.text!r} with the text in {name}. Got {_some(list(columns))}."
            )
        if self.query is None and self.unnamed_query is None:
            special = self.special()
            named = (each for each in columns if each.lower() in QUERIES and each not in special)
            self.unnamed_query = next(named, None)

    @classmethod
    def of_model(
        cls, noted: Mapping[str, Any], names: Sequence[str], *, labelled: bool = False, learning: bool = False
    ) -> Schema:
        """Return the schema that a model learned with, for rows to predict or, with labels, to compare.

        With `learning`, for rows that its run continues with, whose new features get new ids.
        """
        if not isinstance(noted, Mapping) or noted.keys() != NOTED.keys():
            raise ValueError("The columns that the model notes should be those of a table. Learn it again.")
        for name, value in noted.items():
            if not _fits(value, NOTED[name]):
                raise ValueError(f"The model's note on {name} is {value!r:.40}, which no fit writes.")
        rest = {name: value for name, value in noted.items() if name != "of_strings"}
        schema = cls(**rest, learning=learning, labelled=labelled)
        schema.know(names, noted["of_strings"])
        return schema


NOTED: dict[str, tuple[type, ...]] = {
    "label": (str, NoneType), "query": (str, NoneType), "id": (str, NoneType), "bits": (int, NoneType),
    "columns": (list, NoneType), "texts": (list,), "dense": (bool, NoneType), "kind": (str, NoneType),
    "ignored": (list,), "text": (str, NoneType), "unnamed_query": (str, NoneType), "of_strings": (list,),
}  # fmt: skip
"""What `Schema.noted` returns: names, and the types of values; lists are of strings."""


def _fits(value: Any, types: tuple[type, ...]) -> bool:
    """Whether a value is of one of these types; a boolean is no integer."""
    return type(value) in types and (not isinstance(value, list) or all(isinstance(v, str) for v in value))


def _some(columns: Sequence[str]) -> str:
    return ", ".join(map(repr, columns[:10])) + (" …" if len(columns) > 10 else "")
