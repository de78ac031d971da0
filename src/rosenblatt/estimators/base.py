"""The base of estimators: parameters that all have, attributes of a run, and what errors leave as it was."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from copy import copy
from dataclasses import replace
from numbers import Real
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from rosenblatt._expressions import Value, nested
from rosenblatt.budgets import as_budget
from rosenblatt.engine import predictors
from rosenblatt.engine.learner import BLOCK
from rosenblatt.engine.progress import Progress
from rosenblatt.engine.run import Run
from rosenblatt.engine.threads import limited_to
from rosenblatt.estimators.fitted import Fitted
from rosenblatt.estimators.inputs import ENOUGH, warn_of_scales
from rosenblatt.estimators.states import Stored
from rosenblatt.estimators.training import Training
from rosenblatt.features.strings import as_features
from rosenblatt.kernels import Kernel, kernel_of
from rosenblatt.kernels.wrappers import COEF0, DEGREE, GAMMA
from rosenblatt.rules import Rule, as_rule, auto_rule
from rosenblatt.tasks.plans import Plan, Position
from rosenblatt.tasks.task import RowTask, Task, intercept_of, play_at_once, train


def generator(random_state: Any) -> np.random.Generator:
    """Return a generator from an integer, a Generator, a RandomState, or None for NumPy's global state."""
    if random_state is None:
        random_state = check_random_state(None)
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31 - 1))
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        raise ValueError(
            f"random_state must be None, an integer ≥ 0, a Generator or a RandomState. Got {random_state!r}."
        ) from None


def sampling(random_state: Any) -> np.random.Generator:
    """Return the generator of the predictor "sample": a fresh one if `random_state` is None.

    Predicting must not advance NumPy's global generator, on which the next `fit` may depend.
    """
    return np.random.default_rng() if random_state is None else generator(random_state)


def one_of(name: str, value: Any, allowed: tuple[str, ...]) -> None:
    """Raise ValueError if a parameter is none of the allowed values."""
    if value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}. Got {value!r}.")


def flag(name: str, value: Any) -> None:
    """Raise ValueError if a parameter is neither True nor False."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name} must be True or False. Got {value!r}.")


def is_integer(value: Any) -> bool:
    """Whether a value is an integer, and no boolean."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def positive_integer(name: str, value: Any) -> None:
    """Raise ValueError if a parameter is not an integer ≥ 1."""
    if not is_integer(value) or value < 1:
        raise ValueError(f"{name} must be an integer ≥ 1. Got {value!r}.")


def share(name: str, value: Any, purpose: str) -> None:
    """Raise ValueError if a parameter is not a number between 0 and 1, a share of the examples."""
    if not isinstance(value, Real) or not 0 < float(value) < 1:
        raise ValueError(
            f"{name} must be a number between 0 and 1, the share of the examples {purpose}. Got {value!r}."
        )


def rows_per_block(block_size: int | str) -> int:
    """Return the rows per block that the parameter `block_size` asks for."""
    if block_size == "auto":
        return BLOCK
    positive_integer("block_size", block_size)
    return int(block_size)


@contextmanager
def untouched_on_error(estimator: Any) -> Iterator[None]:
    """Restore the attributes of the estimator, and what its task knows, if an error occurs."""
    before = vars(estimator).copy()
    task = before.get("task_")
    restore = None if task is None else task.savepoint()
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        if restore is not None:
            restore()
            if isinstance(getattr(task, "features", None), int):
                estimator.n_features_in_ = task.features
        raise


def tag_rows(tags: Any, kernel: Any, features: Any) -> None:
    """Write into scikit-learn's tags of the input which data a learner takes: rows, dicts, or any objects."""
    objects = features is not None or (isinstance(kernel, Kernel) and kernel.on_objects)
    named = (
        kernel != "precomputed"
        if isinstance(kernel, str | None)
        else isinstance(kernel, Kernel) and kernel.inner
    )
    tags.two_d_array = tags.sparse = not objects
    tags.one_d_array = tags.string = objects
    tags.dict = objects or named


