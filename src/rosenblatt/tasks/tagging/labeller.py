"""A run of the sequence game, between a user's tokens and labels."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any

import numpy as np

from rosenblatt._types import Floats, Ints
from rosenblatt.engine import predictors
from rosenblatt.engine.run import Examples, Run, begin
from rosenblatt.features import Encoder, Tokens
from rosenblatt.features.encoders import joined, lengths_of, location_of, shown
from rosenblatt.games import Sequence as Game
from rosenblatt.loops.book import STRUCTURE
from rosenblatt.rows import Csr, rows_of
from rosenblatt.rows.columns import starts_of
from rosenblatt.rules import Perceptron
from rosenblatt.tasks.tagging import reading
from rosenblatt.tasks.tagging.lattices import Lattice
from rosenblatt.tasks.tagging.task import Task


class Labeller:
    """Ids of features and labels, and once there is a `run`, scores of paths.

    Parameters
    ----------
    task
        The features to use and the paths to allow.
    encoder
        The encoder, which holds the ids of the features.
    labels
        All labels.
    """

    run: Run

    def __init__(self, task: Task, encoder: Encoder, labels: Sequence[Any]) -> None:
        self.task = task
        self.encoder = encoder
        self.labels = list(labels)
        self.number = {label: i for i, label in enumerate(self.labels)}
        self.game: Game = task.game(self.labels)
        self._names: list[str] | None = None

    @property
    def is_dual(self) -> bool:
        """Whether there is a kernel, and so no weight of a feature."""
        return self.run.kernel is not None

    @property
    def numbers(self) -> range:
        """The ids of all labels."""
        return range(len(self.labels))

    @property
    def names(self) -> list[str]:
        """The name of every feature, computed once until there are more."""
        if self._names is None or len(self._names) != self.encoder.width:
            self._names = self.encoder.names()
        return self._names

    def read(self, X: Any, y: Any) -> tuple[Tokens, Ints]:
        """Encode more sequences to learn from, and return them with the ids of their labels."""
        encoded, truths = [], []
        try:
            for first, sequences, labels in reading.pieces(X, y):
                ids = reading.label_ids(labels, lengths_of(sequences), self.number, first)
                encoded.append(self.encoder.encode(sequences, learning=True, first=first))
                truths.append(ids)
        finally:  # even after an error: a feature that has an id has weights
            self.run.hypothesis.widen(self.encoder.width)
        if not encoded:
            raise ValueError("Found no sequences: at least 1 is needed. Got none.")
        return self.checked(joined(encoded), np.concatenate(truths))

    def checked(self, tokens: Tokens, truths: Ints) -> tuple[Tokens, Ints]:
        """Return tokens and truths; raise ValueError if a path is not allowed."""
        if self.game.forbidden:
            why = "allowed" if self.task.scheme is None else f"scheme={self.task.scheme!r}"
            reading.check_allowed(truths, tokens.lengths, self.game.structure, self.labels, why)
        return tokens, truths

    def examples(self, tokens: Tokens, truths: Ints, weights: Floats | None = None) -> Examples:
        """Return encoded sequences and their truths as examples for the learner."""
        if tokens.edges:
            spread = np.zeros(int(tokens.starts[-1]), np.int64)
            spread[tokens.of_tokens()] = truths
            truths = spread
        return Examples(self.run.number(tokens.rows), truths, tokens.starts, weights)

    def prepare(self, examples: Examples, epochs: int) -> None:
        """Set the precision that the guess needs for this many epochs over these examples."""
        if (primal := self.run.primal) is not None:
            primal.hold(self._more(examples, epochs), moved=len(self.run.book) > 0)

    def _more(self, examples: Examples, epochs: int) -> float:
        """The most that weights can grow in these epochs if they stay integers; ∞ if they need not."""
        rule, rows = self.run.rule, examples.rows
        if not (
            isinstance(rule, Perceptron)
            and rule.eta.is_integer()
            and rows.sparse
            and examples.weights is None
        ):
            return np.inf
        values = rows.csr.values
        if not np.array_equal(values, np.rint(values)):
            return np.inf
        return rule.eta * max(1.0, float(np.abs(values).max(initial=0))) * 2 * epochs * len(rows)

    def encode(self, sequences: Sequence[Any], predictor: str, first: int = 0) -> Tokens:
        """Encode sequences to tag; comparing them with the support set needs them tidy."""
        linear = not self.is_dual and predictor in predictors.GUESSES
        return self.encoder.encode(sequences, tidy=not linear, first=first)

    def lattice(self, tokens: Tokens, predictor: str, random: np.random.Generator | None = None) -> Lattice:
        """Return the lattice of encoded sequences by a predictor."""
        rows, starts = rows_of(tokens.rows), tokens.starts
        if predictor == "vote":
            scores, once = predictors.votes(self.run, rows, starts), self.game.structure
        elif predictor == "sample":
            scores, drawn = predictors.sampled(self.run, rows, starts, random or np.random.default_rng())
            return Lattice(self.game, scores, drawn, starts, tokens.of_tokens())
        elif not self.is_dual:
            weights, once = self.guess(predictor)
            scores = predictors.scores_by(self.run, weights, rows)
        else:
            scores, once = predictors.scores(self.run, rows, predictor)
        structure = np.broadcast_to(once, (len(starts) - 1, len(once)))
        return Lattice(self.game, np.ascontiguousarray(scores), structure, starts, tokens.of_tokens())

    def guess(self, predictor: str) -> tuple[Floats, Floats]:
        """The weights and structure weights of a single guess in the primal."""
        return predictors.guess_weights(self.run, predictor), predictors.guess_structure(self.run, predictor)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state of a copy, without the cached names."""
        return vars(self) | {"_names": None}

    def with_labels(self, labels: Sequence[Any]) -> Labeller:
        """Return a copy of the run with these labels, the known ones first; new ones have weights of 0."""
        result = Labeller(self.task, self.encoder, labels)
        before, after, run = len(self.labels), len(labels), self.run
        moved = _structure_among(before, after)
        hypothesis = run.hypothesis.with_outputs(after, result.game.structure, moved)
        book = deepcopy(run.book)
        on_structure = book.entries[:, 1] == STRUCTURE
        book.entries[on_structure, 2] = moved[book.entries[on_structure, 2].astype(np.int64)]
        book.unlisted_delays = np.zeros(len(result.game.structure))
        book.unlisted_delays[moved] = run.book.unlisted_delays
        result.run = replace(run, game=result.game, hypothesis=hypothesis, book=book)
        return result

    def pruned(self, predictor: str, smallest: float, intercept: bool) -> Labeller:
        """Return a single guess, as the last of a run without rounds, without features of small weights.

        A feature is kept if the magnitude of one of its weights is above `smallest`.
        """
        if self.is_dual:
            raise ValueError("A learner with a kernel has examples, and no features to leave out.")
        weights, structure = self.guess(predictor)
        encoder = deepcopy(self.encoder)
        chosen = np.abs(weights[: encoder.width]).max(axis=1, initial=0.0) > smallest
        kept = encoder.keep(chosen) >= 0
        result = Labeller(self.task, encoder, self.labels)
        result.run = begin(self.game, features=int(kept.sum()), intercept=intercept, keep=False)
        hypothesis = result.run.primal
        assert hypothesis is not None
        hypothesis.weights = np.vstack([weights[: len(kept)][kept], weights[-1:]])
        hypothesis.structure = structure.copy()
        return result

    def mask(self, lattice: Lattice, known: Any, lengths: Ints, first: int) -> None:
        """Forbid all labels but the known one wherever there is one; None where there is not."""
        tokens = np.arange(len(lattice.scores))[lattice.tokens]
        starts = starts_of(lengths)
        for i, labels in enumerate(known):
            if labels is None:
                continue
            if len(labels) != lengths[i]:
                raise ValueError(
                    f"known must have a label or None for every token. Got {len(labels)} for the "
                    f"{lengths[i]} tokens of sequence {first + i}."
                )
            for token, label in enumerate(labels, starts[i]):
                if label is None:
                    continue
                if label not in self.number:
                    raise ValueError(
                        f"Got the known label {shown(label)} at {location_of(token, lengths, first)}. "
                        f"The labels are {shown(self.labels, 200)}."
                    )
                row, number = tokens[token], self.number[label]
                kept = lattice.scores[row, number]
                lattice.scores[row] = -np.inf
                lattice.scores[row, number] = kept


