"""Multilabel classification: rows have any number of labels, and each label is a question of its own."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt._types import Array, Bools, Floats, Ints
from rosenblatt.data.blocks import Block
from rosenblatt.engine.outputs import with_outputs
from rosenblatt.engine.slots import NO_TRUTH
from rosenblatt.games import MultiLabel
from rosenblatt.rows import Rows
from rosenblatt.tasks.classification import ClassificationTask
from rosenblatt.tasks.label_sets import NO_SET, in_form, label_sets, listed, shown
from rosenblatt.tasks.late_labels import appended
from rosenblatt.tasks.task import check_weights, fitted_to
from rosenblatt.tasks.weights import weights_of_classes, weights_of_rows


class MultiLabelTask(ClassificationTask):
    """A run of the multilabel game, between a user's rows and sets of labels.

    Labels keep their columns: those that come later get the next ones.

    Attributes
    ----------
    form
        How the first sets of labels were passed, and so how answers are returned; "" before them.
    """

    form = ""

    def read(self, y: Any, rows: int, *, learning: bool = True) -> Array:
        """Return the sets of labels as an indicator matrix; if `learning`, new labels play from now on."""
        given = label_sets(y, lists=self.form == "lists")
        if len(given.indicator) != rows:
            raise ValueError(
                f"There must be one set of labels per row. Got {rows} rows and {len(given.indicator)} sets."
            )
        if not self.form:
            self.form = given.form
            self.classes = np.empty(0, np.int64) if self.given is None else self.given
        numbered = np.array_equal(self.classes, np.arange(len(self.classes)))
        if learning and (given.labels is not None or numbered):
            width = given.indicator.shape[1]
            self.admit_classes(np.arange(width) if given.labels is None else given.labels)
        return given.by_column(self.classes)

    def game(self) -> MultiLabel:
        """Return the game for the labels."""
        return MultiLabel(len(self.classes), self.ties)

    def check(self, classes: Array, fewest: int = 1) -> None:
        """Raise ValueError if the game cannot be played with these labels."""
        if not isinstance(self.multiclass, str):
            raise ValueError(
                "A game of your own is for one label per row. Got sets of labels and the game "
                f"{self.multiclass!r:.100}: leave it out, and every label is a question of its own."
            )
        if not len(classes):
            raise ValueError("There must be at least 1 label to learn. Got rows that have none.")

    def begin(self, block: Block, random: np.random.Generator, epochs: int = 1) -> None:
        """Begin a run with the labels that were read."""
        width = None if isinstance(block.X, list) else int(block.X.shape[1])
        self.begin_with(width, self.classes, random, fitted_to(block.X, self.options))

    def admit(self, block: Block) -> None:
        """Do nothing: labels that are new were admitted when they were read."""

    def admit_classes(self, labels: Array) -> None:
        """Let the run know new labels among these; their weights are 0, and they get the next columns."""
        known = set(self.classes.tolist())
        new = [i for i, label in enumerate(labels.tolist()) if label not in known]
        if not new:
            return
        strings = {array.dtype.kind == "U" for array in (self.classes, labels) if len(array)}
        if len(strings) > 1:
            raise ValueError(
                f"Labels must be of one kind. Got {shown(labels[new[:1]])} after {shown(self.classes[:3])}."
            )
        before = len(self.classes)
        self.classes = np.concatenate([self.classes, labels[new]]) if before else labels[new]
        if hasattr(self, "run"):
            game = self.game()
            self.run = with_outputs(self.run, game, appended(before, game))

    def truths(self, labels: Array) -> Array:
        """Return the truths about rows from what `read` returned."""
        unknown = np.flatnonzero((labels == NO_SET).any(axis=1))
        if len(unknown):
            raise ValueError(
                f"Row {unknown[0]} has a label that is not one of the labels {shown(self.classes):.200}."
            )
        return labels

    def weights(self, truths: Array, sample_weight: Any) -> Floats | None:
        """Return the weights of corrections, of rows or of rows and labels; None if all are 1.

        A dict has factors for rows that have a label; "balanced" weighs those with a label and those without
        it against each other, for every label by itself.
        """
        if sample_weight is None and self.class_weight is None:
            return None
        of_rows = weights_of_rows(truths, self.classes, sample_weight, None)
        if self.class_weight is None:
            return of_rows
        found = np.repeat(of_rows[:, None], truths.shape[1], axis=1)
        if isinstance(self.class_weight, str):
            for column, truth in zip(found.T, truths.T, strict=True):
                column *= weights_of_classes(truth, [0, 1], self.class_weight)[truth]
        else:
            factors = weights_of_classes(truths, self.classes, self.class_weight, complete=not self.grows)
            found *= np.where(truths > 0, factors, 1.0)
        check_weights(found.max(axis=1))
        check_weights(found.min(axis=1))
        return found

    def scores(self, rows: Rows, predictor: str, random: np.random.Generator | None = None) -> Floats:
        """Return the scores of rows, one per label."""
        return self.run.guess(predictor, random).scores(rows).scores

    def answers(self, rows: Rows, predictor: str, random: np.random.Generator | None = None) -> Any:
        """Return the labels of every row, in the form of those that were learned first."""
        return in_form(self._indicator(rows, predictor, random), self.form, self.classes)

    def _indicator(self, rows: Rows, predictor: str, random: np.random.Generator | None = None) -> Ints:
        return self.run.guess(predictor, random).answers(rows)

    def right(
        self, rows: Rows, labels: Array, predictor: str, random: np.random.Generator | None = None
    ) -> Bools:
        """Return which rows are answered with exactly their labels."""
        return np.asarray((self._indicator(rows, predictor, random) == labels).all(axis=1))

    def asked(self, row: Rows, predictor: str, label: Any) -> tuple[Any, int, int, int]:
        """Return the labels of a row, and one of them, by default with the highest score; see the base."""
        if label is None:
            label = self.classes.tolist()[int(np.argmax(self.scores(row, predictor)[0]))]
        answer = listed(self._indicator(row, predictor), self.classes)[0]
        return answer, *super().asked(row, predictor, label)[1:]

    def _support_truths(self) -> Array:
        """The truth about every support vector; that of one made of two by the signs of its coefficients."""
        truths = self.run.support.truths.reshape(-1, len(self.classes))
        merged = np.flatnonzero((truths == NO_TRUTH).all(axis=1))
        if len(merged) and self.run.budgeted is not None:
            truths = truths.copy()
            truths[merged] = self.run.budgeted.coefficients[merged] > 0
        return truths

    def support_labels(self) -> Array:
        """Return the labels of every support vector, a tuple for each."""
        truths = self._support_truths()
        found = np.empty(len(truths), object)
        found[:] = listed(truths, self.classes)
        return found

    def support_counts(self) -> Ints:
        """Return the number of support vectors that have each label."""
        return np.asarray((self._support_truths() > 0).sum(axis=0))
