"""Ctrl-C deferred to a moment when the state is consistent."""

from __future__ import annotations

import signal
import threading
from types import TracebackType
from typing import Any


class Interrupts:
    """Defers Ctrl-C inside a `with` block, until `check` is called or the block ends.

    Only the main thread ever receives one; elsewhere this does nothing.

    Parameters
    ----------
    held
        False to defer nothing.
    """

    def __init__(self, held: bool = True) -> None:
        main = threading.current_thread() is threading.main_thread()
        self._before = signal.getsignal(signal.SIGINT) if held and main else None
        self._pressed = False

    def __enter__(self) -> Interrupts:
        if self._before is not None:  # else nothing is deferred
            signal.signal(signal.SIGINT, self._press)
        return self

    def _press(self, *_: Any) -> None:
        self._pressed = True

    def check(self) -> None:
        """Raise a Ctrl-C that was deferred."""
        if self._pressed:
            self._pressed = False
            signal.signal(signal.SIGINT, self._before)
            try:
                signal.raise_signal(signal.SIGINT)
            finally:  # a second one must not interrupt what restores the state after the first
                signal.signal(signal.SIGINT, self._press)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
        if self._pressed:
            signal.raise_signal(signal.SIGINT)
