"""Importing scikit-learn without what it loads and does not use."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

UNUSED = ("numpy.f2py", "scipy.special", "scipy.stats", "pandas")


def import_sklearn() -> None:
    """Import `sklearn.base`, and leave `scipy.stats` and pandas to be loaded by whoever uses them first.

    scikit-learn imports the one for a function that few ever call and the other for nothing, at half
    of the time it takes to import `sklearn.base`.
    """
    with ExitStack() as stack:
        for name in UNUSED:
            stack.enter_context(postponed(name))
        import_module("sklearn.base")


@contextmanager
def postponed(name: str) -> Iterator[None]:
    """Let a stand-in be imported as this module meanwhile, unless it is there already or cannot be had."""
    if name in sys.modules or find_spec(name) is None:
        yield
        return
    stand_in = sys.modules[name] = StandIn(name)
    package, _, child = name.rpartition(".")
    if package:
        setattr(import_module(package), child, stand_in)
    try:
        yield
    finally:
        stand_in.leave()


class StandIn(ModuleType):
    """A module that is loaded by the first question to it; who holds the stand-in need not know."""

    def leave(self) -> None:
        """Be imported by nobody else."""
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        package, _, child = self.__name__.rpartition(".")
        if package and vars(sys.modules[package]).get(child) is self:
            delattr(sys.modules[package], child)

    def __getattr__(self, attribute: str) -> object:
        self.leave()
        return getattr(import_module(self.__name__), attribute)
