"""The online ranker: `find_best`, then `add_example`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rosenblatt._types import Floats, Ints
from rosenblatt.engine.faults import NotFiniteError
from rosenblatt.kernels.wrappers import COEF0, DEGREE, GAMMA, kernel_of
from rosenblatt.online.base import OnlineRows, given
from rosenblatt.rows import count, rows_of
from rosenblatt.rules import Rule
from rosenblatt.tasks.lists import best_of
from rosenblatt.tasks.ranking import RankingTask
from rosenblatt.theory.attributions import Attribution
from rosenblatt.theory.explanations import Explanation


class Ranker(OnlineRows):
    """An online ranker, which learns from one list at a time.

    Learning lists one by one gives the ledger of `PerceptronRanker.fit` with strategy="best", one epoch and
    no shuffling, except for rounding. A list in which no candidate is better than another, such as a list of
    one, is not a round. A round costs the size of the list, or one kernel value per candidate and support
    vector.

    Parameters
    ----------
    kernel, gamma, degree, coef0
        As for `Classifier`.
    rule, learning_rate
        As for `PerceptronRanker`.
    predictor
        The guess that ranks: "last", the current one, or "best", "average" or "recent". It can be changed
        later, as for `Classifier`.
    budget
        With a kernel: the number of support vectors at most, or a `Budget`, so that the cost of a round is
        bounded.

    Examples
    --------
    >>> ranker = Ranker()
    >>> lists = [({"price": 3, "near": 1}, {"price": 1}), ({"price": 2}, {"price": 9, "near": 1})]
    >>> for candidates, best in zip(lists, (1, 0)):
    ...     ranker.add_example(candidates, best)
    >>> ranker.find_best([{"price": 5}, {"price": 4, "near": 1}])
    1
    """

    task: RankingTask

    def __init__(
        self,
        kernel: Any = None,
        *,
        gamma: float | str = GAMMA,
        degree: int = DEGREE,
        coef0: float = COEF0,
        rule: str | Rule = "auto",
        learning_rate: float = 1.0,
        predictor: str = "last",
        budget: Any = None,
    ) -> None:
        self.parameters = given(locals())
        super().__init__(kernel_of(kernel, gamma, degree, coef0), rule, learning_rate, predictor, budget)
        task = RankingTask(self._run_options, strategy="best")
        task.begin_with(0)
        self.take_over(task)

    def find_best(self, candidates: Any) -> int:
        """Return the index of the best candidate; the first of equals."""
        return int(np.argmax(self._scores_of(candidates)))

    def rank(self, candidates: Any) -> Ints:
        """Return the indices of the candidates, the best first; equals stay in the order given."""
        return np.argsort(-self._scores_of(candidates), kind="stable")

    def add_example(self, candidates: Any, best: Any) -> None:
        """Learn which candidate is the best: its index, or a set of indices of equally good ones.

        Parameters
        ----------
        candidates
            An array or a sparse matrix, one row each; a list of dicts of named features; or a list of objects
            that the kernel takes. Any number of them.
        """
        rows = self._reader.rows(candidates, learning=True)
        truths = best_of(best, count(rows))
        if not truths.all():
            try:
                self._play(rows, truths)
            except NotFiniteError:
                self._reader.rows(candidates)  # raises a better error if a value is at fault
                raise
            self._reader.expect(candidates[0] if isinstance(candidates, list | tuple) else candidates, rows)

    def explain(self, x: Any, over: Any = None) -> Attribution | Explanation:
        """Explain the score of a candidate, or why it is above or below another.

        Without a kernel it is made of features, weight × value of each; with one of support vectors.

        Examples
        --------
        >>> ranker = Ranker(rule="perceptron")
        >>> ranker.add_example([{"price": 1}, {"price": 3, "near": 1}], 1)
        >>> print(ranker.explain({"near": 1, "price": 2}, over={"price": 3}))
          feature       weight        value      product
            price           +2           -1           -2
             near           +1            1           +1
        The score of the row over the other is -1; the answer is below.
        """
        rows = rows_of(self._reader.rows([x] if over is None else [x, over]))
        if self._run.kernel is None:
            return self.task.attribution(rows, self._predictor, self._reader.names())
        return self.task.explain(rows, self._predictor)

    def _scores_of(self, candidates: Any) -> Floats:
        packed, listed = self._packed_scores, isinstance(candidates, list | tuple)
        if packed is not None and listed and candidates and isinstance(candidates[0], Mapping):
            scores = np.array([packed.score(self._reader.packed(x)) for x in candidates])
            for r in np.flatnonzero(~np.isfinite(scores)):
                raise self._not_finite(candidates[r])
            return scores
        rows = self._reader.rows(candidates)
        if not count(rows):
            raise ValueError("There must be at least one candidate. Got an empty list.")
        return self._scores(rows)[:, 0]
