"""Ctrl-C at a moment when the state is whole."""

from __future__ import annotations

import signal
import threading
from types import TracebackType
from typing import Any


class Interrupts:
    """Holds Ctrl-C back inside a `with` block, until `check` is called or the block ends.

    Only the main thread ever receives one; elsewhere this does nothing. Inside compiled code a Ctrl-C
    that is let through at once ends in an error of the compiler's instead.

    Parameters
    ----------
    held
        False to hold nothing back after all.
    """

    def __init__(self, held: bool = True) -> None:
        self._held = held and threading.current_thread() is threading.main_thread()
        self._pressed: list[Any] = []

    def __enter__(self) -> Interrupts:
        if self._held:
            self._before = signal.signal(signal.SIGINT, lambda *arguments: self._pressed.append(arguments))
        return self

    def check(self) -> None:
        """Let a Ctrl-C that was held back through."""
        if self._pressed and callable(self._before):
            self._before(*self._pressed.pop())

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._held:
            signal.signal(signal.SIGINT, self._before)
        if kind is None:
            self.check()
