"""The estimators: scikit-learn's contract over runs of the learner."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rosenblatt.estimators.imports import import_sklearn

import_sklearn()

if TYPE_CHECKING:
    from rosenblatt.estimators.classifier import PerceptronClassifier
    from rosenblatt.estimators.tagger import PerceptronTagger

_HOMES = {"PerceptronClassifier": "classifier", "PerceptronTagger": "tagger"}

__all__ = ["PerceptronClassifier", "PerceptronTagger"]


def __getattr__(name: str) -> Any:
    """Import an estimator when it is first used: who classifies need not wait for the tagger."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it has {', '.join(__all__)}.")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
