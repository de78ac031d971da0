"""The settings of a tagging task: features, and which paths are allowed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt import schemes
from rosenblatt.features import (
    WORDS,
    ArrayEncoder,
    Encoder,
    NameEncoder,
    Template,
    TemplateEncoder,
    View,
    crfpp,
    words_and_columns,
)
from rosenblatt.features.encoders import shown
from rosenblatt.games import Sequence as Game


@dataclass(frozen=True)
class TaggingSettings:
    """The features to use and the paths to allow; see `PerceptronTagger` for the parameters."""

    templates: Any = None
    features: Any = None
    scheme: str | None = None
    allowed: Any = None
    transitions: bool | None = None
    hashing: int | None = None

    def __post_init__(self) -> None:
        if self.templates is not None and self.features is not None:
            raise ValueError("Features come from templates or from a function. Got both: leave one out.")
        if self.templates is not None:
            object.__setattr__(self, "templates", as_templates(self.templates))
        if self.allowed is not None:
            object.__setattr__(self, "allowed", _pairs(self.allowed))
        if self.features is not None and not callable(self.features):
            raise ValueError(f"features must be a function (sequence, index). Got {self.features!r}.")
        is_integer = isinstance(self.hashing, int | np.integer) and not isinstance(self.hashing, bool)
        if self.hashing is not None and not (is_integer and 0 < self.hashing < 2**31):
            raise ValueError(f"hashing must be a number of features below 2**31. Got {self.hashing!r}.")
        if self.transitions is not None and not isinstance(self.transitions, bool | np.bool_):
            raise ValueError(f"transitions must be True, False or None. Got {self.transitions!r}.")
        if self.transitions is False and self.sees_pairs:
            raise ValueError("Templates that look at pairs of labels are transitions. Got transitions=False.")
        if self.scheme is not None:
            schemes.scheme_of(self.scheme)

    @property
    def sees_pairs(self) -> bool:
        """Whether some template looks at a pair of labels and something else."""
        return self.templates is not None and any(t.transition and t.parts for t in self.templates)

    def encoder(self, first: Any, labels: Sequence[Any]) -> Encoder:
        """The encoder for tokens like those of this sequence."""
        if self.templates is not None:
            return TemplateEncoder(self.templates, labels, self.hashing)
        if self.features is not None:
            return NameEncoder(self.hashing, self.features)
        if _holds_numbers(first):
            if self.hashing is not None:
                raise ValueError(f"Arrays have their features already. Got hashing={self.hashing!r}.")
            return ArrayEncoder()
        token = first[0]
        if isinstance(token, str):
            return TemplateEncoder(WORDS, labels, self.hashing)
        if isinstance(token, tuple) and token and all(isinstance(text, str) for text in token):
            return TemplateEncoder(words_and_columns(len(token)), labels, self.hashing)
        if isinstance(token, Mapping | list | tuple | set | frozenset):
            return NameEncoder(self.hashing)
        raise ValueError(
            "A token is a string, a tuple of strings, a dict of features, a list of their names, or a row of "
            f"an array. Got {shown(token)}, a {type(token).__name__}."
        )

    def game(self, labels: Sequence[Any]) -> Game:
        """The game for these labels."""
        pairs = "scored" if self.transitions in (None, True) else "allowed"
        if self.sees_pairs:
            pairs = "seen"
        elif self.transitions is None and self.templates is not None and from_crfpp(self.templates):
            pairs = "scored" if any(template.transition for template in self.templates) else "allowed"
        return Game(len(labels), forbidden_pairs(list(labels), self.scheme, self.allowed), pairs)


def _holds_numbers(sequence: Any) -> bool:
    """Whether a sequence is an array of numbers, also one of objects that are none but numbers or wrong."""
    if not isinstance(sequence, np.ndarray):
        return bool(sp.issparse(sequence))
    if sequence.dtype == object and sequence.ndim == 2:
        return not any(isinstance(value, str) for value in sequence.flat)
    return sequence.dtype.kind in "fiubc"


def from_crfpp(templates: Sequence[Template]) -> bool:
    """Whether templates come from CRF++'s language, in which transitions are learned only if B is given."""
    return any(template.frame for template in templates)


def as_templates(templates: Any) -> tuple[Template, ...]:
    """Return templates from values, or from a string in CRF++'s language."""
    if isinstance(templates, str):
        found = crfpp(templates)
    else:
        some = (templates,) if isinstance(templates, Template | View) else templates
        if not isinstance(some, Iterable):
            raise _no_template(some)
        found = tuple(template[0] if isinstance(template, View) else template for template in some)
    for template in found:
        if not isinstance(template, Template):
            raise _no_template(template)
    if not any(template.parts for template in found):
        raise ValueError(f"A tagger whose templates look at no token sees nothing. Got {templates!r}.")
    return found


def _no_template(given: Any) -> ValueError:
    return ValueError(
        "templates are values such as word[-1] & word[0], or one string in CRF++'s language with all its "
        f"lines. Got {given!r}."
    )


def _pairs(allowed: Any) -> frozenset[tuple[Any, Any]]:
    try:
        return frozenset((before, after) for before, after in allowed)
    except (TypeError, ValueError):
        raise ValueError(
            "allowed is made of pairs (label, label that may follow), None being beyond the ends. "
            f"Got {shown(allowed)}."
        ) from None


def forbidden_pairs(labels: list[Any], scheme: str | None, allowed: Any) -> frozenset[tuple[int, int]]:
    """Return the pairs of label ids that a scheme forbids, and all that `allowed` does not list."""
    pairs = frozenset[tuple[int, int]]() if scheme is None else schemes.forbidden(labels, scheme)
    if allowed is None:
        return pairs
    ends = len(labels)
    number = {label: i for i, label in enumerate(labels)} | {None: ends}
    listed = {(number.get(before, -1), number.get(after, -1)) for before, after in allowed}
    if ends not in {before for before, _ in listed}:
        listed |= {(ends, label) for label in range(ends)}
    if ends not in {after for _, after in listed}:
        listed |= {(label, ends) for label in range(ends)}
    every = {(before, after) for before in range(ends + 1) for after in range(ends + 1)}
    return pairs | (every - listed - {(ends, ends)})
