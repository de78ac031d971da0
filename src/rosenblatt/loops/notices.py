"""Two lines about compilation, each at most once per process: it takes seconds; its result is not kept."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable
from threading import Lock, Timer
from time import monotonic
from typing import Any, Protocol
from weakref import WeakSet

PATIENCE = 1.0
"""Seconds of compilation before the line."""

LOGGER = logging.getLogger("rosenblatt")

SLOW = (
    "rosenblatt is compiling its loops for this kind of data ({name}). That takes seconds, once for each "
    "kind: they are kept in {folder}. The command `rosenblatt compile` does it ahead, for all kinds."
)

NOT_KEPT = (
    "rosenblatt compiles its loops in every process, which takes seconds, because compiled code cannot be "
    "kept: {reason}. Set NUMBA_CACHE_DIR to a folder that can be written."
)


class Bar(Protocol):
    """A progress bar, which stands on the line that standard error ends with."""

    def clear(self) -> None:
        """Remove it from the line."""

    def compiling(self) -> None:
        """Show that loops are compiled."""


class Notices:
    """Reports the compilation of loops once it has taken `patience` seconds, and code that cannot be kept.

    Attributes
    ----------
    bars
        The progress bars that are shown.
    fault
        Why compiled code could not be kept, if that happened.
    """

    def __init__(self, patience: float = PATIENCE) -> None:
        self.bars: WeakSet[Bar] = WeakSet()
        self.fault: str | None = None
        self._lock = Lock()
        self._began, self._left = 0.0, patience
        self._timer: Timer | None = None
        self._silent = False
        self._reported: set[str] = set()

    def silence(self) -> None:
        """Report nothing in this process."""
        self._silent = True

    def not_kept(self, reason: str) -> None:
        """Report that compiled code cannot be kept."""
        self.fault = reason
        self._report(NOT_KEPT, reason=reason)

    def began(self, function: Callable[..., Any], folder: str | None) -> None:
        """Note that the compilation of a loop begins, and where its code will be kept."""
        if self._silent or self._reported or folder is None:
            return
        self._began = monotonic()
        self._timer = Timer(max(0.0, self._left), self._late, (function.__name__, folder))
        self._timer.daemon = True
        self._timer.start()

    def ended(self) -> None:
        """Note that the compilation of a loop has ended."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
                self._left -= monotonic() - self._began

    def _late(self, name: str, folder: str) -> None:
        with self._lock:
            if self._timer is not None:
                self._report(SLOW, name=name, folder=folder)

    def _report(self, line: str, **values: str) -> None:
        """Log a line once, unless all warnings are ignored."""
        if self._silent or line in self._reported or warnings_are_off():
            return
        self._reported.add(line)
        bars = list(self.bars)
        for bar in bars:
            bar.clear()
        LOGGER.warning(line.format(**values))
        for bar in bars:
            bar.compiling()


def warnings_are_off() -> bool:
    """Whether all warnings are ignored, as by `python -W ignore`."""
    everything = ("ignore", None, Warning, None, 0)
    return any(tuple(entry) == everything for entry in warnings.filters)


NOTICES = Notices()
