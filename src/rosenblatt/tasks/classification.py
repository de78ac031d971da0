"""Classification: labels become truths, one per row, and scores become classes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from sklearn.utils import assert_all_finite, check_array
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from rosenblatt._types import Array, Data, Floats, Ints
from rosenblatt.data.blocks import Block
from rosenblatt.engine.run import Examples, begin
from rosenblatt.engine.slots import NO_TRUTH
from rosenblatt.games import Argmax, Binary, Game, OneVsRest
from rosenblatt.rows import Rows, rows_of
from rosenblatt.tasks.task import MOST, RowTask
from rosenblatt.theory import certificates, directions, explanations


def checked_labels(y: Any, rows: int) -> Array:
    """The labels as an array, one per row."""
    if y is None:
        raise ValueError("fit requires y to be passed, but the target y is None. Pass a label per row.")
    labels = np.asarray(column_or_1d(y, warn=True))
    kinds = {type(label).__name__ for label in labels} if labels.dtype == object else set()
    if len(kinds) > 1 and not kinds.isdisjoint(("str", "NoneType")):
        found = ", ".join(sorted(kinds))
        raise ValueError(f"Labels must be of one kind, or they have no order. Got {found}.")
    assert_all_finite(labels, input_name="y")
    if labels.dtype.kind not in "biuU":  # these types are always classes
        check_classification_targets(labels)
    if len(labels) != rows:
        raise ValueError(f"There must be one value of y per row. Got {rows} rows and {len(labels)} values.")
    return labels


def classes_of(labels: Array) -> Array:
    """The different labels, sorted."""
    if labels.dtype.kind in "iu" and len(labels):
        lowest, highest = int(labels.min()), int(labels.max())
        if highest - lowest < 2:
            return np.unique(np.array([lowest, highest], labels.dtype))
        if highest - lowest < len(labels):  # counting them takes a tenth of the time of sorting them
            wide = labels.astype(f"{labels.dtype.kind}8")
            counts = np.bincount((wide - wide.min()).astype(np.int64))
            return np.asarray(np.flatnonzero(counts).astype(wide.dtype) + wide.min(), labels.dtype)
    return np.unique(labels)


def check_classes(classes: Array, ties: str) -> None:
    """Raise ValueError if the game cannot be played with these classes."""
    if len(classes) < 2:
        only = f"1 class only: {classes[0]!s}" if len(classes) else "0 classes"
        raise ValueError(f"There must be at least 2 classes to tell apart. Got {only}.")
    if len(classes) > 2 and ties == "positive":
        raise ValueError(f"ties='positive' is for two classes. Got {len(classes)}: use ties='mistake'.")


def check_game(multiclass: str | Game, classes: int) -> None:
    """Raise ValueError if a user's game is not for this many classes."""
    if not isinstance(multiclass, str) and multiclass.classes != classes:  # type: ignore[attr-defined]
        raise ValueError(
            f"The game {multiclass!r:.100} is for {multiclass.classes} classes. "  # type: ignore[attr-defined]
            f"Got labels of {classes}."
        )


def lasting_classes(given: Any, before: Array | None) -> Array:
    """Return the classes given in the first call; raise ValueError if later calls give others."""
    if before is None and given is None:
        raise ValueError("The first call of partial_fit needs classes=, all there will ever be. Got None.")
    if before is None:
        return np.unique(given)
    if given is not None and not np.array_equal(np.unique(given), before):
        raise ValueError(f"classes must stay what they were, {shown(before)}. Got {shown(np.unique(given))}.")
    return before


def shown(classes: Array) -> str:
    """Return classes as an error message lists them."""
    return ", ".join(map(repr, classes.tolist()))


def encode(labels: Array, classes: Array) -> Array:
    """The index of each label among the classes."""
    if len(classes) == 2:
        second = labels == classes[1]
        truths, unseen = second.view(np.int8), np.flatnonzero(~second & (labels != classes[0]))
    else:
        truths = np.minimum(np.searchsorted(classes, labels), len(classes) - 1)
        unseen = np.flatnonzero(classes[truths] != labels)
    if len(unseen):
        raise ValueError(
            f"Row {unseen[0]} has the label {labels[unseen].tolist()[0]!r}, which is not one of the classes "
            f"{shown(classes)}. Name every class in the first call of partial_fit, or call fit."
        )
    return np.asarray(truths)


