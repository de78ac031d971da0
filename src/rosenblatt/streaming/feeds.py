"""Feeds turn the blocks of a file into examples for an estimator: they begin its run and continue it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from rosenblatt._types import Array
from rosenblatt.data.blocks import Block, Sequences, joined
from rosenblatt.engine.run import Examples
from rosenblatt.estimators.classifier import PerceptronClassifier
from rosenblatt.estimators.ranker import PerceptronRanker
from rosenblatt.estimators.tagger import PerceptronTagger
from rosenblatt.rows import widened
from rosenblatt.tasks import classification
from rosenblatt.tasks.lists import Lists
from rosenblatt.tasks.tagging import begin_reading, left_out, reading


class Feed(Protocol):
    """Turns the blocks of a file into the examples of an estimator."""

    def begin(self, block: Any, random: np.random.Generator) -> None:
        """Begin a run with its first block."""

    def blocks(self, source: Iterable[Any]) -> Iterator[Any]:
        """Yield blocks that can be learned from one by one."""

    def examples(self, block: Any, random: np.random.Generator) -> Examples:
        """Return the examples of a block."""

    def finish(self) -> None:
        """Leave the estimator as `fit` on all blocks at once would."""


WIDEST = 2**27
"""The most features a row may have: the weights of all features must fit in memory."""


def check_width(features: int) -> None:
    """Raise ValueError if rows have more than WIDEST features."""
    if features > WIDEST:
        raise ValueError(
            f"Rows may have at most {WIDEST:,} features. Got {features:,}: hash them, as with --hash-bits 20."
        )


class RowFeed:
    """The base of feeds of rows, which may get wider as new features come in."""

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def blocks(self, source: Iterable[Block]) -> Iterator[Block]:
        """Yield the blocks of the source unchanged."""
        yield from source

    def rows(self, block: Block) -> Any:
        """Return the rows of a block, as wide as the widest so far."""
        estimator, X = self.estimator, block.X
        check_width(X.shape[1])
        width, run = X.shape[1], estimator._run
        if width > estimator.n_features_in_:
            if run.primal is not None and run.primal.start is not None:
                raise ValueError(
                    f"Random weights are drawn for the {estimator.n_features_in_} features of the first "
                    f"rows. Got {width} later: start at zero."
                )
            run.hypothesis.widen(width)
            estimator.n_features_in_ = width
        elif width < estimator.n_features_in_ and sp.issparse(X):
            X = widened(X, estimator.n_features_in_)
        return X

    def finish(self) -> None:
        """Free the memory reserved for features that never came."""
        self.estimator._run.hypothesis.narrow(self.estimator.n_features_in_)


class ClassifierFeed(RowFeed):
    """The feed of a classifier, whose classes are those of the first block unless they are given."""

    estimator: PerceptronClassifier

    def __init__(self, estimator: PerceptronClassifier, classes: Array | None = None) -> None:
        super().__init__(estimator)
        self._classes = classes

    def begin(self, block: Block, random: np.random.Generator) -> None:
        """Begin a run with the given classes, or those of this block."""
        estimator = self.estimator
        estimator._check_parameters()
        check_width(block.X.shape[1])
        given = classification.classes_of(block.y) if self._classes is None else np.unique(self._classes)
        estimator.classes_ = given
        classification.check_classes(given, estimator.ties)
        if estimator.class_weight == "balanced":
            raise ValueError(
                "class_weight='balanced' needs all labels before the first round. Got a file that is read in "
                "chunks: give every class its weight."
            )
        estimator.n_features_in_ = block.X.shape[1]
        estimator._run = estimator._begin(estimator._kernel(), random)
        estimator._support_truths = []

    def examples(self, block: Block, random: np.random.Generator) -> Examples:
        """Return one round per row."""
        estimator = self.estimator
        X, classes = self.rows(block), estimator.classes_
        new = np.setdiff1d(block.y, classes)
        if len(new):
            raise ValueError(
                f"The label {new.tolist()[0]!r} is not one of the classes {classification.shown(classes)} of "
                "the first rows. Name all classes beforehand."
            )
        truths = classification.encode(block.y, classes)
        weights = classification.weights(truths, classes, None, estimator.class_weight)
        return Examples(estimator._run.number(X), truths, weights=weights)


class RankerFeed(RowFeed):
    """The feed of a ranker: rows in queries, each of which stays in one block."""

    estimator: PerceptronRanker

    def begin(self, block: Block, random: np.random.Generator) -> None:
        """Begin a run with the number of features of this block."""
        estimator = self.estimator
        estimator._check_parameters()
        check_width(block.X.shape[1])
        estimator.n_features_in_ = block.X.shape[1]
        estimator._begin(estimator._kernel())

    def blocks(self, source: Iterable[Block]) -> Iterator[Block]:
        """Yield blocks with all rows of a query in one: rows at a block's start may join the block before."""
        waiting: Block | None = None
        finished: set[Any] = set()
        for block in source:
            if block.qid is None:
                raise ValueError("A ranker needs to know the query of every row. Got rows without.")
            if waiting is None:
                waiting = block
                continue
            more = 0
            while more < len(block) and block.qid[more] == waiting.qid[-1]:
                more += 1
            waiting = joined([waiting, _cut(block, slice(0, more))]) if more else waiting
            if more < len(block):
                yield _unseen(waiting, finished)
                waiting = _cut(block, slice(more, None))
        if waiting is not None:
            yield _unseen(waiting, finished)

    def examples(self, block: Block, random: np.random.Generator) -> Examples:
        """Return lists as rounds, or pairs drawn from them."""
        estimator = self.estimator
        X = self.rows(block)
        return estimator._examples(X, Lists.of(block.y, block.qid, len(block)), 1, random)

    def finish(self) -> None:
        """Refuse a run without a round, and free the memory reserved for features that never came."""
        self.estimator._check_played()
        super().finish()


