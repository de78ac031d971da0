"""PerceptronClassifier: a linear or kernel perceptron under scikit-learn's contract."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin

from rosenblatt._types import Array, Data
from rosenblatt.data.blocks import Block
from rosenblatt.estimators import inputs, validation
from rosenblatt.estimators.answering import Answering
from rosenblatt.estimators.base import (
    RunEstimator,
    generator,
    one_of,
    rows_per_block,
    share,
    tag_rows,
)
from rosenblatt.estimators.calibrating import Calibrating
from rosenblatt.games import Game
from rosenblatt.games.checks import MEMBERS
from rosenblatt.kernels import Precomputed
from rosenblatt.rows import count
from rosenblatt.rules import Rule
from rosenblatt.tasks import classification
from rosenblatt.tasks.classification import ClassificationTask
from rosenblatt.tasks.label_sets import has_sets
from rosenblatt.tasks.multilabel import MultiLabelTask
from rosenblatt.tasks.task import NOTHING_DRAWN


class PerceptronClassifier(Calibrating, Answering, ClassifierMixin, RunEstimator):
    r"""A perceptron that learns from its mistakes and keeps the ledger of them.

    Without a kernel it learns a weight matrix from dense or sparse rows; with one, coefficients of the
    support vectors, the rows it got wrong. Every prediction is computed from the ledger of the run, so
    `predictor` can be changed after `fit` without learning again.

    Fitting costs one pass per epoch without a kernel; with one, each corrected row is compared once with
    every other row per correction, in matrix products, of which no more than a block is ever in memory.

    Parameters
    ----------
    kernel
        None or "linear" for the linear learner. For the dual one "rbf", "poly", "sigmoid" or "precomputed",
        as `SVC` has them, a `Kernel`, a callable `k(X, Z)`, or one of scikit-learn's Gaussian-process
        kernels.
    gamma, degree, coef0
        Parameters of kernels by name, as `SVC` has them. gamma="scale" is one over the number of features
        times the variance of X, "auto" one over the number of features; `kernel_` has the number.
    max_iter
        Epochs: passes over the examples. After one without a correction the others are credited to the last
        guess without being played: the run is the same.
    predictor
        "last", "best", "average", "vote" or "sample": which of the run's guesses answers. "recent", an
        average that restarts when the stream changes, must be chosen before learning.
    rule
        "perceptron", "margin", "passive-aggressive" or a rule object: how far to move, and when. "auto" for
        "passive-aggressive" without a kernel, which is more accurate on most data, and "perceptron" with one,
        where its many corrections take two to four times as long.
    multiclass
        "argmax": one learner with a score per class. "ovr": a learner per class (one-vs-rest). Or a game of
        your own, whose truths and answers are indices of classes; its attribute `classes` is their number.
        Where rows have sets of labels there is a learner per label, whichever of the two it is.
    fit_intercept
        Add a constant feature, or the constant 1 to the kernel. "auto" for yes without a kernel and no with
        one: added to a kernel it costs support vectors, and accuracy.
    learning_rate
        η of the rules "perceptron" and "margin".
    ties
        "mistake": a score of exactly 0 is wrong. "positive": with two classes, it answers the second; with
        sets of labels, that the row has the label.
    start
        "zero", or "random" for small random weights (without a kernel only).
    shuffle
        Draw a new order for every epoch of `fit`. `partial_fit` keeps the order given.
    random_state
        Seed of the orders, the random start and the predictor "sample"; None for NumPy's global state, which
        `numpy.random.seed` sets.
    class_weight
        None, "balanced" or a dict: the factor of the corrections on each class. With sets of labels a dict
        has the factor for rows that have a label, and "balanced" weighs rows with a label against the others.
    early_stopping
        Stop `fit` when the score on a validation set has not improved for `n_iter_no_change` epochs, and keep
        the run as it was after the best epoch. The validation set is the last of `eval_set`, or a share of
        the examples that is held out, of each class alike.
    validation_fraction
        The share to hold out, if `early_stopping` is not given an `eval_set`.
    n_iter_no_change
        Epochs without a better score after which to stop.
    calibration
        None, or the share of the examples from which `fit` finds out how sure the learner may be, for
        `predict_proba`: a second run learns from the others, and its scores of this share are calibrated. The
        run itself learns from all. With 0.2, `fit` takes less than twice as long. See `calibrate`.
    n_jobs
        Threads to use at most, for matrix products and votes; −1 for one per core, None for no limit of ours.
        The results do not depend on it.
    keep_examples
        Keep the rows that were corrected. The predictors "best", "vote" and "sample", `explain` and
        `certificate` need them; "last", "average" and "recent" without a kernel do not. If False, the ledger
        lists the latest corrections and counts those before, so that memory does not grow.
    budget
        None to keep every corrected row; a number of rows, or a `Budget`, to keep no more than that, for
        unbounded streams. With a kernel only.
    block_size
        With a kernel, rows per block of the fast path; it changes the speed and nothing else.
    warm_start
        Let `fit` continue the run, for `max_iter` more epochs over the examples it is given.
    verbose
        Show a progress bar with the mistakes so far.
    features
        What makes named features of an example: "words" or "characters" of a string, `features.Words(…)` or
        `features.Characters(…)`, or a function from any example to a dict or a collection of names. None for
        examples that are such, or rows of numbers.
    hashing
        None for a weight per name, however many come; or a number of features that names are hashed into, as
        2**18, so that memory is bounded.

    Attributes
    ----------
    evals_result_
        For each validation set, "valid_0" and so on, the accuracy after every epoch.
    best_iteration_
        The epoch with the best score, counted from 1, after which the run was kept by early stopping.
    calibration_
        For each predictor that was calibrated, the numbers that turn its scores into probabilities.

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
    >>> xor = PerceptronClassifier(kernels.Polynomial(2), rule="perceptron", predictor="last", shuffle=False)
    >>> xor.fit(X, y).predict(X)
    array([-1,  1,  1, -1])
    >>> xor.ledger_
    <Ledger: 21 mistakes, 21 corrections, 40 rounds>

    Strings, by their words:

    >>> words = PerceptronClassifier(features="words", shuffle=False)
    >>> words.fit(["free money", "lunch at noon"], ["spam", "ham"]).predict(["money for lunch money"])
    array(['spam'], dtype='<U4')
    """

    def __init__(
        self,
        kernel: Any = None,
        *,
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        max_iter: int = 10,
        predictor: str = "average",
        rule: str | Rule = "auto",
        multiclass: str | Game = "argmax",
        fit_intercept: bool | str = "auto",
        learning_rate: float = 1.0,
        ties: str = "mistake",
        start: str = "zero",
        shuffle: bool = True,
        random_state: Any = None,
        class_weight: Any = None,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 3,
        calibration: float | None = None,
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
        self.max_iter = max_iter
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
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.calibration = calibration
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
        tags.classifier_tags.multi_label = True
        tags.input_tags.pairwise = isinstance(self.kernel, Precomputed) or self.kernel == "precomputed"
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None, eval_set: Any = None) -> Self:
        """Play a new run on these examples; with `warm_start`, continue the run that there is.

        Parameters
        ----------
        X
            Rows: a dense array, a sparse matrix, a data frame, a kernel matrix if the kernel is
            precomputed, or a list of objects if it takes objects. Or examples with named features: a list of
            dicts, or of lists or sets of names; with `features`, a list of strings or of anything else.
        y
            A label per row, of two or more classes. Or a set of labels per row: an indicator matrix (rows ×
            labels), dense, sparse or a data frame, or a list with a list, tuple or set of labels for every
            row, which may be empty.
        sample_weight
            The factor of a correction on each row.
        eval_set
            A validation set (X, y), or a list of them: `evals_result_` gets their accuracies after every
            epoch, by the chosen predictor. Nothing is learned from them; `early_stopping` watches the last.
        """
        with self._learning():
            begun = self._continues
            task = self._resumed() if begun else self._task_for(y)
            if self.calibration is not None:
                self._check_share(task, begun=begun)
            kernel = task.options["kernel"]
            compiled_pass_searches = kernel is None and self._intercept(self.fit_intercept)
            data, labels = self._checked(task, X, y, reset=not begun, search=not compiled_pass_searches)
            self._watch_scales(task, data, first=True)
            classification.warn_of_numbers(labels, stacklevel=2)
            held = [] if eval_set is None else self._validation_sets(task, eval_set, labels)
            block = Block(data, labels, sample_weight=sample_weight)
            self._train(task, block, held, begun=begun)
            if self.calibration is not None:
                self.calibration_ = {self.predictor: self._calibration_of_share(block, held)}
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Continue the run, or start one, in the order of these examples.

        After an error the run is unchanged. With a kernel and no budget, Ctrl-C rolls back this call; else it
        takes effect after all examples are learned (see `ledger_.rounds`).

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`. New names of features get columns after the others, with weights of 0.
        classes
            Classes that play from now on. Others are no rivals before the call that brings them.
        """
        with self._learning():
            resuming = hasattr(self, "task_")
            task = self._resumed() if resuming else self._task_for(y)
            kernel = task.options["kernel"]
            validation.check_in_chunks(self, kernel)
            given = classification.given_classes(classes, task.classes if resuming else None)
            task.grows, task.given = True, task.given if resuming else given
            if resuming and given is not None:
                task.admit_classes(given)
            data, labels = self._checked(task, X, y, reset=not resuming)
            self._watch_scales(task, data, first=False)
            block = Block(data, labels, sample_weight=sample_weight)
            random = NOTHING_DRAWN if resuming else generator(self.random_state)
            if not resuming:
                task.begin(block, random)
                task.admit(block)
            self._continue(task, block, random, begun=not resuming)
            self.take_over(task)
        return self

    def check_parameters(self) -> None:
        """Raise ValueError, as `fit` does, if a parameter is not valid."""
        self._check_shared(flags=("keep_examples",))
        self._check_intercept(self.fit_intercept)
        if self.features is not None or self.hashing is not None:
            inputs.check_features(self.features, self.hashing, self._kernel())
        self._check_multiclass()
        if self.calibration is not None:
            share("calibration", self.calibration, "to calibrate with, or None")
        one_of("ties", self.ties, ("mistake", "positive"))
        one_of("start", self.start, ("zero", "random"))
        rows_per_block(self.block_size)
        if self._kernel() is not None and self.start == "random":
            raise ValueError(
                "start='random' draws weights, which a learner with a kernel does not have. Use 'zero'."
            )

    def _check_multiclass(self) -> None:
        if self.multiclass is None or isinstance(self.multiclass, str | bool | int | float | list | tuple):
            one_of("multiclass", self.multiclass, ("argmax", "ovr"))
            return
        missing = [name for name in (*MEMBERS, "classes") if not hasattr(self.multiclass, name)]
        if missing:
            raise ValueError(
                "multiclass must be 'argmax', 'ovr' or a game with the number of its classes. Got "
                f"{self.multiclass!r:.100}, which has no {', '.join(missing)}."
            )
        if self.ties != "mistake":
            raise ValueError(f"A game of your own decides about ties itself. Got ties={self.ties!r}.")

    def _task_for(self, y: Any) -> ClassificationTask:
        """Return a new task, for one label per row or for sets of them."""
        sets = not classification.is_plain(y) and has_sets(y)
        return self.new_task(kind=MultiLabelTask if sets else ClassificationTask)

    def new_task(
        self, classes: Any = None, kind: type[ClassificationTask] = ClassificationTask
    ) -> ClassificationTask:
        """Return the task of these parameters before its first data, for these classes if they are given."""
        return kind(
            self._options(intercept=self._intercept(self.fit_intercept)),
            multiclass=self.multiclass,
            ties=self.ties,
            start=self.start,
            class_weight=self.class_weight,
            classes=classes,
            made_by=self.features,
            hashing=self.hashing,
        )

    def take_over(self, task: Any) -> None:
        """Set the fitted attributes from a task."""
        super().take_over(task)
        self.classes_ = task.classes
        if task.features is not None:
            self.n_features_in_ = task.features

    def _resumed(self) -> ClassificationTask:
        """Return the task of the run, with the parameters that may change while it continues."""
        task: ClassificationTask = copy(self.task_)  # which may get new classes before an error occurs
        present, run = self.new_task(kind=type(task)), task.run
        present.classes = task.classes
        self._check_same(
            ("fit_intercept", self._intercept(self.fit_intercept), run.intercept),
            ("keep_examples", bool(self.keep_examples), run.hypothesis.keep),
            ("multiclass and ties", present.game(), run.game),
            *inputs.of_names(present, task),
        )
        task.class_weight = self.class_weight
        return task

    _metric_name = "accuracy"

    def _validation_sets(self, task: ClassificationTask, eval_set: Any, labels: Array) -> list[Block]:
        pairs = validation.validation_sets(eval_set, (2,), "(X, y)")
        held = [Block(*self._checked(task, *pair, reset=False, learning=False)) for pair in pairs]
        return validation.with_labels(held, labels)

    def _split(self, block: Block, random: np.random.Generator) -> tuple[Block, Block]:
        if isinstance(self._kernel(), Precomputed):
            raise ValueError(
                "Early stopping cannot hold out rows of a precomputed kernel matrix. Pass eval_set: kernel "
                "values of other rows with all of these, and their labels."
            )
        held = validation.held_out(validation.by_label(block.y), self.validation_fraction, random)
        return block.take(validation.others(held, len(block))), block.take(held)

    def _scorer(self, task: ClassificationTask, block: Block) -> Callable[[], float]:
        rows = task.rows(block.X)

        def score() -> float:
            right = task.right(rows, block.y, self.predictor, self._sampling(self.predictor))
            return float(np.average(right, weights=block.sample_weight))

        return score

    def _checked(
        self, task: Any, X: Any, y: Any, *, reset: bool, search: bool = True, learning: bool = True
    ) -> tuple[Data, Array]:
        """Return rows and labels; `learning` is whether they are to be learned, or else to be compared."""
        kernel = task.options["kernel"]
        data = inputs.checked_data(self, X, task, reset=reset, search=search, learning=learning)
        labels = task.read(y, count(data), learning=learning)
        if isinstance(kernel, Precomputed) and data.shape[0] != data.shape[1] and reset:
            raise ValueError(f"A precomputed kernel matrix must be square to fit. Got shape {data.shape}.")
        if self.fit_intercept is False:
            inputs.refuse_zero_vectors(data, kernel)
        return data, labels