def weights(truths: Ints, classes: Array, sample_weight: Any, class_weight: Any) -> Floats | None:
    """Return the weight of a correction on each row; None if all are 1."""
    if sample_weight is None and class_weight is None:
        return None
    result = np.ones(len(truths))
    if sample_weight is not None:
        result *= _one_per_row(sample_weight, len(truths))
    if class_weight is not None:
        result *= compute_sample_weight(class_weight, classes[truths])
    bad = np.flatnonzero(~((result >= 0) & (result <= MOST)))
    if len(bad):
        raise ValueError(
            f"Weights must be numbers from 0 to {MOST:g}. Got {result[bad[0]]:g} for row {bad[0]}: look at "
            "sample_weight and class_weight."
        )
    return result


def _one_per_row(sample_weight: Any, rows: int) -> Floats:
    """Return a weight per row from one for each of them, or one for all."""
    weights = check_array(sample_weight, ensure_2d=False, dtype=np.float64, input_name="sample_weight")
    if weights.shape not in ((), (rows,)):
        raise ValueError(
            f"sample_weight must be a number or have one per row, shape {(rows,)}. Got shape {weights.shape}."
        )
    if not weights.any():
        raise ValueError("Sample weights must contain at least one non-zero number. Got none.")
    return np.broadcast_to(weights, (rows,))


