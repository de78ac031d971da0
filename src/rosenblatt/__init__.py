"""Mistake-driven learning: the perceptron, its kernels, and the ledger of its mistakes."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rosenblatt.version import __version__

if TYPE_CHECKING:
    from rosenblatt import (
        arena,
        budgets,
        data,
        engine,
        features,
        games,
        kernels,
        metrics,
        online,
        plot,
        rules,
        schemes,
    )
    from rosenblatt.estimators.classifier import PerceptronClassifier
    from rosenblatt.estimators.inputs import ScaleWarning
    from rosenblatt.estimators.ranker import PerceptronRanker
    from rosenblatt.estimators.tagger import PerceptronTagger
    from rosenblatt.persistence import load, save

_HOMES = {
    "PerceptronClassifier": "rosenblatt.estimators.classifier",
    "PerceptronRanker": "rosenblatt.estimators.ranker",
    "PerceptronTagger": "rosenblatt.estimators.tagger",
    "ScaleWarning": "rosenblatt.estimators.inputs",
    "load": "rosenblatt.persistence",
    "save": "rosenblatt.persistence",
    "arena": "rosenblatt.arena",
    "budgets": "rosenblatt.budgets",
    "data": "rosenblatt.data",
    "engine": "rosenblatt.engine",
    "features": "rosenblatt.features",
    "games": "rosenblatt.games",
    "metrics": "rosenblatt.metrics",
    "schemes": "rosenblatt.schemes",
    "kernels": "rosenblatt.kernels",
    "online": "rosenblatt.online",
    "plot": "rosenblatt.plot",
    "rules": "rosenblatt.rules",
}

__all__ = [
    "PerceptronClassifier",
    "PerceptronRanker",
    "PerceptronTagger",
    "ScaleWarning",
    "__version__",
    "arena",
    "budgets",
    "data",
    "engine",
    "features",
    "games",
    "kernels",
    "load",
    "metrics",
    "online",
    "plot",
    "rules",
    "save",
    "schemes",
]


def __getattr__(name: str) -> Any:
    """Import a public name at its first use, so that importing the package costs next to nothing."""
    if name not in _HOMES:
        raise AttributeError(f"module 'rosenblatt' has no attribute {name!r}; it has {', '.join(__all__)}.")
    home = import_module(_HOMES[name])
    return home if home.__name__ == f"rosenblatt.{name}" else getattr(home, name)


def __dir__() -> list[str]:
    return list(__all__)
