"""A progress bar for long runs: rounds played and mistakes so far, on stderr."""

from __future__ import annotations

import sys
from time import monotonic


class Progress:
    """A bar that is updated at most ten times a second, or silent.

    Parameters
    ----------
    rounds
        How many rounds the run will have if it does not stop early.
    shown
        Whether to show anything.
    """

    def __init__(self, rounds: int, shown: bool) -> None:
        self._rounds = rounds
        self._shown = shown
        self._began = self._last = monotonic()

    def at(self, rounds: int, mistakes: int, done: bool = False) -> None:
        """Print how far the run is."""
        now = monotonic()
        if not self._shown or (now - self._last < 0.1 and not done):
            return
        self._last = now
        filled = 30 * rounds // max(self._rounds, 1)
        bar = "#" * filled + "." * (30 - filled)
        rate = rounds / max(now - self._began, 1e-9)
        line = f"\r[{bar}] {rounds}/{self._rounds} rounds, {mistakes} mistakes, {rate:,.0f} rounds/s"
        print(line, end="\n" if done else "", file=sys.stderr, flush=True)
