"""A progress bar for long runs: one line on standard error, with what is done, the rate and the mistakes."""

from __future__ import annotations

import sys
from time import monotonic

from rosenblatt.loops.notices import NOTICES

WIDTH, PAUSE = 20, 0.1
"""Characters of the bar, and seconds between two updates."""

CLEAR = "\r\x1b[K"
"""What returns to the beginning of the line and clears it."""


class Progress:
    """A line on standard error that is updated at most ten times a second.

    Parameters
    ----------
    what
        The name of the activity.
    total
        How many rounds there will be if the run does not stop early; None if that is unknown.
    unit
        What is counted.
    shown
        Whether to show anything.
    patience
        Seconds before the line is first shown.
    remains
        Whether the line stays when the work is done; else it is cleared.
    """

    def __init__(
        self,
        what: str,
        total: int | None,
        *,
        unit: str = "rounds",
        shown: bool = True,
        patience: float = 0.0,
        remains: bool = True,
    ) -> None:
        self._what, self._total, self._unit = what, total, unit
        self._shown, self._remains = shown, remains
        self._began = monotonic()
        self._next = self._began + patience
        self._drawn = False
        if shown:
            NOTICES.bars.add(self)

    def expect(self, total: int) -> None:
        """Set the number of rounds there will be."""
        self._total = total

    def at(self, done: int, mistakes: int | None = None) -> None:
        """Show how far the work is, if the last update was long enough ago."""
        if self._shown and monotonic() >= self._next:
            self._next = monotonic() + PAUSE
            self._draw(done, mistakes)

    def close(self, done: int | None = None, mistakes: int | None = None) -> None:
        """Clear the line or, if it remains, show the last state in it."""
        if self._shown and self._remains and done is not None:
            self._draw(done, mistakes)
        if self._drawn and self._remains:
            print(file=sys.stderr, flush=True)
        elif self._drawn:
            self.clear()
        self._drawn = self._shown = False

    def clear(self) -> None:
        """Remove the bar from its line; the next update shows it again."""
        if self._drawn:
            print(CLEAR, end="", file=sys.stderr, flush=True)

    def compiling(self) -> None:
        """Show that loops are compiled, which cannot be interrupted by updates."""
        if self._shown:
            self._print(f"{self._what}  compiling loops")

    def _draw(self, done: int, mistakes: int | None) -> None:
        rate = done / max(monotonic() - self._began, 1e-9)
        parts = [self._what, f"{done:,} {self._unit}", f"{rate:,.0f} {self._unit}/s"]
        if mistakes is not None:
            parts.append(f"{mistakes:,} mistakes")
        if self._total:
            filled = min(WIDTH, WIDTH * done // self._total)
            parts[1:2] = [
                f"[{'#' * filled}{'.' * (WIDTH - filled)}]",
                f"{done:,}/{self._total:,} {self._unit}",
            ]
            parts.append(f"{max(0, self._total - done) / max(rate, 1e-9):,.0f} s left")
        self._print("  ".join(parts))

    def _print(self, line: str) -> None:
        print(CLEAR + line, end="", file=sys.stderr, flush=True)
        self._drawn = True
