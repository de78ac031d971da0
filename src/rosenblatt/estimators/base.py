"""The base of estimators: parameters that all have, attributes of a run, and what errors leave as it was."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from rosenblatt._types import Data, Floats, Ints
from rosenblatt.budgets import as_budget
from rosenblatt.engine import predictors
from rosenblatt.engine.learner import BLOCK
from rosenblatt.engine.progress import Progress
from rosenblatt.engine.run import Run
from rosenblatt.kernels import Kernel, as_kernel
from rosenblatt.ledger import Ledger
from rosenblatt.rules import Rule, as_rule
from rosenblatt.tasks.task import Plan, Position, Task, play_at_once, train


@contextmanager
def untouched_on_error(estimator: Any) -> Iterator[None]:
    """Restore the attributes of the estimator if an error occurs."""
    before = vars(estimator).copy()
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


@contextmanager
def following(run: Run, rule: Rule) -> Iterator[None]:
    """Continue a run with this rule; restore the former one if an error occurs before a round is played."""
    before, otherwise, rounds = run.rule, run.ruled_otherwise, run.book.rounds
    run.follow(rule)
    try:
        yield
    except BaseException:
        if run.book.rounds == rounds:
            run.rule, run.ruled_otherwise = before, otherwise
        raise


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


def positive_integer(name: str, value: Any) -> None:
    """Raise ValueError if a parameter is not an integer ≥ 1."""
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < 1:
        raise ValueError(f"{name} must be an integer ≥ 1. Got {value!r}.")


class NotThere(ValueError, AttributeError):  # noqa: N818
    """The error about an attribute that does not exist here; `hasattr` takes it for a missing one."""


class RunEstimator(BaseEstimator, ABC):
    """An estimator whose `fit` plays a run, with a kernel or without.

    Attributes
    ----------
    task_
        What was read from the data, and the run: see `rosenblatt.tasks`.
    """

    kernel: Any
    epochs: int
    predictor: str
    rule: str | Rule
    learning_rate: float
    shuffle: bool
    random_state: Any
    keep_examples: Any
    budget: Any
    verbose: bool
    task_: Any

    @property
    def run_(self) -> Run:
        """The run: the game, the rule, the current guess and the ledger."""
        if "task_" not in vars(self):  # scikit-learn's check takes longer than a short prediction
            check_is_fitted(self, "task_")
        run: Run = self.task_.run
        return run

    @property
    def ledger_(self) -> Ledger:
        """The record of the run."""
        return self.run_.ledger

    @property
    def n_iter_(self) -> int:
        """The number of epochs played."""
        return self.run_.epochs

    @property
    def converged_(self) -> bool:
        """Whether the last epoch was without a correction."""
        return self.run_.converged

    @property
    def support_(self) -> Ints:
        """The ids of the support vectors: indices among all rows learned from; merged ones are below 0."""
        return self.run_.support.ids

    @property
    def support_vectors_(self) -> Data:
        """The rows that were ever corrected; with a budget those kept, none with `keep_examples=False`."""
        return self.run_.support.rows.data

    @property
    def dual_coef_(self) -> Floats:
        """The coefficient of each support vector in each output of the chosen guess (outputs × support)."""
        run = self.run_
        self._check_single("dual_coef_")
        try:
            predictors.check_kept(run, "dual_coef_")
        except ValueError as missing:
            raise NotThere(str(missing)) from None
        return run.single_guess(self.predictor).coefficients.T

    @property
    def coef_(self) -> Floats:
        """The weights of the chosen guess (outputs × features); without a kernel only."""
        return self._weights("coef_")[:-1].T.copy()

    @property
    def intercept_(self) -> Floats:
        """The weight of the constant feature in each output."""
        return np.array(self._weights("intercept_")[-1])

    def _weights(self, name: str) -> Floats:
        run = self.run_
        if run.primal is None:
            raise AttributeError(
                f"{name} exists only without a kernel. Got kernel={self.kernel!r}: see dual_coef_."
            )
        self._check_single(name)
        return run.single_guess(self.predictor).weights

    def _check_single(self, name: str) -> None:
        if self.predictor not in predictors.GUESSES:
            raise AttributeError(
                f"{name} describes a single guess, and predictor={self.predictor!r} uses them all. "
                f"Set predictor to one of {', '.join(predictors.GUESSES)}."
            )

    def _kernel(self) -> Kernel | None:
        return None if self.kernel is None else as_kernel(self.kernel)

    def _rule(self) -> Rule:
        return as_rule(self.rule, self.learning_rate)

    def _sampling(self) -> np.random.Generator | None:
        """Return the generator of the predictor "sample"; None for the others."""
        one_of("predictor", self.predictor, predictors.NAMES)
        return sampling(self.random_state) if self.predictor == "sample" else None

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

    def _plan(self, random: np.random.Generator, progress: Progress | None = None) -> Plan:
        """Return how to train, with a progress bar if `verbose` asks for one."""
        if progress is None and self.verbose:
            progress = Progress("learning", None)
        blocks = rows_per_block(getattr(self, "block_size", "auto"))
        return Plan(self.epochs, random, bool(self.shuffle), blocks, progress)

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

        Parameters
        ----------
        source
            An iterable that yields the same blocks in every epoch.
        classes
            All classes, for a classifier; None for those of the first block.
        checkpoints
            What is called after every piece of a block, as `streaming.Checkpoints`; None for nothing.
        position
            The position to resume from, for an estimator loaded from a checkpoint, which knows its classes.
        """
        if position is not None and classes is not None:
            raise ValueError(
                f"A run that is resumed knows its classes. Got classes={classes!r:.60}: leave them out."
            )
        with untouched_on_error(self):
            self.check_parameters()
            plan = self._plan(generator(self.random_state), progress)
            task = self.new_task(classes) if position is None else self.task_
            room = None if checkpoints is None else checkpoints.room
            for at in train(task, source, plan, position, room):
                if checkpoints is not None:
                    self.take_over(task)
                    checkpoints.after(self, at)
            self.take_over(task)
        if progress is None and plan.progress is not None:  # the caller closes its own
            plan.progress.close(self.run_.book.rounds, self.run_.book.total)

    def take_over(self, task: Task) -> None:
        """Set the fitted attributes from a task."""
        self.task_ = task

    def _check_shared(self, *, flags: tuple[str, ...]) -> None:
        """Raise ValueError for invalid parameters; `flags` names those that must be True or False."""
        one_of("predictor", self.predictor, predictors.NAMES)
        for name in flags:
            flag(name, getattr(self, name))
        positive_integer("epochs", self.epochs)
        if self.kernel is not None and not self.keep_examples:
            raise ValueError("A learner with a kernel must keep its examples. Got keep_examples=False.")
        if self.budget is not None and self.kernel is None:
            raise ValueError(
                "A budget is for a learner with a kernel; weights take constant memory. "
                f"Got budget={self.budget!r} without one."
            )
        self._kernel()
        self._rule()

    def _check_same(self, *others: tuple[str, Any, Any]) -> None:
        """Raise ValueError if the kernel, the budget or another parameter is not that of the run.

        `others` are triples: a name, the present value, and the value that the run was fitted with.
        """
        run = self.run_
        budget = None if self.budget is None else as_budget(self.budget)
        shared = ("kernel", self._kernel(), run.kernel), ("budget", budget, run.budget)
        for name, present, fitted in (*shared, *others):
            if present != fitted:
                raise ValueError(
                    f"partial_fit cannot change {name} (fitted with {fitted!r}, now {present!r}). "
                    "Restore it or call fit."
                )

    def _continue(self, task: Task, block: Any, random: np.random.Generator, *, begun: bool) -> None:
        """Play an epoch over a block in its order, with the present rule; `begun` if it is the first."""
        examples = task.examples(block, random) if begun else task.more(block, random)
        with following(task.run, self._rule()):
            play_at_once(task, examples, replace(self._plan(random), epochs=1, shuffle=False))


def rows_per_block(block_size: int | str) -> int:
    """Return the rows per block that the parameter `block_size` asks for."""
    if block_size == "auto":
        return BLOCK
    positive_integer("block_size", block_size)
    return int(block_size)
