"""Explanations of a fitted ranker: what makes the score of a row, or puts it above another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt._types import Data
from rosenblatt.estimators import inputs
from rosenblatt.rows import Rows, rows_of
from rosenblatt.tasks.ranking import RankingTask
from rosenblatt.theory.attributions import Attribution, explained_by
from rosenblatt.theory.explanations import Explanation


class Comparing:
    """The explaining method of an estimator whose `task_` is one of ranking."""

    run_: Any
    task_: RankingTask
    _chosen: Callable[[str | None], str]

    def explain(
        self, x: Any, over: Any = None, predictor: str | None = None, by: str | None = None
    ) -> Attribution | Explanation:
        """Explain the score of a row, or why it is above or below another: the sum of what counts.

        Parameters
        ----------
        x
            One row, or one object.
        over
            Another row, whose score is subtracted: what is positive puts `x` above it. None for the score of
            `x` itself.
        predictor
            "last", "best", "average" or "recent"; the learner's own by default.
        by
            "features": weight × value of each, without a kernel only. "examples": importance × similarity of
            each support vector, labelled by its grade, which counts from 0. By default features without a
            kernel, and examples with one.

        Examples
        --------
        >>> from rosenblatt import PerceptronRanker
        >>> ranker = PerceptronRanker(strategy="best", rule="perceptron", shuffle=False, predictor="last")
        >>> ranker = ranker.fit([[0, 1], [1, 0], [2, 1], [0, 2]], [0, 1, 1, 0], qid=[1, 1, 2, 2])
        >>> print(ranker.explain([3, 1], over=[1, 2]))
          feature       weight        value      product
             x[0]           +1            2           +2
             x[1]           -1           -1           +1
        The score of the row over the other is +3; the answer is above.
        """
        name, run = self._chosen(predictor), self.run_
        what, rows = explained_by(by, run), self._rows_to_explain(x, over)
        if what == "examples":
            return self.task_.explain(rows, name)
        return self.task_.attribution(rows, name, inputs.names_by_column(self, [x, over][: len(rows)]))

    def _rows_to_explain(self, x: Any, over: Any) -> Rows:
        """Return one row, or two if there is another to compare it with."""
        given = [inputs.one_row(self, row, self.task_) for row in ((x,) if over is None else (x, over))]
        if self.task_.vocabulary is not None:  # together: unknown names make rows wider
            return rows_of(
                inputs.checked_data(self, [row for one in given for row in one], self.task_, reset=False)
            )
        return rows_of(_stacked([inputs.checked_data(self, row, self.task_, reset=False) for row in given]))


def _stacked(rows: list[Data]) -> Data:
    """Return rows one below the other, sparse if one of them is."""
    if isinstance(rows[0], list):
        return [row for part in rows for row in part]
    return sp.csr_array(sp.vstack(rows)) if any(map(sp.issparse, rows)) else np.vstack(rows)
