"""The ledger of a run: every correction in order, from which every guess can be computed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from rosenblatt._types import Bools, Floats, Ints
from rosenblatt.loops.book import CORRECTION, ENTRY, STRUCTURE, TALLY
from rosenblatt.rows import enlarged


@dataclass(frozen=True, eq=False)
class Ledger:
    """The record of a run: its corrections.

    The j-th guess is v_0 plus the first j corrections of its head. It answered m_j rounds, the one
    that refuted it included, so the m_j of a head add up to the rounds played.

    Parameters
    ----------
    rounds
        How many rounds were played.
    heads
        How many learners played them side by side: one, or one per class in one-vs-rest.
    when
        The round, counted from 1, that refuted each guess.
    example
        The example shown in that round, counted from 0 over the whole run.
    head
        The head that was corrected.
    margin
        ⟨v, Φ(truth) − Φ(answer)⟩ in that round, before the correction.
    norm_squared
        ‖Φ(truth) − Φ(answer)‖².
    wrong
        Whether the answer was wrong. If not, it was right by too small a margin for the rule.
    cost
        How wrong the rival is that was corrected: the labels it has wrong in the sequence game, the pairs in
        the ranking game's "top", else 1.
    size
        How far the rule moved: Φ(truth) − Φ(answer) was added this many times.
    correction, row, output, amount
        The entries of all Δ: `amount` · φ(`row`) was added to `output` by that correction.
        A row of −1 means that the game's structure weight `output` was moved, and no row.
    unlisted, unlisted_mistakes
        How many corrections came before the first one listed, and how many of them were mistakes: a limited
        ledger lists only the latest.
    """

    rounds: int
    heads: int
    when: Ints
    example: Ints
    head: Ints
    margin: Floats
    norm_squared: Floats
    wrong: Bools
    cost: Floats
    size: Floats
    correction: Ints
    row: Ints
    output: Ints
    amount: Floats
    unlisted: int = 0
    unlisted_mistakes: int = 0

    def __len__(self) -> int:
        return len(self.when)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Ledger):
            return NotImplemented
        return all(np.array_equal(getattr(self, f.name), getattr(other, f.name)) for f in fields(self))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        heads = f", {self.heads} heads" if self.heads > 1 else ""
        corrections = len(self) + self.unlisted
        return f"<Ledger: {self.errors} mistakes, {corrections} corrections, {self.rounds} rounds{heads}>"

    @property
    def mistakes(self) -> Ints:
        """The examples that were answered wrongly, in order."""
        return self.example[self.wrong]

    @property
    def errors(self) -> int:
        """How many mistakes there were, listed or not."""
        return len(self.mistakes) + self.unlisted_mistakes

    @property
    def survived(self) -> Ints:
        """m_0 … m_k: how many rounds each guess answered."""
        if self.heads > 1:
            raise ValueError(
                f"This ledger holds the guesses of {self.heads} learners. Ask for one of them, as in "
                "ledger.of(0).survived."
            )
        self._check_all_listed("How long every guess survived")
        return np.diff(np.concatenate([[0], self.when, [self.rounds]]))

    @property
    def bounds(self) -> Ints:
        """Where the entries of each correction begin, and where the last ones end."""
        return np.searchsorted(self.correction, np.arange(len(self) + 1))

    def of(self, head: int) -> Ledger:
        """The ledger of one of the learners."""
        if self.heads > 1:
            self._check_all_listed("The ledger of one learner")
        return replace(
            self._where(self.head == head), heads=1, head=np.zeros_like(self.head[self.head == head])
        )

    def until(self, rounds: int) -> Ledger:
        """Return the ledger as it was after this many rounds: that of a shorter run."""
        if rounds > self.rounds:
            raise ValueError(f"This run has {self.rounds} rounds. Got until({rounds}).")
        if rounds < self.rounds:
            self._check_all_listed("An earlier ledger")
        return replace(self._where(self.when <= rounds), rounds=rounds)

    def _check_all_listed(self, what: str) -> None:
        if self.unlisted:
            raise ValueError(
                f"{what} is read from all corrections, and this run lists its latest {len(self)} of "
                f"{len(self) + self.unlisted}: learn with keep_examples=True and without a budget."
            )

    def _where(self, chosen: Bools) -> Ledger:
        renumbered = np.cumsum(chosen) - 1
        entries = chosen[self.correction]
        columns = {name: getattr(self, name)[chosen] for name in CORRECTION}
        columns |= {name: getattr(self, name)[entries] for name in ENTRY}
        columns["correction"] = renumbered[columns["correction"]]
        return replace(self, **columns)


class Book:
    """A ledger being written. Loops write straight into its tables (see `loops.book` for the columns).

    Only what `tally` counts is written. A writer reserves memory first, and moves the tally last.

    Parameters
    ----------
    heads
        How many learners play side by side.
    structure
        How many structure weights the game has.
    limit
        How many of the latest corrections are listed at least; those before are counted. None to list all.
    """

    def __init__(self, heads: int, structure: int = 0, limit: int | None = None) -> None:
        self.heads = heads
        self.limit = limit
        self.unlisted = np.zeros(2, np.int64)
        self.unlisted_delays = np.zeros(structure)
        self.tally = np.zeros(len(TALLY), np.int64)
        self.corrections = np.empty((0, len(CORRECTION)))
        self.entries = np.empty((0, len(ENTRY)))
        self._ledger: Ledger | None = None

    def __len__(self) -> int:
        return int(self.tally[1])

    @property
    def total(self) -> int:
        """How many corrections there were, listed or not."""
        return int(self.unlisted[0]) + len(self)

    @property
    def rounds(self) -> int:
        """How many rounds were played."""
        return int(self.tally[0])

    def __getstate__(self) -> dict[str, Any]:
        """Return the state of a copy: the rows that are written, without the reserved memory."""
        _, k, e = self.tally.tolist()
        return vars(self) | {
            "corrections": self.corrections[:k],
            "entries": self.entries[:e],
            "_ledger": None,
        }

    def make_room(self, corrections: int, entries: int) -> None:
        """Reserve memory for this many more."""
        self._ledger = None
        _, k, e = self.tally.tolist()
        if k + corrections > len(self.corrections):
            self.corrections = enlarged(self.corrections, k, k + corrections)
        if e + entries > len(self.entries):
            self.entries = enlarged(self.entries, e, e + entries)

    def count_begun(self) -> None:
        """Count the round that an error has ended, if one of its heads has been corrected."""
        if len(self) and self.corrections[len(self) - 1, CORRECTION.index("when")] > self.rounds:
            self.tally[0] += 1

    def add(self, rounds: int, corrections: Floats, entries: Floats) -> None:
        """Append the corrections and entries of more rounds; entries count corrections from 0."""
        self.make_room(len(corrections), len(entries))
        _, k, e = self.tally.tolist()
        self.corrections[k : k + len(corrections)] = corrections
        self.entries[e : e + len(entries)] = entries
        self.entries[e : e + len(entries), 0] += k
        self.tally += (rounds, len(corrections), len(entries))
        self.trim()

    def credit(self, rounds: int) -> None:
        """Count rounds that the current guess survives: each without a correction."""
        self.add(rounds, self.corrections[:0], self.entries[:0])

    def trim(self) -> None:
        """Drop all but the latest corrections once there are twice as many as the limit.

        The tables are replaced, not moved: a worker may still read the old ones.
        """
        if self.limit is None or len(self) < 2 * self.limit:
            return
        _, k, e = self.tally.tolist()
        dropped = k - self.limit
        first = int(np.searchsorted(self.entries[:e, 0], dropped))
        self.unlisted += (dropped, int(self.corrections[:dropped, CORRECTION.index("wrong")].sum()))
        self.unlisted_delays += self._delays(slice(0, first))
        self.corrections = self.corrections[dropped:k].copy()
        self.entries = self.entries[first:e].copy()
        self.entries[:, 0] -= dropped
        self.tally -= (0, dropped, first)
        self._ledger = None

    @property
    def delayed_structure(self) -> Floats:
        """Σ when · amount per structure weight; the weight less this / rounds is its average."""
        return self.unlisted_delays + self._delays(slice(0, int(self.tally[2])))

    def _delays(self, part: slice) -> Floats:
        entries = self.entries[part]
        entries = entries[entries[:, 1] == STRUCTURE]
        when = self.corrections[entries[:, 0].astype(np.int64), 0]
        size = len(self.unlisted_delays)
        sums = np.bincount(entries[:, 2].astype(np.int64), when * entries[:, 3], minlength=size)
        return sums[:size].astype(np.float64)

    def snapshot(self) -> Callable[[], None]:
        """Return a function that restores the book as it is now."""
        _, k, e = self.tally.tolist()
        tally, unlisted, delays = self.tally.copy(), self.unlisted.copy(), self.unlisted_delays.copy()
        listed = (self.corrections[:k].copy(), self.entries[:e].copy()) if self.limit is not None else None

        def restore() -> None:
            if listed is not None:  # the first of them may have been dropped since
                self.corrections, self.entries = listed
                self.unlisted, self.unlisted_delays = unlisted, delays
            self.erase(tally)

        return restore

    def erase(self, tally: Ints) -> None:
        """Roll back everything since the tally was this."""
        self.tally[:] = tally
        self._ledger = None

    @property
    def ledger(self) -> Ledger:
        """The ledger of the rounds so far."""
        rounds, k, e = self.tally.tolist()
        if self._ledger is None or self._ledger.rounds != rounds:
            columns = _columns(CORRECTION, self.corrections[:k]) | _columns(ENTRY, self.entries[:e])
            columns |= dict(zip(UNLISTED, self.unlisted.tolist(), strict=True))
            self._ledger = Ledger(rounds, self.heads, **columns)
        return self._ledger


UNLISTED = ("unlisted", "unlisted_mistakes")

_DTYPES: dict[str, Any] = dict.fromkeys(("margin", "norm_squared", "cost", "size", "amount"), np.float64) | {
    "wrong": np.bool_
}


def _columns(names: tuple[str, ...], table: Floats) -> dict[str, Any]:
    return {name: table[:, c].astype(_DTYPES.get(name, np.int64)) for c, name in enumerate(names)}


def assembled(heads: int, rounds: int, lines: list[tuple[float, ...]], entries: list[Floats]) -> Ledger:
    """Return a ledger of these corrections, which may come head by head, in the order of rounds."""
    book, table = Book(heads), np.array(lines, float).reshape(-1, len(CORRECTION))
    order = np.argsort(table[:, 0], kind="stable")
    every = np.concatenate([np.empty((0, len(ENTRY))), *entries])
    every[:, 0] = np.argsort(order)[every[:, 0].astype(np.int64)]
    book.add(rounds, table[order], every[np.argsort(every[:, 0], kind="stable")])
    return book.ledger


__all__ = ["STRUCTURE", "Book", "Ledger", "assembled"]
