"""PerceptronRanker: find the best of a list, or its order, under scikit-learn's contract."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from rosenblatt import bounds, metrics, predictors
from rosenblatt._types import Array, Data, Floats, Ints
from rosenblatt.development import Development
from rosenblatt.estimators import inputs
from rosenblatt.estimators.attributes import RunAttributes
from rosenblatt.features.encoders import shown
from rosenblatt.games import Ranking
from rosenblatt.kernels import Kernel, Precomputed, as_kernel
from rosenblatt.learner import BLOCK, learn
from rosenblatt.lists import Lists, best_of
from rosenblatt.progress import Progress
from rosenblatt.queries import group_rows, numbers_of_groups
from rosenblatt.rows import Rows, count
from rosenblatt.rules import Rule, as_rule
from rosenblatt.run import Examples, begin

METRICS: dict[str, Callable[..., Any]] = {
    "ndcg": metrics.ndcg,
    "map": metrics.average_precision,
    "mrr": metrics.reciprocal_rank,
    "top-1": metrics.top_1,
    "precision": metrics.precision,
    "pairwise": metrics.pairwise_accuracy,
}


class PerceptronRanker(RunAttributes, BaseEstimator):
    """A perceptron that learns to put the better rows of a list above the others.

    Every row gets a score; it learns from lists whose order by score is wrong. Without a kernel it is a
    weight vector, with one the rows it got wrong. As for the classifier, `predictor` can be changed after
    `fit`.

    Parameters
    ----------
    kernel
        None for the linear learner, or anything that `PerceptronClassifier` takes.
    strategy
        What a round is, and what it corrects. "pairs": a row is drawn, and another of the same query with
        another grade; if the better is not above the worse, it is moved up and the other down. "best": a
        whole list; if the highest score is not that of one of the best rows, the best is moved up and the
        answered down. "top": a whole list; every row that is not above all with lower grades is moved up,
        and the highest of those down, in one correction.
    epochs
        How often to go through the queries, or to make so many draws. Going through all of them without a
        correction ends the run.
    draws
        Pairs drawn in an epoch; None for as many as there are rows. For "pairs" only.
    predictor
        "last", "best", "average", "vote" or "sample": which of the run's guesses answers. A guess votes for
        the row of the list that it scores highest; rows with as many votes are in the order of the average.
    rule, learning_rate, shuffle, random_state, keep_examples, block_size, verbose
        As for `PerceptronClassifier`.
    metric
        What `score` returns and `eval_set` is judged by: "ndcg@10", "precision@1", or with another cutoff;
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
            objects. Or a list of pairs (candidates, best), each the rows of a list and the place of its best
            row, or a set of places; then there is nothing else to pass.
        y
            A grade per row, more being better; or, per query, the place of the best row.
        qid
            Which query each row belongs to; or the column "qid" of a data frame. Rows of a query need not be
            next to each other.
        group
            Instead of `qid`, how many rows each query has, one after the other.
        eval_set
            Lists that are not learned from, (X, y, qid). The run is kept as it was after the epoch in which
            `predictor` did best there by `metric`.
        """
        with inputs.untouched_on_error(self):
            self._check_parameters()
            kernel = self._kernel()
            data, lists = self._read(X, y, qid, group, kernel, reset=True)
            self._begin(kernel)
            self._learn(data, lists, inputs.generator(self.random_state), self.epochs, self.shuffle, eval_set)
            if not self._run.book.rounds:
                raise ValueError(
                    "There is nothing to learn from: in no query is one row better than another. Check that "
                    "y and qid belong together."
                )
        return self

    def partial_fit(self, X: Any, y: Any = None, qid: Any = None, group: Any = None) -> Self:
        """Go on with the run, or begin one, through these lists in their order, or by one epoch of draws.

        Lists in which no row is better than another leave it as it is.
        """
        with inputs.untouched_on_error(self):
            self._check_parameters()
            kernel, going = self._kernel(), hasattr(self, "_run")
            if going:
                self._check_still(kernel)
            data, lists = self._read(X, y, qid, group, kernel, reset=not going)
            if not going:
                self._begin(kernel)
            elif kernel is None:
                inputs.refuse_huge(data)
            random = inputs.generator(self.random_state)
            if self.random_state is not None:  # other draws for every part
                random = np.random.default_rng([self._run.examples_seen, int(random.integers(2**31))])
            with inputs.following(self._run, as_rule(self.rule, self.learning_rate)):
                self._learn(data, lists, random, 1, shuffle=False)
        return self

    def decision_function(self, X: Any, qid: Any = None, group: Any = None) -> Floats:
        """The score of every row by the chosen predictor: the higher, the better.

        "vote" and "sample" answer about lists, and need to know them; without `qid` or `group` all rows are
        one list. For "vote" these are shares of the votes, less than one vote being the order of the average.
        """
        return self._scores(*self._rows_to_answer(X, qid, group))

    def _scores(self, rows: Rows, qid: Any) -> Floats:
        if self.predictor in predictors.GUESSES:
            return np.asarray(predictors.scores(self._run, rows, self.predictor)[0][:, 0])
        _, order, starts = group_rows(np.zeros(len(rows)) if qid is None else qid, len(rows))
        inverse = np.argsort(order)
        listed = rows.take(order)
        if self.predictor == "sample":
            random = inputs.generator(self.random_state)
            return np.asarray(predictors.sampled(self._run, listed, starts, random)[0][inverse, 0])
        votes = predictors.votes(self._run, listed, starts)[inverse, 0]
        average = predictors.scores(self._run, rows, "average")[0][:, 0]
        place = np.unique(average, return_inverse=True)[1] / len(rows)
        return np.asarray(votes + place / max(self._run.book.rounds, 1) / 2)

    predict = decision_function

    def rank(self, candidates: Any) -> Ints:
        """The places of one list's rows, the best first, those given first before their equals."""
        return np.argsort(-self.decision_function(candidates), kind="stable")

    def find_best(self, candidates: Any) -> int:
        """The place of one list's best row."""
        return int(np.argmax(self.decision_function(candidates)))

    def score(
        self, X: Any, y: Any = None, qid: Any = None, group: Any = None, sample_weight: Any = None
    ) -> float:
        """The metric over these lists, which may be passed as in `fit`.

        With `sample_weight`, a number per row, every query counts as much as its rows do on average.
        """
        X, y, qid = self._gathered(X, y, qid, group)
        return self._measured(y, self.decision_function(X, qid), qid, sample_weight)

    def _measured(self, y: Any, scores: Floats, qid: Any, sample_weight: Any = None) -> float:
        grades = y if len(y) == len(scores) else Lists.of(y, qid, len(scores)).grades
        name, cutoff = _metric(self.metric)
        if sample_weight is None:
            return float(METRICS[name](grades, scores, qid, *cutoff))
        number, _, starts = group_rows(qid, len(scores))
        weights = np.bincount(number, np.asarray(sample_weight, np.float64)) / np.diff(starts)
        return float(np.average(METRICS[name](grades, scores, qid, *cutoff, per_query=True), weights=weights))

    def certificate(self, X: Any, y: Any = None, qid: Any = None, group: Any = None) -> bounds.Certificate:
        """The mistake bound for this run on the lists it learned from, with the numbers of its proof."""
        check_is_fitted(self, "_run")
        data, lists = self._read(X, y, qid, group, self._run_kernel(), reset=False)
        if self._strategy == "pairs":
            shown = np.concatenate(self._shown)
            examples = Examples(
                Rows(data), lists.grades, np.arange(0, len(shown) + 1, 2), index=shown, repeats=True
            )
        else:
            examples = lists.whole(Rows(data))
        bounds.check_learned_from(self._run, examples)
        return bounds.certify(self._run, examples)[0]

    def _begin(self, kernel: Kernel | None) -> None:
        self._run = begin(
            Ranking("top" if self.strategy == "top" else "best"),
            features=None if kernel is not None else self.n_features_in_,
            kernel=kernel,
            rule=as_rule(self.rule, self.learning_rate),
            keep=self.keep_examples,
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
        run, rows = self._run, self._run.number(data)
        draws = len(rows) if self.draws is None else int(self.draws)
        orders: Iterator[Ints]
        if self.strategy == "pairs":
            examples = lists.pairs(rows, draws * epochs, random)
            orders = iter(np.split(np.arange(len(examples)), epochs))
        else:
            examples = lists.whole(rows)
            orders = inputs.orders(len(examples), epochs, shuffle, random)
        if not len(examples):
            return
        watch = None
        if eval_set is not None:
            watch = Development(run, self._held_out(eval_set), epochs)
            orders = watch.watched(orders)
        before, first, seen = run.book.rounds, run.rows_seen, run.examples_seen
        progress = Progress(before + len(examples) * (1 if examples.repeats else epochs), self.verbose)
        try:
            learn(run, examples, orders, block=self._block(), progress=progress)
            if watch is not None:
                watch.finish()
                self.eval_scores_ = watch.scores
        finally:  # a Ctrl-C may come when all is learned
            if examples.repeats and run.examples_seen > seen:  # what was not played was never shown
                played = run.book.rounds - before
                run.examples_seen = seen + played
                self._shown.append(first + examples.index[: 2 * played])

    def _held_out(self, eval_set: Any) -> Callable[[], float]:
        """What the present guess scores on lists that are not learned from."""
        try:
            X, y, *rest = eval_set
        except (TypeError, ValueError):
            raise ValueError(f"eval_set must be (X, y, qid). Got {type(eval_set).__name__}.") from None
        X, y, qid = self._gathered(X, y, rest[0] if rest else None, None)
        rows, _ = self._rows_to_answer(X, None, None)
        number, _, _ = group_rows(qid, len(rows))
        return lambda: self._measured(y, self._scores(rows, number), number)

    def _block(self) -> int:
        return BLOCK if self.block_size == "auto" else int(self.block_size)

    def _kernel(self) -> Kernel | None:
        return None if self.kernel is None else as_kernel(self.kernel)

    def _check_parameters(self) -> None:
        inputs.one_of("strategy", self.strategy, ("pairs", "best", "top"))
        inputs.one_of("predictor", self.predictor, predictors.NAMES)
        for name in ("shuffle", "keep_examples"):
            inputs.flag(name, getattr(self, name))
        inputs.whole("epochs", self.epochs)
        if self.draws is not None:
            inputs.whole("draws", self.draws)
            if self.strategy != "pairs":
                raise ValueError(f"draws are made by strategy='pairs' only. Got strategy={self.strategy!r}.")
        if self.block_size != "auto":
            inputs.whole("block_size", self.block_size)
        if self.kernel is not None and not self.keep_examples:
            raise ValueError("A learner with a kernel is the examples it keeps. Got keep_examples=False.")
        if isinstance(self._kernel(), Precomputed):
            raise ValueError(
                "A ranker needs a kernel it can evaluate. Got a precomputed one: pass rows and the kernel."
            )
        _metric(self.metric)
        as_rule(self.rule, self.learning_rate)

    def _check_still(self, kernel: Kernel | None) -> None:
        hypothesis = self._run.hypothesis
        for name, asked, begun in (
            ("kernel", kernel, self._run_kernel()),
            ("keep_examples", bool(self.keep_examples), hypothesis.keep),
            ("strategy", self.strategy, self._strategy),
        ):
            if asked != begun:
                raise ValueError(
                    f"partial_fit goes on with a run that was begun with {name} = {begun!r}. Got {asked!r}: "
                    "set it back, or use fit to begin a new run."
                )

    def _read(
        self, X: Any, y: Any, qid: Any, group: Any, kernel: Kernel | None, *, reset: bool
    ) -> tuple[Data, Lists]:
        X, y, qid = self._gathered(X, y, qid, group)
        data = inputs.checked_data(self, X, kernel, reset=reset)
        return data, Lists.of(y, qid, count(data))

    def _gathered(self, X: Any, y: Any, qid: Any, group: Any) -> tuple[Any, Any, Any]:
        """Rows, what is said of them, and their queries, however they were passed."""
        if y is None:
            if qid is not None or group is not None:
                raise ValueError("Pairs (candidates, best) are lists already. Got qid or group besides.")
            X, y, group = _from_pairs(X, self._kernel())
            return X, y, numbers_of_groups(group, count(X))
        X, qid = _without_queries(X, qid, group)
        if qid is None:
            raise ValueError(
                "A ranker needs to know which rows are one list: pass qid, group, or a data frame with a "
                "column 'qid'. Got none of them."
            )
        return X, y, qid

    def _rows_to_answer(self, X: Any, qid: Any, group: Any) -> tuple[Rows, Any]:
        check_is_fitted(self, "_run")
        inputs.one_of("predictor", self.predictor, predictors.NAMES)
        X, qid = _without_queries(X, qid, group)
        rows = Rows(inputs.checked_data(self, X, self._run_kernel(), reset=False))
        return rows, None if qid is None else group_rows(qid, len(rows))[0]


def _without_queries(X: Any, qid: Any, group: Any) -> tuple[Any, Any]:
    """The rows without the column of a data frame that says which query they belong to; and their queries."""
    if qid is not None and group is not None:
        raise ValueError("Queries are told by qid or by group. Got both.")
    if hasattr(X, "columns") and "qid" in X.columns:
        qid = X["qid"] if qid is None and group is None else qid
        X = X.drop(columns="qid")
    if group is not None:
        qid = numbers_of_groups(group, count(X))
    return X, qid


def _from_pairs(pairs: Any, kernel: Kernel | None) -> tuple[Any, Ints, list[int]]:
    """Rows, grades and sizes from pairs (candidates, best)."""
    if not isinstance(pairs, list | tuple) or not all(isinstance(p, tuple) and len(p) == 2 for p in pairs):
        raise ValueError(
            "Without y, X must be a list of pairs (candidates, best), as ([[0, 1], [1, 0]], 1). "
            f"Got {type(pairs).__name__}."
        )
    candidates = [rows for rows, _ in pairs]
    if kernel is None or not kernel.on_objects:
        candidates = [rows if sp.issparse(rows) else _two_dimensional(rows) for rows in candidates]
    grades = [best_of(best, count(rows)) for rows, best in pairs]
    if not candidates:
        raise ValueError("Found no lists: at least 1 is needed. Got an empty list.")
    sizes = [count(rows) for rows in candidates]
    X: Any
    if kernel is not None and kernel.on_objects:
        X = [row for rows in candidates for row in rows]
    elif sp.issparse(candidates[0]):
        X = sp.vstack(candidates, format="csr")
    else:
        X = np.vstack(candidates)
    return X, np.concatenate(grades), sizes


def _two_dimensional(rows: Any) -> Array:
    try:
        data = np.asarray(rows, np.float64)
    except (TypeError, ValueError):
        data = np.empty(0)
    if data.ndim != 2:
        raise ValueError(f"Candidates must be rows of as many numbers each. Got {shown(rows)}.")
    return data


def _metric(name: Any) -> tuple[str, tuple[int, ...]]:
    """A metric and its cutoff, if one is named."""
    metric, at, cutoff = name.partition("@") if isinstance(name, str) else (name, "", "")
    cut = metric in ("ndcg", "precision")
    if metric not in METRICS or cut != bool(at) or (at and not (cutoff.isdecimal() and int(cutoff) > 0)):
        raise ValueError(
            "metric must be 'ndcg@10' or 'precision@1', or with another cutoff, 'map', 'mrr', 'top-1' or "
            f"'pairwise'. Got {name!r}."
        )
    return metric, (int(cutoff),) if at else ()
