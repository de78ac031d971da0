"""From what a user passes to what the learner takes: rows, seeds, and state that an error leaves alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from contextlib import contextmanager
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from rosenblatt._types import Data
from rosenblatt.engine.run import Run
from rosenblatt.kernels import Kernel
from rosenblatt.rows import Rows, canonical, squared_norms
from rosenblatt.rules import Rule
from rosenblatt.tasks.classification import MOST


@contextmanager
def untouched_on_error(estimator: Any) -> Iterator[None]:
    """Whatever goes wrong, leave the estimator with the attributes it had."""
    before = vars(estimator).copy()
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


@contextmanager
def following(run: Run, rule: Rule) -> Iterator[None]:
    """Let a run go on by this rule; by the one it had, if something goes wrong before a round was played."""
    before, otherwise, rounds = run.rule, run.ruled_otherwise, run.book.rounds
    run.follow(rule)
    try:
        yield
    except BaseException:
        if run.book.rounds == rounds:
            run.rule, run.ruled_otherwise = before, otherwise
        raise


def checked_data(estimator: Any, X: Any, kernel: Kernel | None, *, reset: bool, search: bool = True) -> Data:
    """Rows as a dense float array, a canonical CSR array or, for a kernel on objects, a list.

    With `search=False` CSR rows are not searched for NaN, infinity and features out of range: whoever asks
    for that will notice.
    """
    if kernel is not None and kernel.on_objects:
        return checked_objects(X)
    data = validate_data(
        estimator,
        X,
        reset=reset,
        accept_sparse="csr",
        dtype=[np.float64, np.float32],
        ensure_all_finite=search or not sp.issparse(X),
    )
    return canonical(data, search=search) if sp.issparse(data) else np.ascontiguousarray(data)


def one_row(estimator: Any, x: Any, kernel: Kernel | None) -> Any:
    """One row as a matrix of one row, or one object as a list of one."""
    if kernel is not None and kernel.on_objects:
        return [x]
    if hasattr(x, "to_frame"):  # a row of a data frame
        x = x.to_frame().T if hasattr(estimator, "feature_names_in_") else x.to_numpy()
    row = x if hasattr(x, "ndim") else np.asarray(x)
    row = row if row.ndim > 1 else row.reshape(1, -1)
    if row.shape[0] != 1:
        raise ValueError(f"explain takes one row at a time. Got {row.shape[0]}.")
    return row


def refuse_huge(data: Data) -> None:
    """Weights that changed in place cannot be taken back: what would overflow later must not come in."""
    values = data.data if sp.issparse(data) else data
    if values.size and float(max(values.max(), -values.min())) > MOST:
        raise ValueError(
            f"partial_fit without a kernel takes numbers up to {MOST:g}, or sums might leave the range of "
            f"float64. Got {max(values.max(), -values.min()):g}: scale the data."
        )


def checked_objects(X: Any) -> list[Any]:
    """The objects as a list; a text is not taken for a list of letters, nor a frame for its columns."""
    X = X.to_numpy() if hasattr(X, "to_numpy") else X
    if isinstance(X, str | bytes | Mapping | Set) or not hasattr(X, "__len__"):
        raise ValueError(
            f"A kernel on objects takes a list of them, one per example. Got {type(X).__name__}."
        )
    objects = list(X)
    if not objects:
        raise ValueError("Found no examples: at least 1 is needed. Got an empty list.")
    return objects


def refuse_zero_vectors(data: Data, kernel: Kernel | None) -> None:
    """Without an intercept a row with k(x, x) = 0 scores 0 under every guess and can never be learned."""
    norms = squared_norms(data) if kernel is None else kernel.diagonal(Rows(data))
    zero = np.flatnonzero(norms <= 0)
    if len(zero):
        what = "is a zero vector" if kernel is None else "has k(x, x) = 0"
        raise ValueError(
            f"Row {zero[0]} {what}, which every guess without an intercept scores 0 and so answers wrongly "
            f"for ever ({len(zero)} such rows). Drop them or set fit_intercept=True."
        )


def generator(random_state: Any) -> np.random.Generator:
    """A generator from a whole number, a Generator, a RandomState, or None for NumPy's own."""
    if random_state is None:
        random_state = check_random_state(None)
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31 - 1))
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        raise ValueError(
            "random_state must be None, a whole number of at least 0, a Generator or a RandomState. "
            f"Got {random_state!r}."
        ) from None


def sampling(random_state: Any) -> np.random.Generator:
    """The generator that the predictor "sample" draws from: its own if `random_state` is None.

    Predicting must not move NumPy's global generator, on which the next `fit` may depend.
    """
    return np.random.default_rng() if random_state is None else generator(random_state)


def one_of(name: str, value: Any, allowed: tuple[str, ...]) -> None:
    """Refuse a parameter that is none of these."""
    if value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}. Got {value!r}.")


def flag(name: str, value: Any) -> None:
    """Refuse a parameter that is neither True nor False."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name} must be True or False. Got {value!r}.")


def whole(name: str, value: Any) -> None:
    """Refuse a parameter that is not a whole number of at least 1."""
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < 1:
        raise ValueError(f"{name} must be a whole number of at least 1. Got {value!r}.")
