"""A guess as a weight matrix, features × outputs, and the sums of its average over the run."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy, deepcopy
from itertools import count
from typing import Any, Literal

import numpy as np

from rosenblatt._types import Floats, Ints
from rosenblatt.budgets import Budget
from rosenblatt.engine.block_scores import BlockScores
from rosenblatt.engine.outputs import Outputs
from rosenblatt.engine.recent import Recent
from rosenblatt.engine.support import SupportSet
from rosenblatt.kernels import Kernel, Linear
from rosenblatt.ledger import Book
from rosenblatt.loops.compiling import is_loaded
from rosenblatt.loops.sparse import score_rows
from rosenblatt.rows import EXACT_IN_SINGLE, Csr, Rows

FEW = 2**14
"""Values up to which NumPy scores rows in less time than it takes to load the compiled loop."""

OFTEN = 1000
"""Calls with few values after which the compiled loop is loaded: by then they took about as long."""

FEW_CALLS = count(1)
"""Counts the calls with few values in this process."""


def score_few(rows: Csr, weights: Floats, constant: float) -> Floats:
    """Score rows by the sums of `score_rows` in the same order, without compiled code."""
    lengths = rows.starts[1:] - rows.starts[:-1]
    index = np.repeat(np.arange(len(lengths)), lengths)
    features, values = rows.features[: rows.starts[-1]], rows.values[: rows.starts[-1]].astype(np.float64)
    known = (features >= 0) & (features < len(weights) - 1)
    last = constant * weights[-1].astype(np.float64)
    if weights.shape[1] > 1:
        scores = np.tile(last, (len(lengths), 1))
        np.add.at(scores, index[known], values[known, None] * weights[features[known]])
        return scores
    at = np.arange(len(index)) - rows.starts[index]
    quarter = 4 * index + np.where(at < (lengths & ~3)[index], at & 3, 0)
    summands = values[known] * weights[features[known], 0]
    first, second, third, fourth = np.bincount(quarter[known], summands, 4 * len(lengths)).reshape(-1, 4).T
    return np.asarray((first + second) + (third + fourth) + last)[:, None]


MOST_FEATURES = 2**32 - 2
"""Compiled loops index features in 32 bits, the constant one included."""


def check_countable(features: int) -> None:
    """Raise ValueError if there are more features than loops can index."""
    if features > MOST_FEATURES:
        raise ValueError(
            f"A learner without a kernel has a weight for each of at most {MOST_FEATURES:,} features. Got "
            f"{features:,}: hash them to fewer."
        )


class Primal:
    """The linear learner's guess.

    The weights have one row per feature and a last one for the constant feature of the intercept.
    Beside them it keeps u = Σ when · correction, from which the average of all guesses is w − u / rounds
    at any time, so averaging costs one more addition per correction and nothing per round.

    Parameters
    ----------
    features, outputs
        How many there are.
    constant
        The value of the constant feature: 1 for an intercept, else 0.
    structure
        The structure weights of v_0.
    keep
        Whether to store corrected rows, which the predictors best, vote and sample need.
    start
        The weights of v_0 (features + 1 × outputs), 0 by default.

    Attributes
    ----------
    most
        The largest that weights which were always integers can be; ∞ if they need not have been.
    """

    kernel: Kernel | None = None
    budget: Budget | None = None

    def __init__(
        self,
        features: int,
        outputs: int,
        constant: float,
        structure: Floats,
        keep: bool = True,
        start: Floats | None = None,
    ) -> None:
        check_countable(features)
        shape = (features + 1, outputs)
        self.start = start
        self.weights = np.zeros(shape) if start is None else start.copy()
        self.delayed = np.zeros(shape)
        self.most = 0.0 if start is None else np.inf
        self.structure = structure.copy()
        self.support = SupportSet(Linear(), constant)
        self.keep = keep
        self.recent: Recent | None = None

    @property
    def outputs(self) -> int:
        """How many scores a row gets."""
        return int(self.weights.shape[1])

    def scores(self, rows: Rows) -> Floats:
        """The scores (rows × outputs) of the current guess."""
        return self.scores_of(self.weights, rows)

    def scores_of(self, weights: Floats, rows: Rows) -> Floats:
        """The scores by any weights of this shape."""
        if not rows.sparse:
            self.check_width(rows.width)
            return np.asarray(rows.data @ weights[: rows.width] + self.support.constant * weights[-1])
        arrays: Csr = rows.arrays
        if len(arrays.values) <= FEW and not is_loaded(score_rows) and next(FEW_CALLS) < OFTEN:
            return score_few(arrays, weights, self.support.constant)
        scores = np.empty((len(rows), self.outputs))
        score_rows(tuple(arrays), np.ascontiguousarray(weights), self.support.constant, scores)
        return scores

    def check_width(self, width: int | None) -> None:
        """Raise ValueError if rows have more features than weights, the constant's apart."""
        if width is None or width >= len(self.weights):
            raise ValueError(
                f"Rows must have at most {len(self.weights) - 1} features, as many as weights. Got {width}."
            )

    def lay_out(self, *, by_output: bool) -> None:
        """Make the weights of each output contiguous in memory, or else those of each feature.

        A pass over dense rows reads the former, a pass over CSR rows the latter; all other
        readers take either. They are copied only if they have the other layout.
        """
        order: Literal["F", "C"] = "F" if by_output else "C"
        self.weights = np.asarray(self.weights, order=order)
        self.delayed = np.asarray(self.delayed, order=order)
        if self.recent is not None:
            self.recent.sums = np.asarray(self.recent.sums, order=order)

    def first_scores(self, rows: Rows) -> Floats:
        """The scores of v_0."""
        if self.start is None:
            return np.zeros((len(rows), self.outputs))
        return self.scores_of(self.start, rows)

    def average(self, rounds: int) -> Floats:
        """Σ (m_j / m) v_j as a weight matrix."""
        return self.weights - self.delayed / max(rounds, 1)

    def average_scores(self, rows: Rows, rounds: int) -> Floats:
        """The scores of the average, without making its weights."""
        return self.scores(rows) - self.scores_of(self.delayed, rows) / max(rounds, 1)

    def follow_recent(self, heads: int) -> None:
        """Keep the sums of the predictor `recent` beside the guess."""
        self.recent = Recent(heads, np.zeros_like(self.delayed), len(self.structure))

    def recent_scores(self, rows: Rows, rounds: int) -> Floats:
        """The scores of the recent average, without making its weights."""
        assert self.recent is not None
        shares = self.recent.shares(rounds, self.outputs)
        return self.scores(rows) - self.scores_of(self.recent.sums, rows) * shares

    def recent_weights(self, rounds: int) -> Floats:
        """The recent average as a weight matrix."""
        assert self.recent is not None
        return self.weights - self.recent.sums * self.recent.shares(rounds, self.outputs)

    def restart_recent(self, head: int, when: int) -> None:
        """Restart the recent average of a head."""
        assert self.recent is not None
        self.recent.restart(head, when)

    def add(self, rows: Rows, index: Ints, output: Ints, amount: Floats, when: Floats) -> None:
        """Add entries to the guess: amount · φ(rows[index]) to each output."""
        touched, inverse = np.unique(index, return_inverse=True)
        corrected = rows.take(touched)
        self.spread(self.weights, corrected.data, inverse, output, amount)
        self.spread(self.delayed, corrected.data, inverse, output, amount * when)
        if self.recent is not None:
            later = amount * self.recent.factors(when, output)
            self.spread(self.recent.sums, corrected.data, inverse, output, later)
        if self.keep:
            self.support.keep(corrected)

    def spread(self, weights: Floats, data: Any, line: Ints, output: Ints, amount: Floats) -> None:
        """Add amount · φ(data[line]) to one output of some weights, for every entry."""
        delta = np.zeros((data.shape[0], self.outputs))
        np.add.at(delta, (line, output), amount)
        weights[: data.shape[1]] += data.T @ delta
        weights[-1] += self.support.constant * delta.sum(axis=0)

    def hold(self, more: float, moved: bool) -> None:
        """Hold weights that are integers in single precision while that is exact, else in double.

        The next corrections are integers, too, and add at most `more`; ∞ if they need not be.

        As long as every weight is exact, it is the same learner in half the memory, and a tagger is
        fitted in a sixth less time. A guess that has not `moved` yet need not be copied: zeros cost nothing
        until they are written to.
        """
        self.most += more
        dtype = np.dtype(np.float32 if self.most <= EXACT_IN_SINGLE else np.float64)
        if self.weights.dtype != dtype:
            zeros = not moved and self.start is None
            self.weights = np.zeros(self.weights.shape, dtype) if zeros else self.weights.astype(dtype)

    def end_guess(self, when: float, head: int) -> None:
        """Do nothing before a correction: the ledger holds the guess that it ends."""

    def widen(self, features: int) -> None:
        """Reserve weights of 0 for features never seen before: twice as many as needed."""
        if features < len(self.weights):
            return
        check_countable(features)
        self.reshape(lambda weights: self._wider(weights, features))

    def reshape(self, change: Callable[[Floats], Floats]) -> None:
        """Change the shape of everything that has a row per feature."""
        self.weights, self.delayed = change(self.weights), change(self.delayed)
        if self.recent is not None:
            self.recent.sums = change(self.recent.sums)

    def _wider(self, weights: Floats, features: int) -> Floats:
        larger = np.zeros((2 * features + 1, self.outputs), weights.dtype)
        larger[: len(weights) - 1], larger[-1] = weights[:-1], weights[-1]
        return larger

    def narrow(self, features: int) -> None:
        """Free the weights reserved for features that never came."""
        if features < len(self.weights) - 1:
            self.reshape(lambda weights: np.concatenate([weights[:features], weights[-1:]]))

    def with_outputs(self, outputs: Outputs, rounds: int) -> Primal:
        """Return a copy with these outputs, new ones with weights of 0."""
        result = copy(self)
        result.support = deepcopy(self.support)
        result.structure = outputs.of_structure(self.structure, outputs.structure)
        result.recent = None if self.recent is None else self.recent.with_outputs(outputs, rounds)
        result.start = None if self.start is None else outputs.of(self.start)
        result.weights, result.delayed = outputs.of(self.weights), outputs.of(self.delayed)
        return result

    def block_scores(self, rows: Rows, lasting: bool) -> BlockScores:
        """Return the block scores of these rows."""
        return BlockScores(self, rows)

    def snapshot(self) -> Callable[[], None]:
        """Return a function that restores the present state."""
        weights, delayed, structure = self.weights.copy(), self.delayed.copy(), self.structure.copy()
        size, recent = len(self.support), None if self.recent is None else self.recent.copy()

        def restore() -> None:
            self.weights, self.delayed, self.structure = weights, delayed, structure
            self.recent = recent
            self.support.truncate(size)

        return restore

    def savepoint(self, book: Book) -> None:
        """Return None: weights are overwritten and cannot be rolled back."""
