"""Classification: labels become truths, one per row, and scores become classes."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from sklearn.utils import assert_all_finite
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import column_or_1d

from rosenblatt._types import Array, Bools, Data, Floats, Ints
from rosenblatt.data.blocks import Block
from rosenblatt.engine.outputs import with_outputs
from rosenblatt.engine.run import Examples, begin
from rosenblatt.engine.slots import NO_TRUTH
from rosenblatt.games import Argmax, Binary, Game, OneVsRest
from rosenblatt.rows import Rows, rows_of
from rosenblatt.rows.frames import first_missing, values_of
from rosenblatt.tasks.explaining import Explained
from rosenblatt.tasks.label_sets import refuse_sets, shown
from rosenblatt.tasks.late_labels import continued
from rosenblatt.tasks.task import RowTask, fitted_to
from rosenblatt.tasks.weights import weights_of_rows
from rosenblatt.theory import certificates, directions

CLASS_KINDS = "biuU"
"""Kinds of arrays that are always classes: booleans, integers and strings."""


FEW = 20
"""Rows in which many classes are not taken for numbers to be predicted."""


def is_plain(y: Any) -> bool:
    """Whether y is an array of classes that needs no checks."""
    return type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in CLASS_KINDS


def checked_labels(y: Any, rows: int) -> Array:
    """The labels as an array, one per row."""
    if y is None:
        raise ValueError("fit requires y to be passed, but the target y is None. Pass a label per row.")
    labels = y if is_plain(y) else _read_labels(y)
    if len(labels) != rows:
        raise ValueError(f"There must be one value of y per row. Got {rows} rows and {len(labels)} values.")
    return labels


def _read_labels(y: Any) -> Array:
    """Return labels of any kind as an array; raise ValueError for those that are not classes."""
    refuse_sets(y)
    nullable = hasattr(y, "dtype") and not isinstance(y.dtype, np.dtype)  # scikit-learn would make floats
    labels = np.asarray(column_or_1d(values_of(y) if nullable else y, warn=True))
    if isinstance(y, list | tuple) and labels.dtype.kind == "U":  # NumPy makes strings of all labels
        _refuse_mixed(y)
    missing = first_missing(labels) if labels.dtype == object else None
    if missing is not None:
        raise ValueError(
            f"Every row must have a label. Got {labels[missing]!r} for row {missing}: leave out rows without."
        )
    if labels.dtype == object:
        _refuse_mixed(labels)
    assert_all_finite(labels, input_name="y")
    if labels.dtype.kind == "f" and type_of_target(labels) == "continuous":
        fractions = labels[labels != np.rint(labels)]
        raise ValueError(
            "Unknown label type: y looks like numbers to be predicted, and a classifier learns classes. Got "
            f"{fractions[0]:g}: sort them into a few classes, as numpy.digitize does, or use a regressor."
        )
    if labels.dtype.kind not in CLASS_KINDS:
        check_classification_targets(labels)
    return labels


def _refuse_mixed(labels: Any) -> None:
    """Raise ValueError if some labels are strings and others are not."""
    kinds = {type(label).__name__ for label in labels}
    if kinds & {"str", "str_"} and kinds - {"str", "str_"}:
        raise ValueError(
            f"Labels must be of one kind, or they have no order. Got {', '.join(sorted(kinds))}."
        )


def warn_of_numbers(labels: Array, stacklevel: int = 1) -> None:
    """Warn if most labels occur once, and are numbers: those are to be predicted, not learned as classes."""
    few = len(labels) < FEW or labels.ndim > 1 or labels.dtype.kind not in "iuf"
    if few or float(labels.max()) - float(labels.min()) < len(labels) / 2:
        return
    if (classes := len(np.unique(labels))) > len(labels) / 2:
        warnings.warn(
            f"y has {classes} different numbers in {len(labels)} rows, and each is learned as a class. If "
            "they are amounts, sort them into a few classes, as numpy.digitize does, or use a regressor.",
            stacklevel=stacklevel + 1,
        )


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


def check_classes(classes: Array, ties: str, fewest: int = 2) -> None:
    """Raise ValueError if the game cannot be played with these classes."""
    if len(classes) < fewest:
        only = f"1 class only: {classes[0]!s}" if len(classes) else "0 classes"
        raise ValueError(f"There must be at least {fewest} classes to tell apart. Got {only}.")
    if len(classes) > 2 and ties == "positive":
        raise ValueError(f"ties='positive' is for two classes. Got {len(classes)}: use ties='mistake'.")


def check_game(multiclass: str | Game, classes: int) -> None:
    """Raise ValueError if a user's game is not for this many classes."""
    if not isinstance(multiclass, str) and multiclass.classes != classes:  # type: ignore[attr-defined]
        raise ValueError(
            f"The game {multiclass!r:.100} is for {multiclass.classes} classes. "  # type: ignore[attr-defined]
            f"Got labels of {classes}."
        )


