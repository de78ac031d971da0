"""The cache of compiled loops: on disk, or none if no folder can be written."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from numba import njit
from numba.core import event

COMPILING = "numba:compile"
"""Numba's name of the event that a function is compiled."""


def cached(function: Callable[..., Any], **options: Any) -> Any:
    """Compile a function on first call and keep the result on disk, if there is a folder for it.

    In a read-only install with an unwritable home there is none. Then every process compiles again, and the
    first loop that it compiles logs one line that says what to do.
    """
    try:
        return njit(cache=True, **options)(function)
    except RuntimeError as reason:
        NOTICE.promise(str(reason))
        return njit(**options)(function)


class Notice(event.Listener):  # type: ignore[misc]
    """One line in the log, once per process, when the first loop is compiled that cannot be cached."""

    def __init__(self) -> None:
        self._reason = ""
        self._logged = False

    def promise(self, reason: str) -> None:
        """Wait for the first loop to be compiled."""
        if not self._reason:
            self._reason = reason
            event.register(COMPILING, self)

    def on_start(self, occasion: Any) -> None:
        """Log the line if it is one of our loops."""
        if not self._logged and occasion.data["dispatcher"].py_func.__module__.startswith("rosenblatt."):
            self._logged = True
            logging.getLogger("rosenblatt").warning(
                "rosenblatt compiles its loops in every process, which takes seconds, because no folder for "
                "compiled code can be written (%s). Set NUMBA_CACHE_DIR to one that can.",
                self._reason,
            )

    def on_end(self, occasion: Any) -> None:
        """Log nothing."""


NOTICE = Notice()
