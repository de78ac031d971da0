"""Which kind of data a task on rows learns from, named features or numbers, and rows of the former."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rosenblatt.features.encoders import shown
from rosenblatt.features.vocabulary import Vocabulary, are_named

if TYPE_CHECKING:
    from rosenblatt.tasks.task import RowTask

ONE_KIND = "A learner has one kind of data"


def rows_of_names(task: RowTask, X: Any, *, learning: bool) -> Any:
    """Return examples with named features as CSR rows; None for rows of numbers, which are left to others.

    The first data decide: data of the other kind raise ValueError afterwards.
    """
    if task.vocabulary is None and not _begins(task, X):
        return None
    vocabulary = task.vocabulary
    assert vocabulary is not None
    if vocabulary.function is None and not are_named(X):
        _refuse_other(X, vocabulary)
    return vocabulary.rows(X, learning=learning, unknown=task.options["kernel"] is not None and not learning)


def _begins(task: RowTask, X: Any) -> bool:
    """Begin a vocabulary if the data have names; return whether they have."""
    if not are_named(X):
        if task.hashing is not None:
            raise ValueError(
                f"hashing is for named features, in dicts or lists of names. Got hashing={task.hashing} and "
                f"{_kind_of(X)}: set it to None."
            )
        return False
    if task.features is not None:
        raise ValueError(
            f"{ONE_KIND}, and this one has learned from rows of numbers. Got {_kind_of(X)}: pass rows of "
            f"{task.features} numbers, or call fit."
        )
    kernel = task.options["kernel"]
    if kernel is not None:
        check_kernel(kernel, f"Got {_kind_of(X)}")
    task.vocabulary = Vocabulary(None, task.hashing)
    return True


def check_kernel(kernel: Any, got: str) -> None:
    """Raise ValueError for a kernel that cannot take rows which get longer; `got` says what needs that."""
    if kernel is not None and not kernel.inner:
        raise ValueError(
            "Named features need a learner without a kernel, or with one of inner products, such as RBF: "
            f"rows get longer as names come. {got} for the kernel {kernel!r:.80}."
        )


def _refuse_other(X: Any, vocabulary: Vocabulary) -> None:
    """Raise ValueError for data without names after some with, unless all examples are empty."""
    if isinstance(X, list | tuple) and all(isinstance(x, list | tuple) and not x for x in X):
        return
    raise ValueError(
        f"{ONE_KIND}, and this one has learned from named features ({vocabulary.width:,} so far). Got "
        f"{_kind_of(X)}: pass a list of dicts or of lists of names, or call fit."
    )


def _kind_of(X: Any) -> str:
    """Return what data are, for an error."""
    if hasattr(X, "shape"):
        return f"{type(X).__name__} of shape {tuple(X.shape)}"
    if isinstance(X, list | tuple) and len(X):
        return f"a {type(X).__name__} of {type(X[0]).__name__} ({shown(X[0])})"
    return shown(X)


def savepoint(task: RowTask) -> Callable[[], None]:
    """Return a function that forgets the names that came since, unless the run has learned from them."""
    vocabulary, run = task.vocabulary, task.run
    if vocabulary is None:
        return lambda: None
    width, rounds, features = vocabulary.width, run.book.rounds, task.features

    def restore() -> None:
        if run.book.rounds == rounds:
            vocabulary.vectoriser.forget(width)
            task.features = features
            task.finish()
        else:  # stopped by Ctrl-C after all was learned
            task.features = vocabulary.width

    return restore
