"""PerceptronRanker: learning to rank lists, or to find their best rows, under scikit-learn's contract."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any, Self

import numpy as np

from rosenblatt import metrics
from rosenblatt._types import Data, Floats
from rosenblatt.data.blocks import Block
from rosenblatt.engine.threads import limited_to
from rosenblatt.estimators import inputs, validation
from rosenblatt.estimators.base import (
    RunEstimator,
    generator,
    is_integer,
    one_of,
    positive_integer,
    rows_per_block,
    tag_rows,
)
from rosenblatt.estimators.comparing import Comparing
from rosenblatt.kernels import Precomputed
from rosenblatt.rows import Rows, count, rows_of
from rosenblatt.rows.queries import group_rows
from rosenblatt.rules import Rule
from rosenblatt.tasks.lists import Lists, gathered, without_queries
from rosenblatt.tasks.ranking import RankingTask
from rosenblatt.tasks.task import check_weights
from rosenblatt.theory.certificates import Certificate


class PerceptronRanker(Comparing, RunEstimator):
    """A perceptron that learns to rank the better rows of a list above the others.

    Every row gets a score; it learns from lists whose order by score is wrong. Without a kernel it learns a
    weight vector, with one coefficients of the rows it got wrong. As for the classifier, `predictor` can be
    changed after `fit`.

    Parameters
    ----------
    kernel, gamma, degree, coef0
        None for the linear learner, or anything that `PerceptronClassifier` takes.
    strategy
        What a round is, and what it corrects. "pairs": a row is drawn, and another of the same query with
        another grade; if the better is not above the worse, it is moved up and the other down. "best": a
        whole list; if the highest score is not that of one of the best rows, the best is moved up and the
        predicted one down. "top": a whole list; every row that is not above all with lower grades is moved
        up, and the highest of those down, in one correction.
    max_iter
        Epochs: passes over the queries, or batches of `draws` pairs. A pass over all queries without a
        correction ends the run.
    draws
        Pairs drawn in an epoch; None for as many as there are rows. For "pairs" only.
    predictor
        "last", "best", "average", "vote", "sample" or "recent", as for `PerceptronClassifier`. A guess votes
        for the row of the list that it scores highest; rows with equally many votes are in the order of the
        average.
    rule, learning_rate, shuffle, random_state, n_jobs, keep_examples, budget, block_size, warm_start, verbose
        As for `PerceptronClassifier`.
    features, hashing
        As for `PerceptronClassifier`.
    early_stopping, validation_fraction, n_iter_no_change
        As for `PerceptronClassifier`; whole queries are held out.
    metric
        What `score` returns and validation sets are scored by: "ndcg@10", "precision@1", or with another
        cutoff; "map", "mrr", "top-1" or "pairwise".

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
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        strategy: str = "pairs",
        max_iter: int = 10,
        draws: int | None = None,
        predictor: str = "average",
        rule: str | Rule = "auto",
        learning_rate: float = 1.0,
        shuffle: bool = True,
        random_state: Any = None,
        metric: str = "ndcg@10",
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 3,
        n_jobs: int | None = None,
        keep_examples: bool = True,
        budget: Any = None,
        block_size: int | str = "auto",
        warm_start: bool = False,
        verbose: bool = False,
        features: Any = None,
        hashing: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.strategy = strategy
        self.max_iter = max_iter
        self.draws = draws
        self.predictor = predictor
        self.rule = rule
        self.learning_rate = learning_rate
        self.shuffle = shuffle
        self.random_state = random_state
        self.metric = metric
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.n_jobs = n_jobs
        self.keep_examples = keep_examples
        self.budget = budget
        self.block_size = block_size
        self.warm_start = warm_start
        self.verbose = verbose
        self.features = features
        self.hashing = hashing

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tag_rows(tags.input_tags, self.kernel, self.features)
        tags.target_tags.required = True
        return tags

    def fit(
        self,
        X: Any,
        y: Any = None,
        qid: Any = None,
        group: Any = None,
        sample_weight: Any = None,
        eval_set: Any = None,
        eval_group: Any = None,
    ) -> Self:
        """Play a new run on these lists; with `warm_start`, continue the run that there is.

        Parameters
        ----------
        X
            Rows: a dense array, a sparse matrix, a data frame, or a list of objects if the kernel takes
            objects, or examples with named features, as for `PerceptronClassifier`. Or a list of pairs
            (candidates, best), each the rows of a list and the index of its best row, or a set of indices;
            then there is nothing else to pass.
        y
            A grade per row, more being better; or, per query, the index of the best row.
        qid
            The query of each row; or the column "qid" of a data frame. Rows of a query need not be
            next to each other.
        group
            Instead of `qid`, how many rows each query has, one after the other.
        sample_weight
            A weight per row, or per query: a correction is multiplied by the mean weight of its round's rows.
        eval_set
            A validation set (X, y, qid), or a list of them: `evals_result_` gets their scores by `metric`
            after every epoch, by the chosen predictor. Nothing is learned from them; `early_stopping` watches
            the last.
        eval_group
            For sets (X, y) without queries, the `group` of each.
        """
        with self._learning():
            begun = self._continues
            task = self._resumed() if begun else self.new_task()
            block = self._block(task, X, y, qid, group, sample_weight, reset=not begun, learning=True)
            self._watch_scales(task, block.X, first=True)
            held = [] if eval_set is None else self._validation_sets(task, eval_set, eval_group)
            self._train(task, block, held, begun=begun)
        return self

    def partial_fit(
        self, X: Any, y: Any = None, qid: Any = None, group: Any = None, sample_weight: Any = None
    ) -> Self:
        """Continue the run, or start one, with these lists in their order, or with one epoch of draws.

        Lists in which no row is better than another leave it unchanged.
        """
        with self._learning():
            resuming = hasattr(self, "task_")
            task = self._resumed() if resuming else self.new_task()
            block = self._block(task, X, y, qid, group, sample_weight, reset=not resuming, learning=True)
            self._watch_scales(task, block.X, first=False)
            if not resuming:
                task.begin(block, generator(self.random_state))
            random = self._generator(task.run)  # other draws in every call
            self._continue(task, block, random, begun=not resuming)
            self.take_over(task)
        return self

    def decision_function(
        self, X: Any, qid: Any = None, group: Any = None, predictor: str | None = None
    ) -> Floats:
        """Return the score of every row by a predictor, by default the learner's own: the higher, the better.

        "vote" and "sample" rank lists, and need `qid` or `group`; without them all rows are one list. For
        "vote" these are shares of the votes; fractions of a vote order equals by the average.
        """
        name = self._chosen(predictor)
        rows, query = self._rows_to_answer(X, qid, group)
        with limited_to(self.n_jobs):
            found: Floats = self.task_.scores(rows, query, name, self._sampling(name))
        return found

    predict = decision_function

    def rank(self, X: Any, qid: Any = None, group: Any = None) -> Any:
        """Return the indices of the rows, the best first; equals stay in the order given.

        Without queries the rows are one list. With `qid` or `group` (as in `fit`) the result is a list: for
        each query, in the order in which queries appear, the indices of its rows among all.
        """
        scores = self.decision_function(X, qid, group)
        qid = without_queries(X, qid, group)[1]
        if qid is None:
            return np.argsort(-scores, kind="stable")
        _, order, starts = group_rows(qid, len(scores))
        lists = (order[first:last] for first, last in pairwise(starts))
        return [rows[np.argsort(-scores[rows], kind="stable")] for rows in lists]

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
        X, y, qid = gathered(X, y, qid, group, self._takes_objects)
        return self._measured(y, self.decision_function(X, qid), qid, sample_weight)

    def _measured(self, y: Any, scores: Floats, qid: Any, sample_weight: Any = None) -> float:
        grades = y if len(y) == len(scores) else Lists.of(y, qid, len(scores)).grades
        metric = metrics.lists.named(self.metric)
        if sample_weight is None:
            return float(metric(grades, scores, qid))
        query, _, starts = group_rows(qid, len(scores))
        per_row = np.asarray(sample_weight, np.float64)
        check_weights(per_row)
        weights = np.bincount(query, per_row) / np.diff(starts)
        return float(np.average(metric(grades, scores, qid, per_query=True), weights=weights))

    def certificate(self, X: Any, y: Any = None, qid: Any = None, group: Any = None) -> Certificate:
        """Return the certificate of this run on the lists it learned from: the bound and its proof."""
        X, y, qid = gathered(X, y, qid, group, self._takes_objects)
        data = inputs.checked_data(self, X, self._fitted(), reset=False)
        found: Certificate = self.task_.certify(data, Lists.of(y, qid, count(data)))
        return found

    def check_parameters(self) -> None:
        """Raise ValueError, as `fit` does, if a parameter is not valid."""
        self._check_shared(flags=("keep_examples",))
        if self.features is not None or self.hashing is not None:
            inputs.check_features(self.features, self.hashing, self._kernel())
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
        names = {"made_by": self.features, "hashing": self.hashing}
        return RankingTask(self._options(), strategy=self.strategy, draws=self.draws, **names)

    def take_over(self, task: Any) -> None:
        """Set the fitted attributes from a task."""
        super().take_over(task)
        if task.features is not None:
            self.n_features_in_ = task.features

    def _resumed(self) -> RankingTask:
        """Return the task of the run, with the parameters that may change while it continues."""
        task: RankingTask = self.task_
        self._check_same(
            ("keep_examples", bool(self.keep_examples), task.run.hypothesis.keep),
            ("strategy", self.strategy, task.strategy),
            *inputs.of_names(self.new_task(), task),
        )
        task.pairs_drawn = self.draws
        return task

    @property
    def _metric_name(self) -> str:
        return self.metric

    def _split(self, block: Block, random: np.random.Generator) -> tuple[Block, Block]:
        query, _, starts = group_rows(block.qid, len(block))
        block = replace(block, y=self._grades(block))
        queries = validation.held_out([np.arange(len(starts) - 1)], self.validation_fraction, random)
        held = np.isin(query, queries)
        return block.take(np.flatnonzero(~held)), block.take(np.flatnonzero(held))

    def _scorer(self, task: RankingTask, block: Block) -> Callable[[], float]:
        rows, (query, _, _), grades = rows_of(block.X), group_rows(block.qid, len(block)), self._grades(block)

        def score() -> float:
            scores = task.scores(rows, query, self.predictor, self._sampling(self.predictor))
            return self._measured(grades, scores, query)

        return score

    def _grades(self, block: Block) -> Any:
        """Return a grade per row, also where a block has the index of the best row of each query."""
        return block.y if len(block.y) == len(block) else Lists.of(block.y, block.qid, len(block)).grades

    def _validation_sets(self, task: RankingTask, eval_set: Any, eval_group: Any) -> list[Block]:
        """Return the blocks of the validation sets, with their queries."""
        sets = validation.validation_sets(eval_set, (2, 3), "(X, y, qid)")
        groups = [None] * len(sets) if eval_group is None else list(eval_group)
        if eval_group is not None and len(sets) == 1 and all(map(is_integer, groups)):
            groups = [groups]
        if len(groups) != len(sets):
            raise ValueError(
                f"eval_group must have the group of each of the {len(sets)} validation sets. "
                f"Got {len(groups)}."
            )
        return [
            self._block(task, X, y, rest[0] if rest else None, group)
            for (X, y, *rest), group in zip(sets, groups, strict=True)
        ]

    @property
    def _takes_objects(self) -> bool:
        """Whether rows are objects, to the kernel or to what makes features of them."""
        kernel = self._kernel()
        return self.features is not None or (kernel is not None and kernel.on_objects)

    def _block(
        self,
        task: RankingTask,
        X: Any,
        y: Any,
        qid: Any,
        group: Any,
        sample_weight: Any = None,
        *,
        reset: bool = False,
        learning: bool = False,
    ) -> Block:
        """Return rows, grades and queries, from any of the forms in which they may be passed."""
        X, y, qid = gathered(X, y, qid, group, self._takes_objects)
        data: Data = inputs.checked_data(self, X, task, reset=reset, learning=learning)
        return Block(data, y, qid, sample_weight=sample_weight)

    def _rows_to_answer(self, X: Any, qid: Any, group: Any) -> tuple[Rows, Any]:
        task = self._fitted()
        X, qid = without_queries(X, qid, group)
        rows = rows_of(inputs.checked_data(self, X, task, reset=False))
        return rows, None if qid is None else group_rows(qid, len(rows))[0]
