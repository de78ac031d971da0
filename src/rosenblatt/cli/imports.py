"""Import scikit-learn without the modules that it loads and does not use, in the process of a command.

This replaces modules in `sys.modules` meanwhile, so it is for a process in which nothing else imports. It
saves half of the start of a command where pandas is installed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

UNUSED = ("numpy.f2py", "scipy.special", "scipy.stats", "pandas")


def import_sklearn() -> None:
    """Import `sklearn.base`, and defer the import of `scipy.stats` and pandas to their first use.

    scikit-learn imports the one for a rarely used function and the other for nothing; together they take
    half of the time to import `sklearn.base`.
    """
    with ExitStack() as stack:
        for name in UNUSED:
            stack.enter_context(postponed(name))
        import_module("sklearn.base")


@contextmanager
def postponed(name: str) -> Iterator[None]:
    """Replace this module with a stand-in meanwhile, unless it is imported already or not installed."""
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
    """A module that is imported when an attribute of it is first used."""

    def leave(self) -> None:
        """Remove the stand-in from `sys.modules` and from its package."""
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        package, _, child = self.__name__.rpartition(".")
        if package and vars(sys.modules[package]).get(child) is self:
            delattr(sys.modules[package], child)

    def __getattr__(self, attribute: str) -> object:
        self.leave()
        return getattr(import_module(self.__name__), attribute)
