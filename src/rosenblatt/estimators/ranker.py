"""PerceptronRanker: learning to rank lists, or to find their best rows, under scikit-learn's contract."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from rosenblatt import metrics
from rosenblatt._types import Data, Floats, Ints
from rosenblatt.budgets import as_budget
from rosenblatt.engine import predictors
from rosenblatt.engine.early_stopping import EarlyStopping
from rosenblatt.engine.learner import learn
from rosenblatt.engine.progress import Progress
from rosenblatt.engine.run import Examples, Orders, begin
from rosenblatt.estimators import inputs
from rosenblatt.estimators.base import RunEstimator, rows_per_block
from rosenblatt.games import Ranking
from rosenblatt.kernels import Kernel, Precomputed
from rosenblatt.rows import Rows, count, rows_of
from rosenblatt.rows.queries import group_rows
from rosenblatt.rules import Rule
from rosenblatt.tasks.candidates import gathered, without_queries
from rosenblatt.tasks.lists import Lists
from rosenblatt.theory import certificates


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
        with inputs.untouched_on_error(self):
            self._check_parameters()
            kernel = self._kernel()
            data, lists = self._read(X, y, qid, group, kernel, reset=True)
            self._begin(kernel)
            self._learn(data, lists, inputs.generator(self.random_state), self.epochs, self.shuffle, eval_set)
            self._check_played()
        return self

    def partial_fit(self, X: Any, y: Any = None, qid: Any = None, group: Any = None) -> Self:
        """Continue the run, or start one, with these lists in their order, or with one epoch of draws.

        Lists in which no row is better than another leave it unchanged.
        """
        with inputs.untouched_on_error(self):
            self._check_parameters()
            kernel, resuming = self._kernel(), hasattr(self, "_run")
            if resuming:
                self._check_same(
                    ("keep_examples", bool(self.keep_examples), self._run.hypothesis.keep),
                    ("strategy", self.strategy, self._strategy),
                )
            data, lists = self._read(X, y, qid, group, kernel, reset=not resuming)
            if not resuming:
                self._begin(kernel)
            elif kernel is None:
                inputs.refuse_huge(data)
            random = inputs.generator(self.random_state)
            if self.random_state is not None:  # other draws in every call
                random = np.random.default_rng([self._run.book.rounds, int(random.integers(2**31))])
            with inputs.following(self._run, self._rule()):
                self._learn(data, lists, random, 1, shuffle=False)
        return self

    def decision_function(self, X: Any, qid: Any = None, group: Any = None) -> Floats:
        """Return the score of every row by the chosen predictor: the higher, the better.

        "vote" and "sample" rank lists, and need `qid` or `group`; without them all rows are one list. For
        "vote" these are shares of the votes; fractions of a vote order equals by the average.
        """
        return self._scores(*self._rows_to_answer(X, qid, group))

    def _scores(self, rows: Rows, qid: Any) -> Floats:
        if self.predictor in predictors.GUESSES:
            return np.asarray(predictors.scores(self._run, rows, self.predictor)[0][:, 0])
        _, order, starts = group_rows(np.zeros(len(rows)) if qid is None else qid, len(rows))
        inverse = np.argsort(order)
        listed = rows.take(order)
        if self.predictor == "sample":
            random = inputs.sampling(self.random_state)
            return np.asarray(predictors.sampled(self._run, listed, starts, random)[0][inverse, 0])
        votes = predictors.votes(self._run, listed, starts)[inverse, 0]
        average = predictors.scores(self._run, rows, "average")[0][:, 0]
        rank = np.unique(average, return_inverse=True)[1] / len(rows)
        return np.asarray(votes + rank / max(self._run.book.rounds, 1) / 2)

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

    def certificate(
        self, X: Any, y: Any = None, qid: Any = None, group: Any = None
    ) -> certificates.Certificate:
        """Return the certificate of this run on the lists it learned from: the bound and its proof."""
        check_is_fitted(self, "_run")
        data, lists = self._read(X, y, qid, group, self._run_kernel(), reset=False)
        predictors.check_kept(self._run, "certificate")
        if self._strategy == "pairs":
            shown = np.concatenate(self._shown)
            examples = Examples(
                rows_of(data), lists.grades, np.arange(0, len(shown) + 1, 2), index=shown, repeats=True
            )
        else:
            examples = lists.whole(rows_of(data))
        certificates.check_learned_from(self._run, examples)
        certificates.check_grades(self._run.ledger, lists.grades)
        return certificates.certify(self._run, examples)[0]

    def _begin(self, kernel: Kernel | None) -> None:
        self._run = begin(
            Ranking("top" if self.strategy == "top" else "best"),
            features=None if kernel is not None else self.n_features_in_,
            kernel=kernel,
            rule=self._rule(),
            keep=self.keep_examples,
            budget=as_budget(self.budget),
            limited=True,
            recent=self.predictor == "recent",
        )
        self._strategy = self.strategy
        self._shown: list[Ints] = []

    def _learn(
        self,
        data: Data,
        lists: Lists,
        random: np.random.Generator,
        epochs: int,
        shuffle: bool,
        eval_set: Any = None,
    ) -> None:
        run = self._run
        examples = self._examples(data, lists, epochs, random)
        if not len(examples):
            return
        orders: Iterator[Ints]
        if self.strategy == "pairs":
            orders = iter(np.split(np.arange(len(examples)), epochs))
        else:
            orders = Orders(len(examples), epochs, random if shuffle else None)
        watch = None
        if eval_set is not None:
            watch = EarlyStopping(run, self._held_out(eval_set), epochs)
            orders = watch.watched(orders)
        rounds = len(examples) * (1 if examples.repeats else epochs)
        self._play(examples, orders, Progress(run.book.rounds + rounds, self.verbose))
        if watch is not None:
            watch.finish()
            self.eval_scores_ = watch.scores

    def _examples(self, data: Data, lists: Lists, epochs: int, random: np.random.Generator) -> Examples:
        """Return whole lists, or the pairs that are drawn from them in this many epochs."""
        rows = self._run.number(data)
        if self.strategy != "pairs":
            return lists.whole(rows)
        return lists.pairs(rows, epochs * (len(rows) if self.draws is None else int(self.draws)), random)

    def _play(
        self,
        examples: Examples,
        orders: Iterable[Ints],
        progress: Progress | None = None,
        *,
        once: bool = False,
    ) -> None:
        """Play these epochs, and record which pairs were shown."""
        run = self._run
        before, first, seen = run.book.rounds, run.rows_seen, run.examples_seen
        try:
            learn(run, examples, orders, block=rows_per_block(self.block_size), progress=progress, once=once)
        finally:  # Ctrl-C may arrive after all is learned
            if examples.repeats and run.examples_seen > seen:  # pairs that were not played were not shown
                played = run.book.rounds - before
                run.examples_seen = seen + played
                if run.hypothesis.keep:  # else there is no certificate, and memory must not grow
                    self._shown.append(first + examples.index[: 2 * played])

    def _held_out(self, eval_set: Any) -> Callable[[], float]:
        """Return a function that scores the present guess on the validation set."""
        try:
            X, y, *rest = eval_set
        except (TypeError, ValueError):
            raise ValueError(f"eval_set must be (X, y, qid). Got {type(eval_set).__name__}.") from None
        X, y, qid = gathered(X, y, rest[0] if rest else None, None, self._kernel())
        rows, _ = self._rows_to_answer(X, None, None)
        query, _, _ = group_rows(qid, len(rows))
        return lambda: self._measured(y, self._scores(rows, query), query)

    def _check_played(self) -> None:
        """Raise ValueError if no list was worth a round."""
        if not self._run.book.rounds:
            raise ValueError(
                "There is nothing to learn from: in no query is one row better than another. Check that the "
                "grades and the queries are the right ones, and belong together."
            )

    def _check_parameters(self) -> None:
        self._check_shared(flags=("shuffle", "keep_examples"))
        inputs.one_of("strategy", self.strategy, ("pairs", "best", "top"))
        rows_per_block(self.block_size)
        if self.draws is not None:
            inputs.positive_integer("draws", self.draws)
            if self.strategy != "pairs":
                raise ValueError(f"draws are made by strategy='pairs' only. Got strategy={self.strategy!r}.")
        if isinstance(self._kernel(), Precomputed):
            raise ValueError(
                "A ranker needs a kernel it can evaluate. Got a precomputed one: pass rows and the kernel."
            )
        metrics.lists.named(self.metric)

    def _read(
        self, X: Any, y: Any, qid: Any, group: Any, kernel: Kernel | None, *, reset: bool
    ) -> tuple[Data, Lists]:
        X, y, qid = gathered(X, y, qid, group, self._kernel())
        data = inputs.checked_data(self, X, kernel, reset=reset)
        return data, Lists.of(y, qid, count(data))

    def _rows_to_answer(self, X: Any, qid: Any, group: Any) -> tuple[Rows, Any]:
        check_is_fitted(self, "_run")
        inputs.one_of("predictor", self.predictor, predictors.NAMES)
        X, qid = without_queries(X, qid, group)
        rows = rows_of(inputs.checked_data(self, X, self._run_kernel(), reset=False))
        return rows, None if qid is None else group_rows(qid, len(rows))[0]
