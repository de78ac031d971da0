"""The record of a run: every correction in order, and so, without storing one, every guess."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from rosenblatt._types import Bools, Floats, Ints
from rosenblatt.loops.book import CORRECTION, ENTRY, OFFSET


@dataclass(frozen=True, eq=False)
class Ledger:
    """What a run leaves behind.

    The j-th guess is v_0 plus the first j corrections of its track. It answered m_j rounds, the one
    that refuted it included, so the m_j of a track add up to the rounds played.

    Parameters
    ----------
    rounds
        How many rounds were played.
    tracks
        How many learners played them side by side: one, or one per class in one-vs-rest.
    when
        The round, counted from 1, that refuted each guess.
    example
        The example shown in that round, counted from 0 over the whole run.
    track
        Whose guess it was.
    margin
        ⟨v, Φ(truth) − Φ(answer)⟩ in that round, before the correction.
    norm_squared
        ‖Φ(truth) − Φ(answer)‖².
    wrong
        Whether the answer was wrong. If not, it was right by too small a margin for the rule.
    size
        How far the rule moved: Φ(truth) − Φ(answer) was added this many times.
    correction, row, output, amount
        The entries of all Δ: `amount` · φ(`row`) was added to `output` by that correction.
        A row of −1 means that no row but the game's offset number `output` was moved.
    """

    rounds: int
    tracks: int
    when: Ints
    example: Ints
    track: Ints
    margin: Floats
    norm_squared: Floats
    wrong: Bools
    size: Floats
    correction: Ints
    row: Ints
    output: Ints
    amount: Floats

    def __len__(self) -> int:
        return len(self.when)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Ledger):
            return NotImplemented
        return all(np.array_equal(getattr(self, f.name), getattr(other, f.name)) for f in fields(self))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        tracks = f", {self.tracks} tracks" if self.tracks > 1 else ""
        return (
            f"<Ledger: {len(self.mistakes)} mistakes, {len(self)} corrections, {self.rounds} rounds{tracks}>"
        )

    @property
    def mistakes(self) -> Ints:
        """The examples that were answered wrongly, in order."""
        return self.example[self.wrong]

    @property
    def survived(self) -> Ints:
        """m_0 … m_k: how many rounds each guess answered."""
        if self.tracks > 1:
            raise ValueError(
                f"This ledger holds the guesses of {self.tracks} learners. Ask for one of them, as in "
                "ledger.of(0).survived."
            )
        return np.diff(np.concatenate([[0], self.when, [self.rounds]]))

    @property
    def bounds(self) -> Ints:
        """Where the entries of each correction begin, and where the last ones end."""
        return np.searchsorted(self.correction, np.arange(len(self) + 1))

    def of(self, track: int) -> Ledger:
        """The ledger of one of the learners."""
        return replace(
            self._where(self.track == track), tracks=1, track=np.zeros_like(self.track[self.track == track])
        )

    def until(self, rounds: int) -> Ledger:
        """The ledger as it was after so many rounds: that of a shorter run."""
        if rounds > self.rounds:
            raise ValueError(f"This run has {self.rounds} rounds. Got until({rounds}).")
        return replace(self._where(self.when <= rounds), rounds=rounds)

    def _where(self, chosen: Bools) -> Ledger:
        renumbered = np.cumsum(chosen) - 1
        entries = chosen[self.correction]
        columns = {name: getattr(self, name)[chosen] for name in CORRECTION}
        columns |= {name: getattr(self, name)[entries] for name in ENTRY}
        columns["correction"] = renumbered[columns["correction"]]
        return replace(self, **columns)


class Book:
    """A ledger being written: tables come in as the loops return them."""

    def __init__(self, tracks: int) -> None:
        self.tracks = tracks
        self.rounds = 0
        self._size = 0
        self._corrections: list[Floats] = []
        self._entries: list[Floats] = []
        self._ledger: Ledger | None = None

    def __len__(self) -> int:
        return self._size

    def add(self, rounds: int, corrections: Floats, entries: Floats) -> None:
        """Write down what so many more rounds left behind (see `loops.book` for the columns)."""
        self.rounds += rounds
        self._ledger = None
        if len(corrections):
            entries[:, 0] += self._size
            self._size += len(corrections)
            self._corrections.append(corrections)
            self._entries.append(entries)

    def mark(self) -> tuple[int, int, int]:
        """How far the book is written."""
        return self.rounds, self._size, len(self._corrections)

    def erase(self, mark: tuple[int, int, int]) -> None:
        """Take back everything since `mark`."""
        self.rounds, self._size, tables = mark
        del self._corrections[tables:], self._entries[tables:]
        self._ledger = None

    @property
    def ledger(self) -> Ledger:
        """The ledger of the rounds so far."""
        if self._ledger is None:
            columns = _columns(CORRECTION, self._corrections) | _columns(ENTRY, self._entries)
            self._ledger = Ledger(self.rounds, self.tracks, **columns)
        return self._ledger


_DTYPES: dict[str, Any] = dict.fromkeys(("margin", "norm_squared", "size", "amount"), np.float64) | {
    "wrong": np.bool_
}


def _columns(names: tuple[str, ...], tables: list[Floats]) -> dict[str, Any]:
    table = np.concatenate(tables) if tables else np.empty((0, len(names)))
    return {name: table[:, c].astype(_DTYPES.get(name, np.int64)) for c, name in enumerate(names)}


__all__ = ["OFFSET", "Book", "Ledger"]
