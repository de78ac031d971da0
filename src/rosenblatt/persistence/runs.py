"""A run in a model file: the game, the rule, the guess and the book."""

from __future__ import annotations

import numpy as np

from rosenblatt import rules
from rosenblatt._types import Floats
from rosenblatt.engine.run import Run
from rosenblatt.games import Game
from rosenblatt.ledger import STRUCTURE, Book
from rosenblatt.loops.book import CORRECTION, ENTRY
from rosenblatt.persistence.hypotheses import read_guess, write_guess
from rosenblatt.persistence.kernels import parsed, rule_text
from rosenblatt.persistence.sections import LARGEST, Reader, Writer

COUNTS = ("rows_seen", "examples_seen", "epochs")
FLAGS = ("converged", "weighted", "ruled_otherwise")


def write_run(writer: Writer, run: Run) -> None:
    """Write a run without its game, which the writer of the estimator writes."""
    writer["rule"] = rule_text(run.rule)
    for name in COUNTS:
        writer[name] = int(getattr(run, name))
    for name in FLAGS:
        writer[name] = bool(getattr(run, name))
    _write_book(writer.section("book"), run.book)
    write_guess(writer.section("guess"), run.hypothesis)


def read_run(reader: Reader, game: Game) -> Run:
    """Read a run of this game."""
    run = Run(
        game,
        parsed(reader, "rule", rules.parse),
        read_guess(reader.section("guess"), game, reader.integer("rows_seen")),
        Book(game.heads, len(game.structure)),
    )
    for name in COUNTS:
        setattr(run, name, reader.integer(name))
    for name in FLAGS:
        setattr(run, name, reader.flag(name))
    _read_book(reader.section("book"), run)
    return run


def _write_book(writer: Writer, book: Book) -> None:
    rounds, corrections, entries = book.tally.tolist()
    writer["rounds"] = rounds
    writer["limit"] = book.limit
    writer.array("unlisted", book.unlisted)
    writer.array("unlisted_delays", book.unlisted_delays)
    writer.array("corrections", book.corrections[:corrections])
    writer.array("entries", book.entries[:entries])


def _read_book(reader: Reader, run: Run) -> None:
    """Read the book of a run into it, after a check that it can be the book of that run."""
    game, support = run.game, run.support
    corrections = reader.array("corrections", np.float64, None, len(CORRECTION))
    entries = reader.array("entries", np.float64, None, len(ENTRY))
    rounds = reader.integer("rounds")
    _check_corrections(reader, corrections, rounds, run)
    correction, row, output, _ = entries.T
    integers = (entries[:, :3] == np.floor(entries[:, :3])).all()
    reader.check(integers, "the ids in entries should be integers")
    reader.check(np.diff(correction) >= 0, "entries should be in the order of corrections")
    reader.check((correction >= 0) & (correction < len(corrections)), "entries should belong to corrections")
    reader.check((row >= STRUCTURE) & (row < run.rows_seen), "entries should name rows that were seen")
    most = np.where(row == STRUCTURE, len(game.structure), game.outputs)
    reader.check((output >= 0) & (output < most), "entries should name outputs that there are")
    if run.hypothesis.keep and len(entries) and run.budget is None:
        named = np.unique(row[row != STRUCTURE]).astype(np.int64)
        reader.check(np.isin(named, support.ids), "entries should name rows that are stored")
    run.book.add(rounds, corrections, entries)
    if run.hypothesis.recent is not None:
        reader.check(run.hypothesis.recent.since <= rounds, "restarts should be in rounds played")
    run.book.limit = reader.integer("limit", 1) if "limit" in reader else None
    run.book.unlisted = reader.integers("unlisted", 0, LARGEST, 2)
    run.book.unlisted_delays = reader.array("unlisted_delays", np.float64, len(game.structure))


def _check_corrections(reader: Reader, corrections: Floats, rounds: int, run: Run) -> None:
    column = dict(zip(CORRECTION, corrections.T, strict=True))
    for name in ("when", "example", "head", "wrong"):
        reader.check(column[name] == np.floor(column[name]), f"{name} should be integers")
    reader.check(np.diff(column["when"]) >= 0, "corrections should be in the order of rounds")
    reader.check((column["when"] >= 1) & (column["when"] <= rounds), "corrections should be in rounds played")
    seen = max(run.examples_seen, 1)
    reader.check((column["example"] >= 0) & (column["example"] < seen), "examples should have been seen")
    heads = run.game.heads
    reader.check((column["head"] >= 0) & (column["head"] < heads), "heads should be those of the game")
    reader.check((column["wrong"] == 0) | (column["wrong"] == 1), "wrong should be 0 or 1")
