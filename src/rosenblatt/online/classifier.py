"""The online classifier: `predict`, then `add_example`."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt._types import Array, Floats, Ints
from rosenblatt.engine.faults import NotFiniteError
from rosenblatt.engine.packed import PackedRounds
from rosenblatt.engine.run import Run
from rosenblatt.kernels.wrappers import COEF0, DEGREE, GAMMA, kernel_of
from rosenblatt.online.base import OnlineRows, given
from rosenblatt.online.labels import checked_label, checked_weight
from rosenblatt.rows import rows_of
from rosenblatt.rules import Rule
from rosenblatt.tasks.classification import ClassificationTask
from rosenblatt.tasks.task import intercept_of
from rosenblatt.theory.attributions import Attribution
from rosenblatt.theory.explanations import Explanation
from rosenblatt.theory.online_calibration import OnlineCalibration

ONE_ROW: Ints = np.array([0, 1])
"""Where the rows of a round begin and end, of one row."""

TWO: Ints = np.array([0, 1])
"""As many classes as the game has that is also played with one, and with none."""


class Classifier(OnlineRows):
    """An online classifier, which learns from one example at a time.

    Labels are strings, integers or booleans. There may be any number of classes, and a class may come at any
    round: the run is that of a learner that knew of it from the start, as it is in
    `PerceptronClassifier.partial_fit`. Learning examples one by one gives the ledger of
    `PerceptronClassifier.fit` with one epoch and no shuffling, except for rounding. A round costs the length
    of the row, times the number of classes above two; with a kernel one kernel value per support vector.
    Without a kernel, examples are stored for the predictor "best" only.

    Parameters
    ----------
    kernel
        None for the linear learner, or anything that `PerceptronClassifier` takes except "precomputed".
    gamma, degree, coef0
        Parameters of kernels by name. There is no data from which "scale" could be taken: give gamma a
        number.
    rule, learning_rate, fit_intercept, ties
        As for `PerceptronClassifier`.
    multiclass
        The game with more than two classes: "argmax" or "ovr", as for `PerceptronClassifier`.
    classes
        Classes that are known beforehand; others may come later. With ties="positive" both are needed: the
        second is the positive one.
    predictor
        The guess that answers: "last", the current one, or "best", "average" or "recent". It can be
        changed later, but not to "recent" nor, without a kernel, to "best".
    budget
        With a kernel: the number of support vectors at most, or a `Budget`, so that the cost of a round is
        bounded.
    features
        What makes named features of an example: "words", "characters" or "terms", which take strings apart,
        `features.Words(ngrams=2)` and its like, or a function that returns a dict or a collection of names.

    probabilities
        Whether every example is scored before it is learned, to follow what scores mean: `predict_proba_one`
        needs that.

    Examples
    --------
    >>> learner = Classifier(rule="perceptron")
    >>> learner.predict({"free": 1, "money": 2}) is None
    True
    >>> learner.add_example({"free": 1, "money": 2}, "spam")
    >>> learner.add_example({"lunch": 1, "tomorrow": 1}, "ham")
    >>> learner.predict({"money": 1}), learner.decision_function({"money": 1})
    ('spam', 2.0)
    >>> learner.add_example({"train": 1, "late": 1}, "travel")
    >>> learner.classes
    ['ham', 'spam', 'travel']
    >>> learner.ledger.mistakes
    array([0, 1, 2])
    >>> reader = Classifier(features="words")
    >>> reader.learn_one("Free money!", "spam")
    >>> reader.learn_one("Lunch tomorrow?", "ham")
    >>> reader.predict("money for free")
    'spam'
    """

    task: ClassificationTask

    def __init__(
        self,
        kernel: Any = None,
        *,
        gamma: float | str = GAMMA,
        degree: int = DEGREE,
        coef0: float = COEF0,
        rule: str | Rule = "auto",
        learning_rate: float = 1.0,
        fit_intercept: bool | str = "auto",
        ties: str = "mistake",
        multiclass: str = "argmax",
        classes: Any = None,
        predictor: str = "last",
        budget: Any = None,
        features: Any = None,
        probabilities: bool = False,
    ) -> None:
        self.parameters = given(locals())
        if ties not in ("mistake", "positive"):
            raise ValueError(f"ties must be 'mistake' or 'positive'. Got {ties!r}.")
        if multiclass not in ("argmax", "ovr"):
            raise ValueError(f"multiclass must be 'argmax' or 'ovr'. Got {multiclass!r}.")
        if ties == "positive" and classes is None:
            raise ValueError(
                "ties='positive' needs to know which class is positive: pass classes=[…], the second of two. "
                "Got classes=None."
            )
        made = kernel_of(kernel, gamma, degree, coef0)
        intercept = intercept_of(fit_intercept, kernel=made is not None)
        super().__init__(made, rule, learning_rate, predictor, budget, features, intercept=intercept)
        task = ClassificationTask(self._run_options, multiclass=multiclass, ties=ties)
        task.grows = True
        task.begin_with(0, TWO if classes is None else np.unique(classes))
        if classes is None:
            task.classes = TWO[:0]
        self._positive = ties == "positive"
        self.calibration = OnlineCalibration() if probabilities else None
        self.take_over(task)

    def take_over(self, task: Any) -> None:
        """Continue with a task whose run has begun."""
        super().take_over(task)
        self._classes: list[Any] = task.classes.tolist()
        self._several = len(self._classes) != 1
        self._truths = {label: np.array([i]) for i, label in enumerate(self._classes)}
        plays = self._packs and not self._keeps and not self._recent
        self._packed_rounds = PackedRounds(task.run) if plays else None

    @property
    def classes(self) -> list[Any]:
        """The classes known so far, sorted."""
        return list(self._classes)

    def predict(self, x: Any) -> Any:
        """Return the label of x; None before any label is known."""
        classes = self._classes
        if len(classes) == 2:
            if self._packed_scores is None:
                score = float(self._scores(self._reader.row(x))[0, 0])
            else:
                score = self._packed_scores.score(self._reader.packed(x))
                if score - score != 0.0:  # it is infinite or NaN
                    raise self._not_finite(x)
            return classes[score > 0.0 or (self._positive and score == 0.0)]
        scores, run = self.decision_function(x), self._run
        if len(classes) < 2:
            return classes[0] if classes else None
        return classes[run.game.answer(np.array([scores]), run.hypothesis.structure, ONE_ROW)[0]]

    def decision_function(self, x: Any) -> Any:
        """Return the score of x, or with more than two classes an array of scores, in the order of `classes`.

        Of two classes it is positive for the second, and 0 before anything has been learned. While one
        class is known, it is positive for that.
        """
        if self._packed_scores is None:
            scores = self._scores(self._reader.row(x))
            if len(scores[0]) > 1:
                return scores[0]
            score = float(scores[0, 0])
        else:
            score = self._packed_scores.score(self._reader.packed(x))
            if score - score != 0.0:  # it is infinite or NaN
                raise self._not_finite(x)
        return score if self._several else 0.0 - score

    def add_example(self, x: Any, y: Any, sample_weight: float = 1.0) -> None:
        """Learn from x with its label y.

        Parameters
        ----------
        x
            A one-dimensional array, a sparse row, a dict of named features, or any object that the
            kernel takes; the same kind in every call.
        y
            A string, an integer or a boolean; all labels are of one kind.
        sample_weight
            What the correction is multiplied by, if there is one.
        """
        try:
            truth = self._truths[y]
        except (KeyError, TypeError):
            self._learn_new(x, y, checked_weight(sample_weight))
            return
        rounds, reader = self._packed_rounds, self._reader
        if rounds is None or self.calibration is not None or sample_weight != 1.0:
            self._learn_known(x, truth, checked_weight(sample_weight))
            return
        row = reader.packed(x, True)
        try:
            rounds.play(row, truth)
        except NotFiniteError:
            raise self._not_finite(x) from None
        if reader.named is None:
            reader.expect(x, row)

    def explain(self, x: Any, label: Any = None) -> Attribution | Explanation:
        """Explain the score of x for a class: by default the predicted one, or the second of two.

        Without a kernel it is made of features, weight × value of each; with one of support vectors,
        importance × similarity of each, which the ids of their examples name.

        Examples
        --------
        >>> learner = Classifier(rule="perceptron")
        >>> learner.learn_one({"free": 1, "money": 2}, "spam")
        >>> learner.learn_one({"lunch": 1, "free": 1}, "ham")
        >>> print(learner.explain({"money": 1, "lunch": 1, "noon": 1}))
          feature       weight        value      product
            money           +2            1           +2
            lunch           -1            1           -1
        The score of spam is +1; the answer is spam.
        """
        if len(self._classes) < 2:
            raise ValueError(
                "There is nothing to explain before two classes are known. Got "
                f"{len(self._classes)}: call add_example."
            )
        row = rows_of(self._reader.row(x))
        if self._run.kernel is None:
            return self.task.attribution(row, self._predictor, label, self._reader.names())
        return self.task.explain(row, self._predictor, label)

    def learn_one(self, x: Any, y: Any, w: float = 1.0) -> None:
        """Learn from x with its label y and a weight, as `add_example` does."""
        self.add_example(x, y, w)

    def predict_one(self, x: Any) -> Any:
        """Return the label of x, as `predict` does."""
        return self.predict(x)

    def predict_proba_one(self, x: Any) -> dict[Any, float]:
        """Return the probability of every class known so far; raises ValueError without `probabilities`.

        Of more than two classes the most probable is the one that `predict` returns.
        """
        if self.calibration is None:
            raise ValueError(
                "Scores have no scale of their own. Got a learner that does not follow what they mean: begin "
                "one with probabilities=True."
            )
        if len(self._classes) < 2:
            return dict.fromkeys(self._classes, 1.0)
        found = self.calibration.probabilities(self._class_scores(x)).tolist()
        return dict(zip(self._classes, found, strict=True))

    def _class_scores(self, x: Any) -> Floats:
        """Return a score per class; of two, which have one score, half of it and its opposite."""
        scores = self.decision_function(x)
        return np.array([-0.5 * scores, 0.5 * scores]) if len(self._classes) == 2 else np.asarray(scores)

    def _learn_known(self, x: Any, truth: Ints, weight: float) -> None:
        """Play one round about a known class; the calibration learns from the scores before it."""
        calibration = self.calibration if len(self._classes) > 1 else None
        scores = None if calibration is None else self._class_scores(x)
        self._learn(x, truth, weight)
        if calibration is not None and scores is not None:
            calibration.update(scores, int(truth[0]), weight)

    def _learn(self, x: Any, truth: Ints, weight: float) -> None:
        """Play one round."""
        reader, rounds = self._reader, self._packed_rounds
        row = reader.row(x, learning=True) if rounds is None else reader.packed(x, True)
        try:
            if rounds is None:
                self._play(row, truth, weight)
            else:
                rounds.play_weighted(row, truth, weight)
        except NotFiniteError:
            raise self._not_finite(x) from None
        reader.expect(x, row)

    def _learn_new(self, x: Any, y: Any, weight: float) -> None:
        """Admit a new class and learn its first example, or neither."""
        label = checked_label(y, self.task.classes)
        before, rounds = (self.task.run, self.task.classes), self._run.book.rounds
        try:
            self._admit(label)
            self._learn(x, self._truths[label.tolist()[0]], weight)
        except BaseException:
            if self._run.book.rounds == rounds:
                self.task.run, self.task.classes = before
                self.take_over(self.task)
            raise

    def settled(self) -> Run:
        """Return the run, after what was seen is counted in it: packed rounds are, by the book alone."""
        run = super().settled()
        if self._packed_rounds is not None:
            run.rows_seen = run.book.rounds
        return run

    def _admit(self, label: Array) -> None:
        """Let the run know a new class."""
        task = self.task
        self.settled()
        if not len(task.classes):
            task.classes = label
        else:
            task.admit_classes(label)
        self.take_over(task)