def indices(labels: Array, classes: Array) -> tuple[Ints, Bools]:
    """Return the index of each label among the classes, and which labels are none of them."""
    if len(classes) == 2:
        second = labels == classes[1]
        return second.view(np.int8), ~second & (labels != classes[0])
    truths = np.minimum(np.searchsorted(classes, labels), len(classes) - 1)
    return truths, np.asarray(classes[truths] != labels)


def encode(labels: Array, classes: Array) -> Array:
    """The index of each label among the classes; raises ValueError if one is none of them."""
    truths, unknown = indices(labels, classes)
    if unknown.any():
        row = int(np.flatnonzero(unknown)[0])
        raise ValueError(
            f"Row {row} has the label {labels.tolist()[row]!r}, which is not one of the classes "
            f"{shown(classes)}."
        )
    return np.asarray(truths)


def with_new(classes: Array, labels: Array) -> Array:
    """Return the classes with new labels among them; the same array if there are none."""
    strings = {array.dtype.kind in "US" for array in (classes, labels) if array.dtype != object}
    if len(strings) > 1:
        raise ValueError(
            f"Labels must be of one kind, or they have no order. Got {labels.dtype} after {classes.dtype}."
        )
    unknown = indices(labels, classes)[1]
    return np.union1d(classes, labels[unknown]) if unknown.any() else classes


def given_classes(given: Any, before: Array | None) -> Array | None:
    """Return the classes that a call names, sorted; None if it names those that are known already, or none.

    Raises ValueError if they lack one that is known.
    """
    if given is None:
        return None
    if before is not None and len(given) == len(before) and before.tolist() == list(given):
        return None  # as in a loop that passes all classes to every call
    found = np.unique(given)
    if before is not None and len(missing := np.setdiff1d(before, found)):
        raise ValueError(
            f"classes may grow and not shrink: the run knows {shown(before)}. Got {shown(found)}, without "
            f"{missing.tolist()[0]!r}."
        )
    return found


