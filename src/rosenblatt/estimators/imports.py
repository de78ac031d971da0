"""Importing scikit-learn without what it loads and does not use."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType


def import_sklearn() -> None:
    """Import `sklearn.base`, and leave `scipy.stats` to be loaded by whoever uses it first.

    scikit-learn imports it for one function that few ever call, at a third of the time it takes to
    import `sklearn.base`. SciPy loads it by itself where `scipy.stats` is used.
    """
    try:
        with postponed("scipy.stats"):
            import_module("sklearn.base")
    except ImportError:  # a release that does use it at once
        import_module("sklearn.base")


@contextmanager
def postponed(name: str) -> Iterator[None]:
    """Let an empty module stand in for this one meanwhile, unless it has been imported before."""
    stand_in = ModuleType(name)
    if sys.modules.setdefault(name, stand_in) is not stand_in:
        yield
        return
    try:
        yield
    finally:
        del sys.modules[name]
