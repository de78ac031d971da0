"""PerceptronClassifier: a linear or kernel perceptron under scikit-learn's contract."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from rosenblatt._types import Array, Data, Floats, Ints
from rosenblatt.budgets import as_budget
from rosenblatt.engine import predictors
from rosenblatt.engine.hypotheses import Budgeted
from rosenblatt.engine.learner import learn
from rosenblatt.engine.progress import Progress
from rosenblatt.engine.run import Examples, Orders, Run, begin
from rosenblatt.estimators import inputs
from rosenblatt.estimators.base import RunEstimator, rows_per_block
from rosenblatt.games import Game
from rosenblatt.kernels import Kernel, Precomputed
from rosenblatt.rows import Rows, count, rows_of
from rosenblatt.rules import Rule
from rosenblatt.tasks import classification
from rosenblatt.theory import certificates, directions, explanations


class PerceptronClassifier(ClassifierMixin, RunEstimator):
    r"""A perceptron that learns from its mistakes and keeps the ledger of them.

    Without a kernel it learns a weight matrix from dense or sparse rows; with one, coefficients of the
    support vectors, the rows it got wrong. Every prediction is computed from the ledger of the run, so
    `predictor` can be changed after `fit` without learning again.

    Fitting costs one pass per epoch without a kernel; with one, each corrected row is compared once
    with every other row per correction, in matrix products; no more than a block of the kernel matrix is
    ever in memory.

    Parameters
    ----------
    kernel
        None for the linear learner; a `Kernel`, a callable `k(X, Z)`, "precomputed" or one of
        scikit-learn's Gaussian-process kernels for the dual one.
    epochs
        Passes over the examples. After an epoch without a correction the remaining ones are credited to the
        last guess without being played: the run is the same.
    predictor
        "last", "best", "average", "vote" or "sample": which of the run's guesses answers. "recent", an
        average that restarts when the stream changes, must be chosen before learning.
    rule
        "perceptron", "margin", "passive-aggressive" or a rule object: how far to move, and when.
    multiclass
        "argmax": one learner with a score per class. "one-vs-rest": a learner per class.
    fit_intercept
        Add a constant feature, or the constant 1 to the kernel.
    learning_rate
        η of the rules "perceptron" and "margin".
    ties
        "mistake": a score of exactly 0 is wrong. "positive": with two classes, it answers the second.
    start
        "zero", or "random" for small random weights (without a kernel only).
    shuffle
        Draw a new order for every epoch of `fit`. `partial_fit` keeps the order given.
    random_state
        Seed of the orders, the random start and the predictor "sample"; None for NumPy's global state, which
        `numpy.random.seed` sets.
    class_weight
        None, "balanced" or a dict: the factor of the corrections on each class.
    keep_examples
        Keep the rows that were corrected. The predictors "best", "vote" and "sample", `explain` and
        `certificate` need them; "last", "average" and "recent" without a kernel do not. If False, the ledger
        lists the latest corrections and counts those before, so that memory does not grow.
    budget
        None to keep every corrected row; a number of rows, or a `Budget`, to keep no more than that, for
        unbounded streams. With a kernel only.
    block_size
        With a kernel, rows per block of the fast path; it changes the speed and nothing else.
    verbose
        Show a progress bar with the mistakes so far.

    References
    ----------
    F. Rosenblatt, The perceptron, Psychological Review 65 (1958).
    Y. Freund and R. Schapire, Large margin classification using the perceptron algorithm,
    Machine Learning 37 (1999), figure 1.

    Examples
    --------
    XOR, which no line separates and a quadratic kernel does:

    >>> from rosenblatt import PerceptronClassifier, kernels
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [-1, 1, 1, -1]
    >>> xor = PerceptronClassifier(kernels.Polynomial(2), predictor="last", shuffle=False).fit(X, y)
    >>> xor.predict(X)
    array([-1,  1,  1, -1])
    >>> xor.ledger_
    <Ledger: 25 mistakes, 25 corrections, 40 rounds>
    """

    def __init__(
        self,
        kernel: Any = None,
        *,
        epochs: int = 10,
        predictor: str = "average",
        rule: str | Rule = "perceptron",
        multiclass: str = "argmax",
        fit_intercept: bool = True,
        learning_rate: float = 1.0,
        ties: str = "mistake",
        start: str = "zero",
        shuffle: bool = True,
        random_state: Any = None,
        class_weight: Any = None,
        keep_examples: bool = True,
        budget: Any = None,
        block_size: int | str = "auto",
        verbose: bool = False,
    ) -> None:
        self.kernel = kernel
        self.epochs = epochs
        self.predictor = predictor
        self.rule = rule
        self.multiclass = multiclass
        self.fit_intercept = fit_intercept
        self.learning_rate = learning_rate
        self.ties = ties
        self.start = start
        self.shuffle = shuffle
        self.random_state = random_state
        self.class_weight = class_weight
        self.keep_examples = keep_examples
        self.budget = budget
        self.block_size = block_size
        self.verbose = verbose

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = isinstance(self.kernel, Precomputed) or self.kernel == "precomputed"
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Play a new run on these examples.

        Parameters
        ----------
        X
            Rows: a dense array, a sparse matrix, a data frame, a kernel matrix if the kernel is
            precomputed, or a list of objects if it takes objects.
        y
            A label per row, of two or more classes.
        sample_weight
            The factor of a correction on each row.
        """
        with inputs.untouched_on_error(self):
            self._check_parameters()
            kernel = self._kernel()
            compiled_pass_searches = kernel is None and self.fit_intercept
            data, labels = self._checked(X, y, kernel, reset=True, search=not compiled_pass_searches)
            self.classes_ = classification.classes_of(labels)
            classification.check_classes(self.classes_, self.ties)
            truths = classification.encode(labels, self.classes_)
            random = inputs.generator(self.random_state)
            self._run = self._begin(kernel, random)
            self._support_truths: list[int] = []
            orders = Orders(count(data), self.epochs, random if self.shuffle else None)
            self._learn(data, truths, sample_weight, orders, self.epochs)
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Continue the run, or start one, in the order of these examples.

        After an error the run is unchanged. With a kernel, Ctrl-C rolls back this call; without one it takes
        effect after all examples are learned (see `ledger_.rounds`).

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.
        classes
            All classes that will ever occur; needed in the first call, unless `fit` came before.
        """
        with inputs.untouched_on_error(self):
            self._check_parameters()
            resuming = hasattr(self, "_run")
            kernel = self._kernel()
            if resuming:
                hypothesis = self._run.hypothesis
                self._check_same(
                    ("fit_intercept", bool(self.fit_intercept), bool(hypothesis.support.constant)),
                    ("keep_examples", bool(self.keep_examples), hypothesis.keep),
                    ("multiclass and ties", self._game(), self._run.game),
                )
            if isinstance(kernel, Precomputed):
                raise ValueError(
                    "partial_fit would need kernel values between old and new examples, and a precomputed "
                    "matrix holds only those among one set. Use fit, or a kernel that can be evaluated."
                )
            data, labels = self._checked(X, y, kernel, reset=not resuming)
            if resuming and kernel is None:
                inputs.refuse_huge(data)
            self.classes_ = classification.lasting_classes(classes, self.classes_ if resuming else None)
            classification.check_classes(self.classes_, self.ties)
            truths = classification.encode(labels, self.classes_)
            if self.class_weight == "balanced":
                raise ValueError(
                    "class_weight='balanced' in partial_fit would balance each chunk separately. Pass a "
                    "dict, as from sklearn.utils.class_weight.compute_class_weight."
                )
            if not resuming:
                self._run = self._begin(kernel, inputs.generator(self.random_state))
                self._support_truths = []
            order = iter([np.arange(count(data))])
            with inputs.following(self._run, self._rule()):
                self._learn(data, truths, sample_weight, order, 1)
        return self

    def decision_function(self, X: Any) -> Floats:
        """Return the scores of the chosen predictor: one per row, or one per class with more than two.

        For "vote" these are shares of the votes, for "sample" the scores of the guess drawn.
        """
        rows = self._rows_to_answer(X)
        starts = np.arange(len(rows) + 1)
        if self.predictor == "vote":
            found = predictors.votes(self._run, rows, starts)
        elif self.predictor == "sample":
            found, _ = predictors.sampled(self._run, rows, starts, inputs.sampling(self.random_state))
        else:
            found, _ = predictors.scores(self._run, rows, self.predictor)
        return found[:, 0] if len(self.classes_) == 2 else found

    def predict(self, X: Any) -> Array:
        """Return the class of every row, by the chosen predictor."""
        rows = self._rows_to_answer(X)
        random = inputs.sampling(self.random_state) if self.predictor == "sample" else None
        return np.asarray(self.classes_[predictors.decide(self._run, rows, self.predictor, random=random)])

    def explain(self, x: Any, predictor: str | None = None, label: Any = None) -> explanations.Explanation:
        """Explain the score of one row: the support vectors behind it, each with importance × similarity.

        Parameters
        ----------
        x
            One row, or one object.
        predictor
            "last", "best" or "average"; the learner's own by default.
        label
            The class whose score to explain: by default the predicted one, or the second of two. The score
            of the first of two is minus that of the second.
        """
        name = self.predictor if predictor is None else predictor
        inputs.one_of("predictor", name, predictors.NAMES)
        rows = self._rows_to_answer(inputs.one_row(self, x, self._run_kernel()))
        chosen, output, sign = self._to_explain(rows, name, label)
        ids, importance, similarity, start = explanations.parts(self._run, rows, name, output)
        found, _ = predictors.scores(self._run, rows, name)
        answer = self.classes_[predictors.decide(self._run, rows, name)[0]]
        of_row = dict(zip(self.support_.tolist(), self.classes_[self._support_truths], strict=True))
        return explanations.Explanation(
            answer=answer,
            output=self.classes_[chosen],
            score=sign * float(found[0, output]),
            examples=ids,
            labels=np.array([of_row[i] for i in ids.tolist()]),
            importance=sign * importance,
            similarity=similarity,
            start=sign * start,
        )

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
        A `Certificate`, or a list of one per class for one-vs-rest.
        """
        check_is_fitted(self)
        data, labels = self._checked(X, y, self._run_kernel(), reset=False)
        examples = Examples(rows_of(data), classification.encode(labels, self.classes_))
        certificates.check_learned_from(self._run, examples)
        certificates.check_labels(examples.truths, self._run.support.ids, self._support_truths)
        directions = None if u is None else [self._direction(u, examples)]
        found = certificates.certify(self._run, examples, directions)
        return found[0] if len(found) == 1 else found

    def _check_parameters(self) -> None:
        self._check_shared(flags=("fit_intercept", "shuffle", "keep_examples"))
        inputs.one_of("multiclass", self.multiclass, ("argmax", "one-vs-rest"))
        inputs.one_of("ties", self.ties, ("mistake", "positive"))
        inputs.one_of("start", self.start, ("zero", "random"))
        rows_per_block(self.block_size)
        if self.kernel is not None and self.start == "random":
            raise ValueError(
                "start='random' draws weights, which a learner with a kernel does not have. Use 'zero'."
            )

    def _checked(
        self, X: Any, y: Any, kernel: Kernel | None, *, reset: bool, search: bool = True
    ) -> tuple[Data, Array]:
        data = inputs.checked_data(self, X, kernel, reset=reset, search=search)
        labels = classification.checked_labels(y, count(data))
        if isinstance(kernel, Precomputed) and data.shape[0] != data.shape[1] and reset:
            raise ValueError(f"A precomputed kernel matrix must be square to fit. Got shape {data.shape}.")
        if not self.fit_intercept:
            inputs.refuse_zero_vectors(data, kernel)
        return data, labels

    def _game(self) -> Game:
        return classification.game(len(self.classes_), self.multiclass, self.ties)

    def _begin(self, kernel: Kernel | None, random: np.random.Generator) -> Run:
        game, start = self._game(), None
        features = None if kernel is not None else self.n_features_in_
        if self.start == "random" and features is not None:
            start = random.normal(scale=0.01, size=(features + 1, game.outputs))
            start[-1] *= self.fit_intercept
        return begin(
            game,
            features=features,
            kernel=kernel,
            rule=self._rule(),
            intercept=self.fit_intercept,
            start=start,
            keep=self.keep_examples,
            budget=as_budget(self.budget),
            limited=True,
            recent=self.predictor == "recent",
        )

    def _learn(self, data: Data, truths: Ints, sample_weight: Any, orders: Any, epochs: int) -> None:
        weights = classification.weights(truths, self.classes_, sample_weight, self.class_weight)
        examples = Examples(self._run.number(data), truths, weights=weights)
        self._play(examples, orders, Progress(self._run.book.rounds + epochs * len(examples), self.verbose))

    def _play(
        self, examples: Examples, orders: Any, progress: Progress | None = None, *, once: bool = False
    ) -> None:
        """Play these epochs, and record the true classes of new support vectors."""
        run, support = self._run, self._run.support
        known, seen = len(support), run.rows_seen
        truth_of = dict(zip(support.ids.tolist(), self._support_truths, strict=True)) if self.budget else {}
        try:
            learn(run, examples, orders, block=rows_per_block(self.block_size), progress=progress, once=once)
        finally:  # after an interrupt, the run has learned all of the examples or none
            new = support.ids[known:] - seen
            if isinstance(run.hypothesis, Budgeted):
                self._support_truths = classification.truths_of_support(
                    support.ids, run.hypothesis.coefficients, truth_of, examples.truths, seen
                )
            else:
                self._support_truths += examples.truths[new].tolist()

    def _rows_to_answer(self, X: Any) -> Rows:
        inputs.one_of("predictor", self.predictor, predictors.NAMES)
        return rows_of(inputs.checked_data(self, X, self._run_kernel(), reset=False))

    def _to_explain(self, rows: Rows, name: str, label: Any) -> tuple[int, int, int]:
        """Return a class, the output with its score, and the sign of the class in that output."""
        if label is not None and label not in self.classes_.tolist():
            raise ValueError(f"label must be one of {classification.shown(self.classes_)}. Got {label!r}.")
        chosen = None if label is None else self.classes_.tolist().index(label)
        if len(self.classes_) == 2:
            chosen = 1 if chosen is None else chosen
            return chosen, 0, 2 * chosen - 1
        chosen = int(predictors.decide(self._run, rows, name)[0]) if chosen is None else chosen
        return chosen, chosen, 1

    def _direction(self, u: Any, examples: Examples) -> directions.Direction:
        if isinstance(u, PerceptronClassifier):
            if u._run_kernel() != self._run_kernel() or u._run.game != self._run.game:
                raise ValueError(
                    f"u must have learned with the same kernel and classes, {self._run_kernel()!r}. "
                    f"Got {u._run_kernel()!r}."
                )
            return directions.direction_of_run(self._run, examples, u._fitted(), u.predictor)
        return directions.direction_of_weights(self._run, examples, np.asarray(u, dtype=np.float64))
