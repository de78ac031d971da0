"""The answers of a fitted classifier: scores, classes, explanations and the certificate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from rosenblatt._types import Array, Floats, Ints
from rosenblatt.data.blocks import Block
from rosenblatt.engine.threads import limited_to
from rosenblatt.estimators import inputs
from rosenblatt.games import MultiLabel
from rosenblatt.rows import Rows
from rosenblatt.tasks.classification import ClassificationTask
from rosenblatt.tasks.multilabel import MultiLabelTask
from rosenblatt.theory.attributions import Attribution, explained_by
from rosenblatt.theory.explanations import Explanation


class Answering:
    """The answering methods of an estimator whose `task_` is one of classification."""

    classes_: Array
    n_jobs: int | None
    predictor: str
    run_: Any
    task_: ClassificationTask
    _fitted: Callable[[], Any]
    _checked: Callable[..., Any]
    _scorer: Callable[..., Any]
    _chosen: Callable[[str | None], str]
    _sampling: Callable[[str], np.random.Generator | None]

    def decision_function(self, X: Any, predictor: str | None = None) -> Floats:
        """Return the scores of a predictor: one per row, or one per class with more than two, or per label.

        For "vote" these are shares of the votes, for "sample" the scores of the guess drawn. `predictor` is
        by default the learner's own.
        """
        name, rows = self._chosen(predictor), self._rows_to_answer(X)
        with limited_to(self.n_jobs):
            found: Floats = self.task_.scores(rows, name, self._sampling(name))
        return found

    def predict(self, X: Any, predictor: str | None = None) -> Array:
        """Return the class of every row, by a predictor: by default the learner's own.

        Sets of labels are returned in the form in which they were first learned: an indicator matrix,
        dense or CSR, or a list of tuples.
        """
        name, rows = self._chosen(predictor), self._rows_to_answer(X)
        with limited_to(self.n_jobs):
            found: Array = self.task_.answers(rows, name, self._sampling(name))
        return found

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of rows whose class is predicted, or whose whole set of labels is."""
        task = getattr(self, "task_", None)
        if not isinstance(task, MultiLabelTask):
            return float(ClassifierMixin.score(self, X, y, sample_weight))
        data, labels = self._checked(task, X, y, reset=False, learning=False)
        score = self._scorer(task, Block(data, labels, sample_weight=sample_weight))
        with limited_to(self.n_jobs):
            return float(score())

    @property
    def n_support_(self) -> Ints:
        """The number of support vectors of each class, or of those that have each label."""
        check_is_fitted(self, "task_")
        return self.task_.support_counts()

    def explain(
        self,
        x: Any,
        predictor: str | None = None,
        label: Any = None,
        by: str | None = None,
        names: Any = None,
    ) -> Attribution | Explanation:
        """Explain the score of one row: the sum of what counts.

        Parameters
        ----------
        x
            One row, or one object.
        predictor
            "last", "best", "average" or "recent"; the learner's own by default.
        label
            The class whose score to explain: by default the predicted one, or the second of two. The score
            of the first of two is minus that of the second. Where rows have sets of labels, the label, by
            default the one with the highest score.
        by
            "features": weight × value of each, without a kernel only. "examples": importance × similarity of
            each support vector. By default features without a kernel, and examples with one.
        names
            The names of features by index, if the learner does not know them; not for examples.

        Examples
        --------
        >>> from rosenblatt import PerceptronClassifier
        >>> learner = PerceptronClassifier(rule="perceptron", predictor="last", shuffle=False)
        >>> X = [{"free": 1, "money": 2}, {"lunch": 1}, {"free": 1}]
        >>> print(learner.fit(X, ["spam", "ham", "ham"]).explain({"money": 1, "free": 1, "noon": 1}))
          feature       weight        value      product
            money           +2            1           +2
        intercept                                     -1
        The score of spam is +1; the answer is spam.
        """
        name, what = self._chosen(predictor), explained_by(by, self.run_)
        rows = self._rows_to_answer(inputs.one_row(self, x, self.task_))
        if what == "examples":
            return self.task_.explain(rows, name, label)
        named = inputs.names_by_column(self, [x]) if names is None else names
        return self.task_.attribution(rows, name, label, named)

    def certificate(self, X: Any, y: Any, u: Any = None) -> Any:
        """Return the certificate of this run: the mistake bound, with the numbers of its proof.

        Parameters
        ----------
        X, y
            The examples that were learned from.
        u
            The direction that separates them: weights of the shape of `coef_`, or with the intercept as
            a last column; or a fitted PerceptronClassifier with the same kernel. By default the guess of the
            run itself that gives the smallest bound.

        Returns
        -------
        A `Certificate`, or a list of one per class for one-vs-rest, or per label for sets of labels.
        """
        data, labels = self._checked(self.task_, X, y, reset=False, learning=False)
        if isinstance(u, Answering):
            u = u.run_, u.predictor
        found = self.task_.certify(data, labels, u)
        return found[0] if len(found) == 1 and not isinstance(self.run_.game, MultiLabel) else found

    def _rows_to_answer(self, X: Any) -> Rows:
        rows: Rows = self._fitted().rows(inputs.checked_data(self, X, self.task_, reset=False))
        return rows
