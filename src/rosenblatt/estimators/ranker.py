"""PerceptronRanker: learning to rank lists, or to find their best rows, under scikit-learn's contract."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np

from rosenblatt import metrics
from rosenblatt._types import Data, Floats, Ints
from rosenblatt.data.blocks import Block
from rosenblatt.engine.early_stopping import EarlyStopping
from rosenblatt.estimators import inputs
from rosenblatt.estimators.base import (
    RunEstimator,
    generator,
    one_of,
    positive_integer,
    rows_per_block,
    untouched_on_error,
)
from rosenblatt.kernels import Kernel, Precomputed
from rosenblatt.rows import Rows, count, rows_of
from rosenblatt.rows.queries import group_rows
from rosenblatt.rules import Rule
from rosenblatt.tasks.lists import Lists, gathered, without_queries
from rosenblatt.tasks.ranking import RankingTask
from rosenblatt.tasks.task import Task, train_in_memory
from rosenblatt.theory.certificates import Certificate


class PerceptronRanker(RunEstimator):
    """A perceptron that learns to rank the better rows of a list above the others.

    Every row gets a score; it learns from lists whose order by score is wrong. Without a kernel it learns a
    weight vector, with one coefficients of the rows it got wrong. As for the classifier, `predictor` can be
    changed after `fit`.

    Parameters
    ----------
    kernel
        None for the linear learner, or anything that `PerceptronClassifier` takes.
    strategy
        What a round is, and what it corrects. "pairs": a row is drawn, and another of the same query with
        another grade; if the better is not above the worse, it is moved up and the other down. "best": a
        whole list; if the highest score is not that of one of the best rows, the best is moved up and the
        predicted one down. "top": a whole list; every row that is not above all with lower grades is moved
        up, and the highest of those down, in one correction.
    epochs
        Passes over the queries, or batches of `draws` pairs. A pass over all queries without a correction
        ends the run.
    draws
        Pairs drawn in an epoch; None for as many as there are rows. For "pairs" only.
    predictor
        "last", "best", "average", "vote", "sample" or "recent", as for `PerceptronClassifier`. A guess votes
        for the row of the list that it scores highest; rows with equally many votes are in the order of the
        average.
    rule, learning_rate, shuffle, random_state, keep_examples, budget, block_size, verbose
        As for `PerceptronClassifier`.
    metric
        What `score` returns and `eval_set` is evaluated by: "ndcg@10", "precision@1", or with another cutoff;
        "map", "mrr", "top-1" or "pairwise".

    References
    ----------
    W. Cohen, Margins, mistakes, ranking, sequential learning and the perceptron (2009), section 3.
    M. Collins, Ranking algorithms for named-entity extraction: boosting and the voted perceptron, ACL 2002.

    Examples
    --------
    >>> ranker = PerceptronRanker(strategy="best", shuffle=False)
    >>> ranker.fit([[0, 1], [1, 0], [2, 1], [0, 2]], [0, 1, 1, 0], qid=["a", "a", "b", "b"])
    PerceptronRanker(shuffle=False, strategy='best')
    >>> ranker.rank([[0, 1], [3, 0], [1, 1]])
    array([1, 2, 0])
    """

    def __init__(
        self,
        kernel: Any = None,
        *,
        strategy: str = "pairs",
        epochs: int = 10,
        draws: int | None = None,
        predictor: str = "average",
        rule: str | Rule = "perceptron",
        learning_rate: float = 1.0,
        shuffle: bool = True,
        random_state: Any = None,
        metric: str = "ndcg@10",
        keep_examples: bool = True,
        budget: Any = None,
        block_size: int | str = "auto",
        verbose: bool = False,
    ) -> None:
        self.kernel = kernel
        self.strategy = strategy
        self.epochs = epochs
        self.draws = draws
        self.predictor = predictor
        self.rule = rule
        self.learning_rate = learning_rate
        self.shuffle = shuffle
        self.random_state = random_state
        self.metric = metric
        self.keep_examples = keep_examples
        self.budget = budget
        self.block_size = block_size
        self.verbose = verbose

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags

    def fit(self, X: Any, y: Any = None, qid: Any = None, group: Any = None, eval_set: Any = None) -> Self:
        """Play a new run on these lists.

        Parameters
        ----------
        X
            Rows: a dense array, a sparse matrix, a data frame, or a list of objects if the kernel takes
            objects. Or a list of pairs (candidates, best), each the rows of a list and the index of its best
            row, or a set of indices; then there is nothing else to pass.
        y
            A grade per row, more being better; or, per query, the index of the best row.
        qid
            The query of each row; or the column "qid" of a data frame. Rows of a query need not be
            next to each other.
        group
            Instead of `qid`, how many rows each query has, one after the other.
        eval_set
            A validation set, (X, y, qid). The run is kept as it was after the epoch in which `predictor` did
            best there by `metric`.
        """
        with untouched_on_error(self):
            self.check_parameters()
            task = self.new_task()
            block = self._block(X, y, qid, group, reset=True)
            watch = None if eval_set is None else self._watching(eval_set)
            watched = train_in_memory(task, block, self._plan(generator(self.random_state)), watch)
            task.check_played()
            self.take_over(task)
            if watched is not None:
                self.eval_scores_ = watched.scores
        return self

    def partial_fit(self, X: Any, y: Any = None, qid: Any = None, group: Any = None) -> Self:
        """Continue the run, or start one, with these lists in their order, or with one epoch of draws.

        Lists in which no row is better than another leave it unchanged.
        """
        with untouched_on_error(self):
            self.check_parameters()
            resuming = hasattr(self, "task_")
            task: RankingTask = self.task_ if resuming else self.new_task()
            if resuming:
                self._check_same(
                    ("keep_examples", bool(self.keep_examples), task.run.hypothesis.keep),
                    ("strategy", self.strategy, task.strategy),
                )
                task.pairs_drawn = self.draws
            block = self._block(X, y, qid, group, reset=not resuming)
            random = generator(self.random_state)
            if not resuming:
                task.begin(block, random)
            if self.random_state is not None:  # other draws in every call
                random = np.random.default_rng([task.run.book.rounds, int(random.integers(2**31))])
            self._continue(task, block, random, begun=not resuming)
            self.take_over(task)
        return self

    def decision_function(self, X: Any, qid: Any = None, group: Any = None) -> Floats:
        """Return the score of every row by the chosen predictor: the higher, the better.

        "vote" and "sample" rank lists, and need `qid` or `group`; without them all rows are one list. For
        "vote" these are shares of the votes; fractions of a vote order equals by the average.
        """
        random = self._sampling()
        rows, query = self._rows_to_answer(self.run_.kernel, X, qid, group)
        found: Floats = self.task_.scores(rows, query, self.predictor, random)
        return found

    predict = decision_function

    def rank(self, candidates: Any) -> Ints:
        """Return the indices of one list's rows, the best first; equals stay in the order given."""
        return np.argsort(-self.decision_function(candidates), kind="stable")

    def find_best(self, candidates: Any) -> int:
        """Return the index of one list's best row."""
        if hasattr(candidates, "__len__") and not count(candidates):
            raise ValueError("There must be at least one candidate. Got an empty list.")
        return int(np.argmax(self.decision_function(candidates)))

    def score(
        self, X: Any, y: Any = None, qid: Any = None, group: Any = None, sample_weight: Any = None
    ) -> float:
        """Return the metric over these lists, which may be passed as in `fit`.

        With `sample_weight`, one per row, every query has the mean weight of its rows.
        """
        X, y, qid = gathered(X, y, qid, group, self._kernel())
        return self._measured(y, self.decision_function(X, qid), qid, sample_weight)

    def _measured(self, y: Any, scores: Floats, qid: Any, sample_weight: Any = None) -> float:
        grades = y if len(y) == len(scores) else Lists.of(y, qid, len(scores)).grades
        metric = metrics.lists.named(self.metric)
        if sample_weight is None:
            return float(metric(grades, scores, qid))
        query, _, starts = group_rows(qid, len(scores))
        weights = np.bincount(query, np.asarray(sample_weight, np.float64)) / np.diff(starts)
        return float(np.average(metric(grades, scores, qid, per_query=True), weights=weights))

    def certificate(self, X: Any, y: Any = None, qid: Any = None, group: Any = None) -> Certificate:
        """Return the certificate of this run on the lists it learned from: the bound and its proof."""
        kernel = self.run_.kernel
        X, y, qid = gathered(X, y, qid, group, kernel)
        data = inputs.checked_data(self, X, kernel, reset=False)
        found: Certificate = self.task_.certify(data, Lists.of(y, qid, count(data)))
        return found

    def check_parameters(self) -> None:
        """Raise ValueError, as `fit` does, if a parameter is not valid."""
        self._check_shared(flags=("shuffle", "keep_examples"))
        one_of("strategy", self.strategy, ("pairs", "best", "top"))
        rows_per_block(self.block_size)
        if self.draws is not None:
            positive_integer("draws", self.draws)
            if self.strategy != "pairs":
                raise ValueError(f"draws are made by strategy='pairs' only. Got strategy={self.strategy!r}.")
        if isinstance(self._kernel(), Precomputed):
            raise ValueError(
                "A ranker needs a kernel it can evaluate. Got a precomputed one: pass rows and the kernel."
            )
        metrics.lists.named(self.metric)

    def new_task(self, classes: Any = None) -> RankingTask:
        """Return the task of these parameters before its first data."""
        self._refuse_classes(classes)
        return RankingTask(self._options(), strategy=self.strategy, draws=self.draws)

    def take_over(self, task: Any) -> None:
        """Set the fitted attributes from a task."""
        super().take_over(task)
        if hasattr(self, "eval_scores_"):  # they belong to an earlier run
            del self.eval_scores_
        if task.features is not None:
            self.n_features_in_ = task.features

    def _watching(self, eval_set: Any) -> Callable[[Task], EarlyStopping]:
        """Return what scores the present guess of a task on the validation set after every epoch."""
        try:
            X, y, *rest = eval_set
        except (TypeError, ValueError):
            raise ValueError(f"eval_set must be (X, y, qid). Got {type(eval_set).__name__}.") from None
        kernel = self._kernel()
        X, y, qid = gathered(X, y, rest[0] if rest else None, None, kernel)
        rows, _ = self._rows_to_answer(kernel, X, None, None)
        query, _, _ = group_rows(qid, len(rows))

        def watch(task: Any) -> EarlyStopping:
            def score() -> float:
                return self._measured(y, task.scores(rows, query, self.predictor, self._sampling()), query)

            return EarlyStopping(task.run, score, self.epochs)

        return watch

    def _block(self, X: Any, y: Any, qid: Any, group: Any, *, reset: bool) -> Block:
        """Return rows, grades and queries, from any of the forms in which they may be passed."""
        kernel = self._kernel()
        X, y, qid = gathered(X, y, qid, group, kernel)
        data: Data = inputs.checked_data(self, X, kernel, reset=reset)
        return Block(data, y, qid)

    def _rows_to_answer(self, kernel: Kernel | None, X: Any, qid: Any, group: Any) -> tuple[Rows, Any]:
        X, qid = without_queries(X, qid, group)
        rows = rows_of(inputs.checked_data(self, X, kernel, reset=False))
        return rows, None if qid is None else group_rows(qid, len(rows))[0]