class ClassificationTask(Explained, RowTask):
    """A run of a game of one row a round, between a user's rows and labels.

    Parameters
    ----------
    options
        The arguments of `engine.begin` besides the game and the features.
    multiclass, ties, start, class_weight
        As for `PerceptronClassifier`.
    classes
        Classes that are known beforehand; others join with the block that has them.
    names
        `made_by` and `hashing`, as for `RowTask`.

    Attributes
    ----------
    grows
        Whether more classes may come, so that one is enough to begin with.
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
        **names: Any,
    ) -> None:
        super().__init__(options, **names)
        self.multiclass, self.ties, self.start = multiclass, ties, start
        self.class_weight = class_weight
        self.given = classes
        self.grows = False
        self.classes: Array = np.empty(0)

    def game(self) -> Game:
        """Return the game for the classes: the given one, or "argmax" or "ovr" above two."""
        if not isinstance(self.multiclass, str):
            return self.multiclass
        if len(self.classes) <= 2:
            return Binary(ties=self.ties)
        return Argmax(len(self.classes)) if self.multiclass == "argmax" else OneVsRest(len(self.classes))

    def read(self, y: Any, rows: int, *, learning: bool = True) -> Array:
        """Return the labels of rows, checked, as an array; `learning` is whether they are to be learned."""
        return checked_labels(y, rows)

    def check(self, classes: Array, fewest: int = 2) -> None:
        """Raise ValueError if the game cannot be played with these classes."""
        check_classes(classes, self.ties, fewest)
        check_game(self.multiclass, len(classes))

    def begin(self, block: Block, random: np.random.Generator, epochs: int = 1) -> None:
        """Begin a run with the given classes, or those of this block."""
        width = None if isinstance(block.X, list) else int(block.X.shape[1])
        classes = classes_of(block.y) if self.given is None else np.unique(self.given)
        self.begin_with(width, classes, random, fitted_to(block.X, self.options))

    def begin_with(
        self,
        width: int | None,
        classes: Array,
        random: np.random.Generator | None = None,
        options: dict[str, Any] | None = None,
    ) -> None:
        """Begin a run for rows of this width and these classes; `random` draws a random start.

        `options` are, by default, those of the task.
        """
        options = self.options if options is None else options
        self.check(classes, fewest=1 if self.grows else 2)
        self.classes, self.features = classes, width
        game, start = self.game(), None
        features = None if options["kernel"] is not None else width
        if self.start == "random" and features is not None and random is not None:
            start = random.normal(scale=0.01, size=(features + 1, game.outputs))
            start[-1] *= options["intercept"]
        self.run = begin(game, features=features, start=start, **options)

    def blocks(self, source: Iterable[Block]) -> Iterator[Block]:
        """Yield the blocks of the source, in which classes may come later."""
        if self.class_weight == "balanced":
            raise ValueError(
                "class_weight='balanced' needs all labels before the first round. Got a file that is read in "
                "chunks: give every class its weight."
            )
        self.grows = True
        yield from super().blocks(source)

    def admit(self, block: Block) -> None:
        """Let the run know the classes that are new in a block: they play from now on."""
        self.admit_classes(block.y)

    def admit_classes(self, labels: Array) -> None:
        """Let the run know new classes among these labels; their weights are 0."""
        before, former = self.classes, self.run.game
        classes = with_new(before, labels)
        if classes is before:
            return
        self.check(classes)
        self.classes = classes
        game = self.game()
        self.run = with_outputs(self.run, game, continued(before, classes, former, game))

    def finish(self) -> None:
        """Refuse a run of one class, and free the memory reserved for features that never came."""
        self.check(self.classes)
        super().finish()

    def examples(self, block: Block, random: np.random.Generator, epochs: int = 1) -> Examples:
        """Return one round per row."""
        truths = self.truths(block.y)
        found = self.weights(truths, block.sample_weight)
        return Examples(self.run.number(self.as_wide(block.X)), truths, weights=found)

    def truths(self, labels: Array) -> Array:
        """Return the truths about rows with these labels."""
        return encode(labels, self.classes)

    def weights(self, truths: Array, sample_weight: Any) -> Floats | None:
        """Return the weight of a correction on each row; None if all are 1."""
        if sample_weight is None and self.class_weight is None:
            return None
        return weights_of_rows(
            truths, self.classes, sample_weight, self.class_weight, complete=not self.grows
        )

    def scores(self, rows: Rows, predictor: str, random: np.random.Generator | None = None) -> Floats:
        """Return the scores of rows: one each for two classes, else one per class or output."""
        found = self.run.guess(predictor, random).scores(rows).scores
        return found[:, 0] if found.shape[1] == 1 else found

    def answers(self, rows: Rows, predictor: str, random: np.random.Generator | None = None) -> Array:
        """Return the class of every row."""
        answers = self.run.guess(predictor, random).answers(rows)
        return np.asarray(self.classes[np.minimum(answers, len(self.classes) - 1)])

    def right(
        self, rows: Rows, labels: Array, predictor: str, random: np.random.Generator | None = None
    ) -> Bools:
        """Return which rows are answered with their labels."""
        return np.asarray(self.answers(rows, predictor, random) == labels)

    def support_labels(self) -> Array:
        """Return the class of every support vector; of one made of two, by its largest coefficient."""
        truths = self.run.support.truths
        merged = np.flatnonzero(truths == NO_TRUTH)
        if len(merged) and self.run.budgeted is not None:
            found = self.run.budgeted.coefficients[merged]
            truths = truths.copy()
            truths[merged] = np.argmax(np.hstack([-found, found]) if found.shape[1] == 1 else found, axis=1)
        return np.asarray(self.classes[np.minimum(truths, len(self.classes) - 1)])

    def support_counts(self) -> Ints:
        """Return the number of support vectors of each class."""
        labels = self.support_labels()
        return np.array([np.count_nonzero(labels == label) for label in self.classes])

    def certify(self, data: Data, labels: Array, u: Any = None) -> list[certificates.Certificate]:
        """Return a certificate per head for these examples, which must be those that were learned from.

        `u` is weights, or another run and one of its predictors.
        """
        examples = Examples(rows_of(data), self.truths(labels))
        certificates.check_learned_from(self.run, examples)
        certificates.check_labels(examples.truths, self.run.support.ids, self.run.support.truths)
        return certificates.certify(self.run, examples, None if u is None else [self._direction(u, examples)])

    def _with_reserve(self, u: Any) -> Floats:
        """Return weights, with zeros for features for which memory is reserved and which have not come."""
        weights, primal = np.atleast_2d(np.asarray(u, dtype=np.float64)), self.run.primal
        if primal is None or self.features is None:
            return weights
        reserve = np.zeros((len(weights), len(primal.weights) - 1 - self.features))
        return np.hstack([weights[:, : self.features], reserve, weights[:, self.features :]])

    def _direction(self, u: Any, examples: Examples) -> directions.Direction:
        if not isinstance(u, tuple):
            return directions.direction_of_weights(self.run, examples, self._with_reserve(u))
        other, predictor = u
        if other.kernel != self.run.kernel or other.game != self.run.game:
            raise ValueError(
                f"u must have learned with the same kernel and classes, {self.run.kernel!r}. "
                f"Got {other.kernel!r}."
            )
        return directions.direction_of_run(self.run, examples, other, predictor)