class ClassificationTask(RowTask):
    """A run of a game of one row a round, between a user's rows and labels.

    Parameters
    ----------
    options
        The arguments of `engine.begin` besides the game and the features.
    multiclass, ties, start, class_weight
        As for `PerceptronClassifier`.
    classes
        All classes; None for those of the first block.
    """

    def __init__(
        self,
        options: dict[str, Any],
        *,
        multiclass: str | Game = "argmax",
        ties: str = "mistake",
        start: str = "zero",
        class_weight: Any = None,
        classes: Array | None = None,
    ) -> None:
        super().__init__(options)
        self.multiclass, self.ties, self.start = multiclass, ties, start
        self.class_weight = class_weight
        self.given = classes
        self.classes: Array = np.empty(0)

    def game(self) -> Game:
        """Return the game for the classes: the given one, or "argmax" or "one-vs-rest" above two."""
        if not isinstance(self.multiclass, str):
            return self.multiclass
        if len(self.classes) == 2:
            return Binary(ties=self.ties)
        return Argmax(len(self.classes)) if self.multiclass == "argmax" else OneVsRest(len(self.classes))

    def begin(self, block: Block, random: np.random.Generator, epochs: int = 1) -> None:
        """Begin a run with the given classes, or those of this block."""
        width = None if isinstance(block.X, list) else int(block.X.shape[1])
        classes = classes_of(block.y) if self.given is None else np.unique(self.given)
        self.begin_with(width, classes, random)

    def begin_with(
        self, width: int | None, classes: Array, random: np.random.Generator | None = None
    ) -> None:
        """Begin a run for rows of this width and these classes; `random` draws a random start."""
        check_classes(classes, self.ties)
        check_game(self.multiclass, len(classes))
        self.classes, self.features = classes, width
        game, start = self.game(), None
        features = None if self.options["kernel"] is not None else width
        if self.start == "random" and features is not None and random is not None:
            start = random.normal(scale=0.01, size=(features + 1, game.outputs))
            start[-1] *= self.options["intercept"]
        self.run = begin(game, features=features, start=start, **self.options)

    def blocks(self, source: Iterable[Block]) -> Iterator[Block]:
        """Yield the blocks of the source, after a check that all labels are known."""
        if self.class_weight == "balanced":
            raise ValueError(
                "class_weight='balanced' needs all labels before the first round. Got a file that is read in "
                "chunks: give every class its weight."
            )
        for block in super().blocks(source):
            new = np.setdiff1d(block.y, self.classes)
            if len(self.classes) and len(new):
                raise ValueError(
                    f"The label {new.tolist()[0]!r} is not one of the classes {shown(self.classes)} of "
                    "the first rows. Name all classes beforehand."
                )
            yield block

    def examples(self, block: Block, random: np.random.Generator, epochs: int = 1) -> Examples:
        """Return one round per row."""
        truths = encode(block.y, self.classes)
        found = weights(truths, self.classes, block.sample_weight, self.class_weight)
        return Examples(self.run.number(self.as_wide(block.X)), truths, weights=found)

    def scores(self, rows: Rows, predictor: str, random: np.random.Generator | None = None) -> Floats:
        """Return the scores of rows: one each for two classes, else one per class or output."""
        found = self.run.guess(predictor, random).scores(rows).scores
        return found[:, 0] if found.shape[1] == 1 else found

    def answers(self, rows: Rows, predictor: str, random: np.random.Generator | None = None) -> Array:
        """Return the class of every row."""
        return np.asarray(self.classes[self.run.guess(predictor, random).answers(rows)])

    def explain(self, row: Rows, predictor: str, label: Any = None) -> explanations.Explanation:
        """Explain the score of one row for a class: by default the predicted one, or the second of two."""
        answer = self.answers(row, predictor)[0]
        chosen, output, sign = self._to_explain(answer, label)
        ids, importance, similarity, start = explanations.parts(self.run, row, predictor, output)
        label_of = dict(zip(self.run.support.ids.tolist(), self.support_labels(), strict=True))
        return explanations.Explanation(
            answer=answer,
            output=self.classes[chosen],
            score=sign * float(self.run.single_guess(predictor).scores(row).scores[0, output]),
            examples=ids,
            labels=np.array([label_of[i] for i in ids.tolist()]),
            importance=sign * importance,
            similarity=similarity,
            start=sign * start,
        )

    def _to_explain(self, answer: Any, label: Any) -> tuple[int, int, int]:
        """Return a class, the output with its score, and the sign of the class in that output."""
        classes = self.classes.tolist()
        if label is not None and label not in classes:
            raise ValueError(f"label must be one of {shown(self.classes)}. Got {label!r}.")
        outputs = self.run.game.outputs
        if outputs == 1 and len(classes) == 2:
            chosen = 1 if label is None else classes.index(label)
            return chosen, 0, 2 * chosen - 1
        if outputs == 1 and label is None:  # one score decides among all classes
            return classes.index(answer), 0, 1
        if outputs != len(classes):
            raise ValueError(
                f"A game must have a score of the class {(answer if label is None else label)!r} to explain "
                f"it. Got {self.run.game!r:.100}, with {outputs} scores for {len(classes)} classes."
            )
        chosen = int(np.flatnonzero(self.classes == answer)[0]) if label is None else classes.index(label)
        return chosen, chosen, 1

    def support_labels(self) -> Array:
        """Return the class of every support vector; of one made of two, by its largest coefficient."""
        truths = self.run.support.truths
        merged = np.flatnonzero(truths == NO_TRUTH)
        if len(merged) and self.run.budgeted is not None:
            found = self.run.budgeted.coefficients[merged]
            truths = truths.copy()
            truths[merged] = np.argmax(np.hstack([-found, found]) if found.shape[1] == 1 else found, axis=1)
        return np.asarray(self.classes[truths])

    def certify(self, data: Data, labels: Array, u: Any = None) -> list[certificates.Certificate]:
        """Return a certificate per head for these examples, which must be those that were learned from.

        `u` is weights, or another run and one of its predictors.
        """
        examples = Examples(rows_of(data), encode(labels, self.classes))
        certificates.check_learned_from(self.run, examples)
        certificates.check_labels(examples.truths, self.run.support.ids, self.run.support.truths)
        return certificates.certify(self.run, examples, None if u is None else [self._direction(u, examples)])

    def _direction(self, u: Any, examples: Examples) -> directions.Direction:
        if not isinstance(u, tuple):
            return directions.direction_of_weights(self.run, examples, np.asarray(u, dtype=np.float64))
        other, predictor = u
        if other.kernel != self.run.kernel or other.game != self.run.game:
            raise ValueError(
                f"u must have learned with the same kernel and classes, {self.run.kernel!r}. "
                f"Got {other.kernel!r}."
            )
        return directions.direction_of_run(self.run, examples, other, predictor)