class RunEstimator(Training, Stored, Fitted, BaseEstimator):
    """An estimator whose `fit` plays a run, with a kernel or without.

    Attributes
    ----------
    task_
        What was read from the data, and the run: see `rosenblatt.tasks`.
    """

    kernel: Any
    gamma: float | str
    degree: int
    coef0: float
    max_iter: int
    predictor: str
    rule: str | Rule
    learning_rate: float
    shuffle: bool
    random_state: Any
    early_stopping: bool
    validation_fraction: float
    n_iter_no_change: int
    n_jobs: int | None
    keep_examples: Any
    budget: Any
    warm_start: bool
    verbose: bool
    task_: Any
    _scales_seen = False

    def set_params(self, **params: Any) -> Self:
        """Set parameters, also those of kernels and rules, as `rule__C` and `kernel__gamma`."""
        inner = nested(params)
        super().set_params(**{name: value for name, value in params.items() if "__" not in name})
        for name, values in inner.items():
            value = getattr(self, name, None)
            if name == "kernel" and isinstance(value, str | None):
                raise ValueError(
                    "The parameters of a kernel by name are the learner's own: gamma, degree and coef0. Got "
                    f"kernel__{next(iter(values))} with kernel={value!r}: leave out kernel__, or pass a "
                    "kernel such as kernels.RBF(gamma=0.1)."
                )
            if name == "rule" and value == "auto" and self._kernel() is not None:
                raise ValueError(
                    f"rule='auto' is the perceptron's with a kernel. Got rule__{next(iter(values))}: choose "
                    "a rule, as rule='passive-aggressive'."
                )
            if isinstance(value, str):  # the name of a value
                value = self._rule() if name == "rule" else as_features(value) if name == "features" else None
            if isinstance(value, Value):  # which does not change itself
                setattr(self, name, value.set_params(**values))
            else:
                super().set_params(**{f"{name}__{key}": value for key, value in values.items()})
        return self

    def _kernel(self) -> Kernel | None:
        named = self.gamma, self.degree, self.coef0
        if self.kernel is None and named == (GAMMA, DEGREE, COEF0):
            return None
        return kernel_of(self.kernel, *named)

    def _intercept(self, fit_intercept: Any) -> bool:
        """Return whether a constant feature is learned: by default without a kernel only."""
        return intercept_of(fit_intercept, kernel=self._kernel() is not None)

    def _rule(self) -> Rule:
        return as_rule(self.rule, self.learning_rate, self._auto_rule())

    def _auto_rule(self) -> str:
        """Return the rule that "auto" stands for."""
        return auto_rule(kernel=self._kernel() is not None)

    def _chosen(self, predictor: str | None) -> str:
        """Return the predictor that a caller asks for, by default that of the estimator."""
        name = self.predictor if predictor is None else predictor
        one_of("predictor", name, predictors.NAMES)
        return name

    def _sampling(self, predictor: str) -> np.random.Generator | None:
        """Return the generator of the predictor "sample"; None for the others."""
        return sampling(self.random_state) if predictor == "sample" else None

    def _options(self, **others: Any) -> dict[str, Any]:
        """Return the arguments of `engine.begin` that all tasks have, and others."""
        return {
            "kernel": self._kernel(),
            "rule": self._rule(),
            "keep": bool(self.keep_examples),
            "budget": None if self.budget is None else as_budget(self.budget),
            "limited": True,
            "recent": self.predictor == "recent",
            **others,
        }

    def _generator(self, continued: Run | None = None) -> np.random.Generator:
        """Return the generator of `random_state`; for a run that continues, one for other draws."""
        random = generator(self.random_state)
        if continued is not None and self.random_state is not None:
            random = np.random.default_rng([continued.book.rounds, int(random.integers(2**31))])
        return random

    def _plan(self, random: np.random.Generator, progress: Progress | None = None) -> Plan:
        """Return how to train, with a progress bar if `verbose` asks for one."""
        if progress is None and self.verbose:
            progress = Progress("learning", None)
        blocks = rows_per_block(getattr(self, "block_size", "auto"))
        return Plan(self.max_iter, random, bool(self.shuffle), blocks, progress)

    @contextmanager
    def _learning(self) -> Iterator[None]:
        """Check the parameters, limit the threads, and restore the attributes if an error occurs."""
        self.check_parameters()
        limited = nullcontext() if self.n_jobs is None else limited_to(self.n_jobs)
        with untouched_on_error(self), limited:
            yield

    def _watch_scales(self, task: RowTask, data: Any, *, first: bool) -> None:
        """Warn of columns whose scales are far apart, in `fit` and the first `partial_fit` of enough rows.

        Not for kernels that may weigh columns themselves. The warning names the line that called `fit`.
        """
        if not hasattr(data, "shape") or data.shape[0] < ENOUGH or (self._scales_seen and not first):
            return
        kernel = self._kernel()
        if kernel is None or kernel.inner:
            names = getattr(self, "feature_names_in_", None)
            if task.vocabulary is not None:
                names = task.vocabulary.vectoriser.names()
            warn_of_scales(data, names, stacklevel=3)
        self._scales_seen = True

    @property
    def _continues(self) -> bool:
        """Whether `fit` continues the run."""
        return self.warm_start and "task_" in vars(self)

    @abstractmethod
    def check_parameters(self) -> None:
        """Raise ValueError, as `fit` does, if a parameter is not valid."""

    @abstractmethod
    def new_task(self, classes: Any = None) -> Task:
        """Return the task of these parameters before its first data; classifiers may be given all classes."""

    def _refuse_classes(self, classes: Any) -> None:
        """Raise ValueError for classes, which only a classifier is given before its first data."""
        if classes is not None:
            raise ValueError(
                f"classes are all labels of a classifier. Got {classes!r:.60} for a {type(self).__name__}: "
                "leave them out."
            )

    def fit_blocks(
        self,
        source: Iterable[Any],
        *,
        classes: Any = None,
        progress: Progress | None = None,
        checkpoints: Any = None,
        position: Position | None = None,
    ) -> None:
        """Fit to the blocks of a source, in as many epochs as the estimator has.

        With `warm_start`, continue the run that there is: rows get the ids that they would have if it had
        seen all of them, one source after the other.

        Parameters
        ----------
        source
            An iterable that yields the same blocks in every epoch.
        classes
            Classes that are known beforehand, for a classifier; others join with the block that has them.
        checkpoints
            What is called after every piece of a block, as `streaming.Checkpoints`; None for nothing.
        position
            The position to resume from, for an estimator loaded from a checkpoint, which knows its classes.
        """
        begun = position is not None or self._continues
        if begun and classes is not None:
            raise ValueError(
                f"A run that is resumed knows its classes. Got classes={classes!r:.60}: leave them out."
            )
        for name, off in (("early_stopping", False), ("calibration", None)):
            if getattr(self, name, off):
                raise ValueError(
                    "fit_blocks holds nothing out and plays all epochs. Got "
                    f"{name}={getattr(self, name)!r}: set it to {off}."
                )
        with self._learning():
            if begun and position is None:
                task = copy(self._resumed())
                position, random = Position.after(task.run), self._generator(task.run)
            else:
                task, random = self.new_task(classes) if position is None else self.task_, self._generator()
            plan = self._plan(random, progress)
            room = None if checkpoints is None else checkpoints.room
            with task.run.following(self._rule()) if begun else nullcontext():
                for at in train(task, source, plan, position, room):
                    if checkpoints is not None:
                        self.take_over(task)
                        checkpoints.after(self, at)
            self.take_over(task)
        if progress is None and plan.progress is not None:  # the caller closes its own
            plan.progress.close(self.run_.book.rounds, self.run_.book.total)

    @abstractmethod
    def _resumed(self) -> Any:
        """Return the task of the run, with the parameters that may change while it continues."""

    def take_over(self, task: Task) -> None:
        """Set the fitted attributes from a task; what was measured of an earlier guess is dropped."""
        for name in ("evals_result_", "best_iteration_", "calibration_"):
            self.__dict__.pop(name, None)
        self.task_ = task

    def _check_shared(self, *, flags: tuple[str, ...]) -> None:
        """Raise ValueError for invalid parameters; `flags` names others that must be True or False."""
        one_of("predictor", self.predictor, predictors.NAMES)
        for name in ("shuffle", "early_stopping", "warm_start", *flags):
            flag(name, getattr(self, name))
        positive_integer("max_iter", self.max_iter)
        positive_integer("n_iter_no_change", self.n_iter_no_change)
        share("validation_fraction", self.validation_fraction, "that early stopping holds out")
        if self.n_jobs is not None and (not is_integer(self.n_jobs) or self.n_jobs == 0):
            raise ValueError(
                f"n_jobs must be None, a number of threads, or below 0: −1 is one per core. "
                f"Got {self.n_jobs!r}."
            )
        kernel = self._kernel()
        if kernel is not None and not self.keep_examples:
            raise ValueError("A learner with a kernel must keep its examples. Got keep_examples=False.")
        if self.budget is not None and kernel is None:
            raise ValueError(
                "A budget is for a learner with a kernel; weights take constant memory. "
                f"Got budget={self.budget!r} without one."
            )
        self._rule()

    def _check_intercept(self, fit_intercept: Any) -> None:
        """Raise ValueError unless `fit_intercept` is "auto", True or False."""
        intercept_of(fit_intercept, kernel=True)

    def _check_same(self, *others: tuple[str, Any, Any]) -> None:
        """Raise ValueError if the kernel, the budget or another parameter is not that of the run.

        `others` are triples: a name, the present value, and the value that the run was fitted with.
        """
        run = self.task_.run
        budget = None if self.budget is None else as_budget(self.budget)
        shared = ("kernel", self._kernel(), self.task_.options["kernel"]), ("budget", budget, run.budget)
        for name, present, fitted in (*shared, *others):
            if present != fitted:
                raise ValueError(
                    f"partial_fit cannot change {name} (fitted with {fitted!r}, now {present!r}). "
                    "Restore it or call fit."
                )

    def _continue(self, task: Task, block: Any, random: np.random.Generator, *, begun: bool) -> None:
        """Play an epoch over a block in its order, with the present rule; `begun` if it is the first."""
        examples = task.examples(block, random) if begun else task.more(block, random)
        with task.run.following(self._rule()):
            play_at_once(task, examples, replace(self._plan(random), epochs=1, shuffle=False))
