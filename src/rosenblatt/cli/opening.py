"""The files that commands are given: models of estimators, and rows for them."""

from __future__ import annotations

from os import PathLike

from rosenblatt.data.sources import format_of
from rosenblatt.online.base import Online
from rosenblatt.persistence import Model, load_model


def open_model(path: str | PathLike[str]) -> Model:
    """Load the model of a command; raise ValueError if it is an online learner."""
    model = load_model(path)
    if isinstance(model.estimator, Online):
        raise ValueError(
            f"Commands need a model that `rosenblatt fit` or an estimator has made. Got {path}, which holds "
            f"online.{type(model.estimator).__name__}: use it in Python, with rosenblatt.load."
        )
    return model


def format_of_rows(path: str, asked: str | None, learned: str) -> str:
    """Return the format of a file of rows, by default the one that is detected.

    A table of one column is detected as CoNLL, which a model that was learned from `learned` cannot be given.
    """
    if asked is not None:
        return asked
    kind = format_of(path)
    return "csv" if kind == "conll" and learned != "svmlight" else kind