def begin_reading(task: Task, X: Any, y: Any, classes: Any = None) -> tuple[Labeller, Tokens, Ints]:
    """Return a labeller for these sequences and labels, or for these classes; encoded sequences; truths.

    Sequences are read once, a few at a time, unless templates look at pairs of labels: their
    features can get ids only when all labels are known.
    """
    if classes is None and task.sees_pairs:
        known: dict[Any, int] = {}
        parts = list(reading.pieces(X, y))
        for first, sequences, some in parts:
            reading.add_labels(some, lengths_of(sequences), known, first)
        X = [sequence for _, sequences, _ in parts for sequence in sequences]
        y = [labels for _, _, some in parts for labels in some]
        classes = reading.in_order(list(known))
    labels = None if classes is None else reading.checked_labels(classes)
    number = {label: i for i, label in enumerate(labels or ())}
    encoder: Encoder | None = None
    encoded, truths, empty = list[Tokens](), list[Ints](), 0
    for first, sequences, some in reading.pieces(X, y):
        lengths = lengths_of(sequences)
        if labels is None:
            reading.add_labels(some, lengths, number, first)
        truths.append(reading.label_ids(some, lengths, number, first))
        if encoder is None:
            if not lengths.any():
                empty += len(sequences)
                continue
            encoder = task.encoder(sequences[int(np.argmax(lengths > 0))], labels or ())
        encoded.append(encoder.encode(sequences, learning=True, first=first))
    if encoder is None:
        raise ValueError(
            f"There must be at least one token to learn from. Got {empty} sequences without any."
        )
    ordered = reading.in_order(list(number)) if labels is None else labels
    labeller = Labeller(task, encoder, ordered)
    ids = np.array([labeller.number[label] for label in number])
    tokens = joined(encoded)
    tokens = replace(tokens, lengths=np.concatenate([np.zeros(empty, np.int64), tokens.lengths]))
    return (labeller, *labeller.checked(tokens, ids[np.concatenate(truths)]))


def left_out(encoder: Encoder, tokens: Tokens, min_count: int) -> Tokens:
    """Return the tokens without features that occur less than `min_count` times; the encoder drops them."""
    if not isinstance(tokens.rows, Csr):
        raise ValueError(f"Arrays have the features they have. Got min_count={min_count}.")
    seen = np.bincount(tokens.rows.features, minlength=encoder.width)
    numbers = encoder.keep(seen >= min_count)
    return tokens.renumbered(numbers, encoder.width)


def _structure_among(before: int, after: int) -> Ints:
    """The indices of the structure weights for `before` labels among those for `after` labels."""
    pairs = (np.arange(before)[:, None] * after + np.arange(before)).ravel()
    ends = np.arange(before)
    return np.concatenate([pairs, after * after + ends, after * (after + 1) + ends])
