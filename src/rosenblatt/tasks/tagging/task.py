"""Tagging: sequences become rounds of the sequence game, and scores become lattices of labels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from copy import copy, deepcopy
from dataclasses import replace
from typing import Any

import numpy as np

from rosenblatt._types import Floats, Ints
from rosenblatt.data.blocks import Sequences
from rosenblatt.engine import predictors
from rosenblatt.engine.outputs import Outputs, with_outputs
from rosenblatt.engine.run import Examples, begin
from rosenblatt.features import Encoder, Tokens
from rosenblatt.features.encoders import joined, lengths_of, location_of, shown
from rosenblatt.games import Sequence as Game
from rosenblatt.kernels import Precomputed
from rosenblatt.rows import Csr, rows_of, starts_of
from rosenblatt.rules import Perceptron
from rosenblatt.tasks.tagging import reading
from rosenblatt.tasks.tagging.lattices import Lattice
from rosenblatt.tasks.tagging.settings import TaggingSettings
from rosenblatt.tasks.task import NOTHING_DRAWN, Task, check_width, fitted_to, refuse_huge


class TaggingTask(Task):
    """A run of the sequence game, between a user's tokens and labels.

    Parameters
    ----------
    settings
        The features to use and the paths to allow.
    options
        The arguments of `engine.begin` besides the game and the features.
    class_weight, min_count
        As for `PerceptronTagger`.

    Attributes
    ----------
    encoder
        The encoder, which holds the ids of the features.
    labels, number
        All labels, and their ids.
    game
        The game for these labels.
    frozen
        Whether the task is for prediction only.
    """

    encoder: Encoder
    game: Game

    def __init__(
        self,
        settings: TaggingSettings,
        options: dict[str, Any],
        *,
        class_weight: Any = None,
        min_count: int = 1,
    ) -> None:
        if isinstance(options["kernel"], Precomputed):
            raise ValueError(
                "A tagger needs a kernel it can evaluate. Got a precomputed one: pass tokens and the kernel."
            )
        self.settings = settings
        self.options = options
        self.class_weight = class_weight
        self.min_count = min_count
        self.labels: list[Any] = []
        self.number: dict[Any, int] = {}
        self.frozen = False
        self._names: list[str] | None = None
        self._latest: tuple[Sequences, Examples] | None = None

    def know(self, encoder: Encoder, labels: Sequence[Any]) -> None:
        """Set the encoder and the labels, and with them the game."""
        self.encoder, self.labels = encoder, list(labels)
        self.number = {label: i for i, label in enumerate(self.labels)}
        self.game = self.settings.game(self.labels)

    def begin(self, block: Sequences, random: np.random.Generator, epochs: int = 1) -> None:
        """Begin a run with the features and labels of these sequences, or with given classes."""
        tokens, truths = self._read_first(block)
        if self.min_count > 1:
            tokens = left_out(self.encoder, tokens, self.min_count)
        check_width(self.encoder.width)
        self.begin_with(self.encoder.width, fitted_to(tokens.rows, self.options))
        self._latest = block, self._examples(block, tokens, truths)
        self._hold(self._latest[1], epochs)

    def begin_with(self, features: int, options: dict[str, Any] | None = None) -> None:
        """Begin a run for this many features; `options` are, by default, those of the task."""
        options = self.options if options is None else options
        width = None if options["kernel"] is not None else features
        self.run = begin(self.game, features=width, **options)

    def examples(self, block: Sequences, random: np.random.Generator, epochs: int = 1) -> Examples:
        """Return one round per sequence; the first block is encoded once, others without new features."""
        if self._latest is not None and self._latest[0] is block:
            return self._latest[1]
        tokens = self.encoder.encode(list(block.X), tidy=True)
        truths = reading.label_ids(list(block.y), tokens.lengths, self.number)
        self._latest = block, self._examples(block, tokens, truths)
        return self._latest[1]

    def admit(self, block: Sequences) -> None:
        """Let the run know new labels in sequences that come after the first; their weights are 0."""
        if self._latest is not None and self._latest[0] is block:
            return
        new = reading.new_labels(block.X, block.y, None, self.number)[2]
        if new:
            vars(self).update(vars(self.with_labels([*self.labels, *new])))

    def go_on(self, block: Sequences, epochs: int = 1) -> None:
        """Let the run know new labels and features of sequences with which it continues."""
        self.admit(block)
        self._latest = block, self.more(block, NOTHING_DRAWN, epochs)

    def more(self, block: Sequences, random: np.random.Generator, epochs: int = 1) -> Examples:
        """Return the rounds of new sequences, whose new features get ids and weights."""
        if block.sample_weight is not None and hasattr(block.y, "__len__"):
            reading.checked_weights(block.sample_weight, len(block.y))
        tokens, truths = self._read_more(block)
        refuse_huge(tokens.rows.values if isinstance(tokens.rows, Csr) else tokens.rows)
        examples = self._examples(block, tokens, truths)
        self._hold(examples, epochs)
        return examples

    def blocks(self, source: Iterable[Sequences]) -> Iterator[Sequences]:
        """Yield blocks; raise ValueError for a second one if weights are to be balanced over all labels."""
        for index, block in enumerate(source):
            if index and self.class_weight == "balanced":
                raise ValueError(
                    "class_weight='balanced' needs all labels before the first round. Got sequences in "
                    "several blocks: give every label its weight."
                )
            yield block

    def finish(self) -> None:
        """Free the encoded sequences."""
        self._latest = None

    def _read_first(self, block: Sequences) -> tuple[Tokens, Ints]:
        """Encode sequences with an encoder for such tokens, and learn the labels; return truths, too.

        Sequences are read once, a few at a time, unless templates look at pairs of labels: their
        features can get ids only when all labels are known.
        """
        X, y, classes = block.X, block.y, block.classes
        if classes is None and self.settings.sees_pairs:
            X, y, classes = reading.with_labels(X, y)
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
                encoder = self.settings.encoder(sequences[int(np.argmax(lengths > 0))], labels or ())
            encoded.append(encoder.encode(sequences, learning=True, first=first))
        if encoder is None:
            raise ValueError(
                f"There must be at least one token to learn from. Got {empty} sequences without any."
            )
        self.know(encoder, reading.in_order(list(number)) if labels is None else labels)
        ids = np.array([self.number[label] for label in number])
        tokens = joined(encoded)
        tokens = replace(tokens, lengths=np.concatenate([np.zeros(empty, np.int64), tokens.lengths]))
        return self._checked(tokens, ids[np.concatenate(truths)])

    def _read_more(self, block: Sequences) -> tuple[Tokens, Ints]:
        """Encode more sequences to learn from, and return them with the ids of their labels."""
        encoded, truths = [], []
        try:
            for first, sequences, labels in reading.pieces(block.X, block.y):
                ids = reading.label_ids(labels, lengths_of(sequences), self.number, first)
                encoded.append(self.encoder.encode(sequences, learning=True, first=first))
                truths.append(ids)
        finally:  # even after an error: a feature that has an id has weights
            self.run.widen(self.encoder.width)
        if not encoded:
            raise ValueError("Found no sequences: at least 1 is needed. Got none.")
        return self._checked(joined(encoded), np.concatenate(truths))

    def _checked(self, tokens: Tokens, truths: Ints) -> tuple[Tokens, Ints]:
        """Return tokens and truths; raise ValueError if a path is not allowed."""
        if self.game.forbidden:
            scheme = self.settings.scheme
            why = "allowed" if scheme is None else f"scheme={scheme!r}"
            reading.check_allowed(truths, tokens.lengths, self.game.structure, self.labels, why)
        return tokens, truths

    def _examples(self, block: Sequences, tokens: Tokens, truths: Ints) -> Examples:
        """Return encoded sequences and their truths, with the weights of the block."""
        complete, found = not self.run.book.rounds, (self.class_weight, block.sample_weight)
        weights = reading.weights_of(truths, tokens.lengths, self.labels, *found, complete=complete)
        return self.as_examples(tokens, truths, weights)

    def as_examples(self, tokens: Tokens, truths: Ints, weights: Floats | None = None) -> Examples:
        """Return encoded sequences with a truth per token; pairs of labels have none, and get 0."""
        if tokens.edges:
            spread = np.zeros(int(tokens.starts[-1]), np.int64)
            spread[tokens.of_tokens()] = truths
            truths = spread
        return Examples(self.run.number(tokens.rows), truths, tokens.starts, weights)

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

    def _hold(self, examples: Examples, epochs: int) -> None:
        """Set the precision that the guess needs for this many epochs over these examples."""
        if (primal := self.run.primal) is not None:
            primal.hold(self._growth(examples, epochs), moved=len(self.run.book) > 0)
            self.run.forget_guesses()

    def _growth(self, examples: Examples, epochs: int) -> float:
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
        if self.run.primal is not None and predictor in predictors.GUESSES:
            _ = self.run.single_guess(predictor).weights  # once, for all sequences that follow
        scores, structure = self.run.guess(predictor, random).scores(rows, starts)
        return Lattice(self.game, np.ascontiguousarray(scores), structure, starts, tokens.of_tokens())

    def __getstate__(self) -> dict[str, Any]:
        """Return the state of a copy, without what can be computed again."""
        return vars(self) | {"_names": None, "_first": None}

    def with_labels(self, labels: Sequence[Any]) -> TaggingTask:
        """Return a copy of the run with these labels, the known ones first; new ones have weights of 0."""
        if self.settings.sees_pairs:
            raise ValueError(
                "Templates that use pairs of labels need all labels in advance. Got the new label "
                f"{shown(labels[len(self.labels)])}: name all of them in the first call."
            )
        result = copy(self)
        result.know(self.encoder, labels)
        before, after = len(self.labels), len(labels)
        source = np.where(np.arange(after) < before, np.arange(after), -1)
        moved, structure = _structure_among(before, after), result.game.structure
        outputs = Outputs(source, np.ones(after), np.zeros(1, np.int64), structure, moved)
        result.run = with_outputs(self.run, result.game, outputs)
        return result

    def pruned(self, predictor: str, smallest: float, intercept: bool) -> TaggingTask:
        """Return a single guess, as the last of a run without rounds, without features of small weights.

        A feature is kept if the magnitude of one of its weights is above `smallest`.
        """
        if self.is_dual:
            raise ValueError("A learner with a kernel has examples, and no features to leave out.")
        guess, encoder = self.run.single_guess(predictor), deepcopy(self.encoder)
        weights, structure = guess.weights, guess.structure
        chosen = np.abs(weights[: encoder.width]).max(axis=1, initial=0.0) > smallest
        kept = encoder.keep(chosen) >= 0
        result = copy(self)
        result.know(encoder, self.labels)
        result.run = begin(self.game, features=int(kept.sum()), intercept=intercept, keep=False)
        result.frozen, hypothesis = True, result.run.primal
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
