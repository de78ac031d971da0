"""The encoder of templates: strings become symbols once, and symbols become features without new strings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from rosenblatt._types import Array, Bools, Ints
from rosenblatt.features.encoders import Tokens, lengths_of, location_of, shown, tokens_of, with_edges
from rosenblatt.features.templates import Template, View
from rosenblatt.features.texts import Texts
from rosenblatt.loops import templates as loops
from rosenblatt.loops.arguments import Program
from rosenblatt.rows import starts_of
from rosenblatt.rows.columns import Columns, flat

SMALLEST_TABLE = 2**12
TEXTS, ROWS = {str, np.str_}, {list, tuple}


class Steps(NamedTuple):
    """The tries of templates: a template walks from its root along the symbols it sees, to a feature.

    Parameters
    ----------
    firsts
        The targets of first steps (symbols × roots).
    keys, values
        The targets of other steps, sorted by keys, which are a node and a symbol.
    nodes, features
        The numbers of nodes and features.
    """

    firsts: Array
    keys: Ints
    values: Ints
    nodes: int
    features: int


class TemplateEncoder:
    """The encoder of tokens that are strings, or tuples of strings, by templates.

    Parameters
    ----------
    templates
        Those of one label, and those of two that follow each other.
    labels
        The labels: a feature of pairs of labels is one feature for each first label.
    hashing
        None to give ids in order of appearance; or the number of buckets that features are hashed into.
    """

    def __init__(
        self, templates: Sequence[Template], labels: Sequence[Any], hashing: int | None = None
    ) -> None:
        self.templates = tuple(template for template in templates if template.parts)
        self.hashing = hashing
        self._labels = labels
        views = {view for template in self.templates for _, view in template.parts}
        self._views = sorted(views, key=lambda view: (view.column, repr(view)))
        looks = _looks(self.templates)
        self._texts = {
            column: Texts(
                {view: looks[view] for view in self._views if view.column == column}, hashing is not None
            )
            for column in sorted({view.column for view in views})
        }
        self._edges = np.array([template.transition for template in self.templates], bool)
        self._sizes = np.where(self._edges, len(labels), 1)
        self._roots = _roots(self.templates)
        parts = [part for template in self.templates for part in template.parts]
        self._farthest = max((abs(offset) for offset, _ in parts), default=0)
        self._program = Program(
            self._roots,
            starts_of(np.array([len(template.parts) for template in self.templates], np.int64)),
            np.array([self._farthest + offset for offset, _ in parts], np.int64),
            np.array([self._views.index(view) for _, view in parts], np.int64),
            self._farthest,
        )
        self._repeats = hashing is not None or len(set(self._roots)) < len(self._roots)
        roots = 1 + max(self._roots, default=0)
        self._table = np.zeros(2 * SMALLEST_TABLE, np.int64)
        self._firsts = np.full((2 * self._farthest + 1, roots), loops.UNKNOWN, np.int32)
        self._tally = np.array([0, roots, 0], np.int64)

    @property
    def width(self) -> int:
        """The number of features."""
        return int(self._tally[2]) if self.hashing is None else self.hashing

    @property
    def texts(self) -> dict[int, Texts]:
        """The strings of every column that templates look at."""
        return self._texts

    @property
    def looks(self) -> list[dict[str, int]]:
        """The ids of looks of every view; views that share theirs are listed once."""
        every = (look for texts in self._texts.values() for look in texts.looks.values())
        return list({id(look): look for look in every}.values())

    @property
    def steps(self) -> Steps:
        """The tries of the templates."""
        keys, values = self._table[::2], self._table[1::2]
        order = np.argsort(keys[keys != 0])
        return Steps(
            self._firsts, keys[keys != 0][order], values[keys != 0][order], *map(int, self._tally[1:])
        )

    @steps.setter
    def steps(self, steps: Steps) -> None:
        self._firsts = steps.firsts
        self._tally = np.array([len(steps.keys), steps.nodes, steps.features], np.int64)
        self._table = np.stack([steps.keys, steps.values], axis=1).reshape(-1)
        self._rehash(max(2 * SMALLEST_TABLE, 4 * 2 ** len(steps.keys).bit_length()))

    def encode(
        self, sequences: Sequence[Any], learning: bool = False, *, tidy: bool = False, first: int = 0
    ) -> Tokens:
        """Return the rows of sequences."""
        lengths = lengths_of(sequences, first)
        columns = columns_of(sequences, lengths, 1 + max(self._texts, default=0), first)
        symbols = self._symbols(columns, int(lengths.sum()), learning)
        features = np.empty((len(symbols), len(self.templates)), np.int32)
        starts = starts_of(lengths)
        if self.hashing is not None:
            seen = self._surroundings(lengths, np.int64)
            loops.hashed(symbols, starts, tuple(self._program), seen, self._sizes, self.hashing, features)
        elif learning:
            self._learn(symbols, starts, self._surroundings(lengths, np.int32), features)
        else:
            seen = self._surroundings(lengths, np.int32)
            loops.find(symbols, starts, tuple(self._program), self._firsts, self._table, seen, features)
        rows = {"tidy": tidy or learning, "repeats": self._repeats}
        tokens = tokens_of(lengths, features[:, ~self._edges], self.width, **rows)
        if not self._edges.any():
            return tokens
        return with_edges(tokens, features[:, self._edges], len(self._labels), **rows)

    def keep(self, chosen: Bools) -> Ints:
        """Keep only the chosen features; returns the new id of each feature, UNKNOWN for removed ones.

        A feature of pairs of labels is kept for all first labels if it is chosen for one.
        """
        if self.hashing is not None:
            raise ValueError(f"Hashed features are always {self.hashing}. None of them can be left out.")
        chosen, size = chosen.copy(), len(self._labels)
        if self._edges.any():
            of_pairs = {int(root) for root, edge in zip(self._roots, self._edges, strict=True) if edge}
            for feature, root, _ in self._walks():
                if root in of_pairs:
                    chosen[feature : feature + size] = chosen[feature : feature + size].any()
        ids = np.where(chosen, np.cumsum(chosen) - 1, loops.UNKNOWN).astype(np.int64)
        steps, values = self._table[::2], self._table[1::2]
        features = (steps != 0) & (values >= 0)
        values[features] = ids[values[features]]
        steps[values == loops.UNKNOWN] = 0
        features = self._firsts >= 0
        self._firsts[features] = ids[self._firsts[features]]
        self._tally[2] = chosen.sum()
        self._rehash(len(self._table))
        return ids

    def names(self) -> list[str]:
        """Return the name of every feature: `word[-1]=the & word[0]=cat`."""
        if self.hashing is not None:
            return [f"bucket {feature}" for feature in range(self.hashing)]
        names = [""] * self.width
        looks = {view: list(look) for texts in self._texts.values() for view, look in texts.looks.items()}
        template_of = dict(zip(self._roots[::-1].tolist(), self.templates[::-1], strict=True))
        for feature, root, path in self._walks():
            template = template_of[root]
            parts = zip(template.parts, path, strict=True)
            name = " & ".join(
                f"{view!r}[{offset}]={_look(seen, looks[view], self._farthest)}"
                for (offset, view), seen in parts
            )
            if template.transition:
                after = [f"{name} after {label}" for label in self._labels]
                names[feature : feature + len(after)] = after
            else:
                names[feature] = name
        return names

    def _walks(self) -> Iterator[tuple[int, int, list[int]]]:
        """Yield every feature with its root and the symbols on the path to it."""
        keys, values = self._table[::2], self._table[1::2]
        nodes, seen = np.divmod(keys[keys != 0], 2**32)
        first, roots = np.nonzero(self._firsts != loops.UNKNOWN)
        steps = [
            *zip(roots.tolist(), first.tolist(), self._firsts[first, roots].tolist(), strict=True),
            *zip(nodes.tolist(), seen.tolist(), values[keys != 0].tolist(), strict=True),
        ]
        parents = {-2 - value: (node, symbol) for node, symbol, value in steps if value < 0}
        for node, symbol, value in steps:
            if value >= 0:
                path, root = [symbol], node
                while root in parents:
                    root, before = parents[root]
                    path.append(before)
                yield value, root, path[::-1]

    def _learn(self, symbols: Array, starts: Ints, seen: Array, features: Array) -> None:
        self._make_room(2 * self._farthest + 1 + int(symbols.max(initial=-1)))
        begin, rounds = 0, len(starts) - 1
        while begin < rounds:
            begin = loops.learn(
                symbols, starts, tuple(self._program), self._firsts, self._table, seen, self._sizes,
                self._tally, begin, features,
            )  # fmt: skip
            if begin < rounds:
                new = int(starts[begin + 1] - starts[begin]) * len(self._program.shifts)
                self._rehash(4 * 2 ** (int(self._tally[0]) + new).bit_length())

    def _surroundings(self, lengths: Ints, dtype: Any) -> Array:
        """Return a buffer for the symbols of the longest of these sequences and beyond its ends."""
        return np.empty((lengths.max(initial=0) + 2 * self._farthest, len(self._views)), dtype)

    def _rehash(self, size: int) -> None:
        old, self._table = self._table, np.zeros(size, np.int64)
        loops.rehash(old, self._table)
        self._tally[0] = np.count_nonzero(self._table[::2])

    def _make_room(self, looks: int) -> None:
        """Enlarge the table of first steps to twice as many symbols as needed; the last leads nowhere."""
        before, roots = self._firsts.shape
        if looks >= before:
            firsts = np.full((2 * looks, roots), loops.UNKNOWN, np.int32)
            firsts[:before] = self._firsts
            self._firsts = firsts

    def _symbols(self, columns: Sequence[Sequence[str]], tokens: int, learning: bool) -> Array:
        """Return the symbols that templates see (tokens × views)."""
        found = [texts.symbols(columns[column], learning) for column, texts in self._texts.items()]
        return found[0] if len(found) == 1 else np.hstack([np.empty((tokens, 0), np.int32), *found])


def _looks(templates: Sequence[Template]) -> dict[View, dict[str, int]]:
    """Return an empty dict of look ids per view; views of templates that share features share one."""
    shared: dict[str, int] = {}
    framed = {view for template in templates if template.frame for _, view in template.parts}
    together = framed if len({kind_of(t) for t in templates}) < len(templates) else set()
    views = {view for template in templates for _, view in template.parts}
    return {view: shared if view in together else {} for view in views}


def kind_of(template: Template) -> Any:
    """Return the key of templates that share their features."""
    return (template.frame, len(template.parts), template.transition) if template.frame else template


def _roots(templates: Sequence[Template]) -> Ints:
    """Return the root of each template; templates that share their features share their root."""
    roots: dict[Any, int] = {}
    return np.array([roots.setdefault(kind_of(t), len(roots) + 1) for t in templates], np.int64)


def _look(seen: int, looks: list[str], farthest: int) -> str:
    """Return the look of a symbol, or the distance beyond an end of the sequence."""
    if seen >= 2 * farthest:
        return looks[seen - 2 * farthest]
    distance, after = divmod(seen, 2)
    return f"(end+{distance + 1})" if after else f"(start-{distance + 1})"


def columns_of(
    sequences: Sequence[Any], lengths: Ints, needed: int, first: int = 0
) -> Sequence[Sequence[str]]:
    """Return the columns of all tokens, each a list of strings; at least `needed` of them."""
    if isinstance(sequences, Columns) and len(sequences.columns) >= needed:
        return sequences.columns
    tokens = flat(sequences)
    kinds = set(map(type, tokens))
    if not tokens:
        return [[]] * needed
    if kinds <= TEXTS and needed == 1:
        return [tokens]
    if kinds <= ROWS and min(map(len, tokens)) >= needed:
        columns = [list(map(itemgetter(column), tokens)) for column in range(needed)]
        if all(set(map(type, column)) <= TEXTS for column in columns):
            return columns
    for index, token in enumerate(tokens):
        if not _readable(token, needed):
            raise ValueError(
                f"Every token must be a row of {needed} string{'s' * (needed > 1)} or more, the columns that "
                f"templates look at{', or one string' * (needed == 1)}. Got {shown(token)} as "
                f"{location_of(index, lengths, first)}."
            )
    rows = [(token,) if isinstance(token, str) else token for token in tokens]
    return [[row[column] for row in rows] for column in range(needed)]


def _readable(token: Any, needed: int) -> bool:
    if isinstance(token, str):
        return needed == 1
    if not isinstance(token, list | tuple) or len(token) < needed:
        return False
    return all(isinstance(cell, str) for cell in token[:needed])