def _unseen(block: Block, finished: set[Any]) -> Block:
    """Return the block; raise ValueError if one of its queries was finished before."""
    queries = set(block.qid.tolist())
    again = finished & queries
    if again:
        raise ValueError(
            f"The query {again.pop()!r} comes again after others, in a file that is read in chunks. Sort "
            "it by query."
        )
    finished |= queries
    return block


def _cut(block: Block, part: slice) -> Block:
    return Block(block.X[part], block.y[part], block.qid[part])


class TaggerFeed:
    """The feed of a tagger: all sequences in one block."""

    def __init__(self, estimator: PerceptronTagger) -> None:
        self.estimator = estimator
        self._examples: Examples | None = None

    def begin(self, block: Sequences, random: np.random.Generator) -> None:
        """Begin a run with the features and labels of this block."""
        estimator = self.estimator
        estimator._check_parameters()
        labeller, tokens, truths = begin_reading(estimator._task(), block.X, block.y)
        check_width(labeller.encoder.width)
        if estimator.min_count > 1:
            tokens = left_out(labeller.encoder, tokens, estimator.min_count)
        estimator._begin(labeller)
        self._examples = estimator._examples(tokens, truths)
        labeller.prepare(self._examples, estimator.epochs)

    def blocks(self, source: Iterable[Sequences]) -> Iterator[Sequences]:
        """Yield the blocks of the source unchanged."""
        yield from source

    def examples(self, block: Sequences, random: np.random.Generator) -> Examples:
        """Return one round per sequence."""
        if self._examples is None:
            labeller = self.estimator._labeller
            tokens = labeller.encoder.encode(list(block.X), tidy=True)
            truths = reading.label_ids(list(block.y), tokens.lengths, labeller.number)
            self._examples = self.estimator._examples(tokens, truths)
        return self._examples

    def finish(self) -> None:
        """Do nothing: the estimator is complete."""


def feed_of(estimator: Any, classes: Array | None = None) -> Feed:
    """Return the feed of an estimator."""
    if isinstance(estimator, PerceptronClassifier):
        return ClassifierFeed(estimator, classes)
    return RankerFeed(estimator) if isinstance(estimator, PerceptronRanker) else TaggerFeed(estimator)
