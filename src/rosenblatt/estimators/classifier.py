"""PerceptronClassifier: a linear or kernel perceptron under scikit-learn's contract."""

from __future__ import annotations

from typing import Any, Self

from sklearn.base import ClassifierMixin

from rosenblatt._types import Array, Data, Floats
from rosenblatt.data.blocks import Block
from rosenblatt.engine import predictors
from rosenblatt.estimators import inputs
from rosenblatt.estimators.base import RunEstimator, generator, one_of, rows_per_block, untouched_on_error
from rosenblatt.games import Game
from rosenblatt.games.checks import MEMBERS
from rosenblatt.kernels import Kernel, Precomputed
from rosenblatt.rows import Rows, count
from rosenblatt.rules import Rule
from rosenblatt.tasks import classification
from rosenblatt.tasks.classification import ClassificationTask
from rosenblatt.tasks.task import NOTHING_DRAWN, train_in_memory
from rosenblatt.theory.explanations import Explanation


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
        "argmax": one learner with a score per class. "one-vs-rest": a learner per class. Or a game of your
        own, whose truths and answers are indices of classes; its attribute `classes` is their number.
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
        multiclass: str | Game = "argmax",
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
        with untouched_on_error(self):
            self.check_parameters()
            task = self.new_task()
            kernel = task.options["kernel"]
            compiled_pass_searches = kernel is None and self.fit_intercept
            data, labels = self._checked(X, y, kernel, reset=True, search=not compiled_pass_searches)
            block = Block(data, labels, sample_weight=sample_weight)
            train_in_memory(task, block, self._plan(generator(self.random_state)))
            self.take_over(task)
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Continue the run, or start one, in the order of these examples.

        After an error the run is unchanged. With a kernel and no budget, Ctrl-C rolls back this call; else it
        takes effect after all examples are learned (see `ledger_.rounds`).

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.
        classes
            All classes that will ever occur; needed in the first call, unless `fit` came before.
        """
        with untouched_on_error(self):
            self.check_parameters()
            resuming = hasattr(self, "task_")
            task = self._resumed() if resuming else self.new_task()
            kernel = task.options["kernel"]
            self._check_in_chunks(kernel)
            data, labels = self._checked(X, y, kernel, reset=not resuming)
            given = classification.lasting_classes(classes, task.classes if resuming else None)
            block = Block(data, labels, sample_weight=sample_weight)
            random = NOTHING_DRAWN if resuming else generator(self.random_state)
            if not resuming:
                task.given = given
                task.begin(block, random)
            self._continue(task, block, random, begun=not resuming)
            self.take_over(task)
        return self

    def decision_function(self, X: Any) -> Floats:
        """Return the scores of the chosen predictor: one per row, or one per class with more than two.

        For "vote" these are shares of the votes, for "sample" the scores of the guess drawn.
        """
        random, rows = self._sampling(), self._rows_to_answer(X)
        found: Floats = self.task_.scores(rows, self.predictor, random)
        return found

    def predict(self, X: Any) -> Array:
        """Return the class of every row, by the chosen predictor."""
        random, rows = self._sampling(), self._rows_to_answer(X)
        found: Array = self.task_.answers(rows, self.predictor, random)
        return found

    def explain(self, x: Any, predictor: str | None = None, label: Any = None) -> Explanation:
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
        one_of("predictor", name, predictors.NAMES)
        rows = self._rows_to_answer(inputs.one_row(self, x, self.run_.kernel))
        found: Explanation = self.task_.explain(rows, name, label)
        return found

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
        data, labels = self._checked(X, y, self.run_.kernel, reset=False)
        if isinstance(u, PerceptronClassifier):
            u = u.run_, u.predictor
        found = self.task_.certify(data, labels, u)
        return found[0] if len(found) == 1 else found

    def check_parameters(self) -> None:
        """Raise ValueError, as `fit` does, if a parameter is not valid."""
        self._check_shared(flags=("fit_intercept", "shuffle", "keep_examples"))
        self._check_multiclass()
        one_of("ties", self.ties, ("mistake", "positive"))
        one_of("start", self.start, ("zero", "random"))
        rows_per_block(self.block_size)
        if self.kernel is not None and self.start == "random":
            raise ValueError(
                "start='random' draws weights, which a learner with a kernel does not have. Use 'zero'."
            )

    def _check_multiclass(self) -> None:
        if self.multiclass is None or isinstance(self.multiclass, str | bool | int | float | list | tuple):
            one_of("multiclass", self.multiclass, ("argmax", "one-vs-rest"))
            return
        missing = [name for name in (*MEMBERS, "classes") if not hasattr(self.multiclass, name)]
        if missing:
            raise ValueError(
                "multiclass must be 'argmax', 'one-vs-rest' or a game with the number of its classes. Got "
                f"{self.multiclass!r:.100}, which has no {', '.join(missing)}."
            )
        if self.ties != "mistake":
            raise ValueError(f"A game of your own decides about ties itself. Got ties={self.ties!r}.")

    def new_task(self, classes: Any = None) -> ClassificationTask:
        """Return the task of these parameters before its first data, for these classes if they are given."""
        return ClassificationTask(
            self._options(intercept=bool(self.fit_intercept)),
            multiclass=self.multiclass,
            ties=self.ties,
            start=self.start,
            class_weight=self.class_weight,
            classes=classes,
        )

    def take_over(self, task: Any) -> None:
        """Set the fitted attributes from a task."""
        super().take_over(task)
        self.classes_ = task.classes
        if task.features is not None:
            self.n_features_in_ = task.features

    def _resumed(self) -> ClassificationTask:
        """Return the task of the run, with the parameters that may change while it continues."""
        task: ClassificationTask = self.task_
        present, run = self.new_task(), task.run
        present.classes = task.classes
        self._check_same(
            ("fit_intercept", bool(self.fit_intercept), run.intercept),
            ("keep_examples", bool(self.keep_examples), run.hypothesis.keep),
            ("multiclass and ties", present.game(), run.game),
        )
        task.class_weight = self.class_weight
        return task

    def _check_in_chunks(self, kernel: Kernel | None) -> None:
        """Raise ValueError for parameters that need all examples at once."""
        if isinstance(kernel, Precomputed):
            raise ValueError(
                "partial_fit would need kernel values between old and new examples, and a precomputed "
                "matrix holds only those among one set. Use fit, or a kernel that can be evaluated."
            )
        if self.class_weight == "balanced":
            raise ValueError(
                "class_weight='balanced' in partial_fit would balance each chunk separately. Pass a "
                "dict, as from sklearn.utils.class_weight.compute_class_weight."
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

    def _rows_to_answer(self, X: Any) -> Rows:
        data = inputs.checked_data(self, X, self.run_.kernel, reset=False)
        rows: Rows = self.task_.rows(data)
        return rows
