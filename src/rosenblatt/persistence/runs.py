"""A run in a model file: the game, the rule, the guess and the book."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt import rules
from rosenblatt._types import Floats
from rosenblatt.engine.hypotheses import Budgeted
from rosenblatt.engine.run import Run
from rosenblatt.games import Argmax, Binary, Game, OneVsRest, Ranking
from rosenblatt.ledger import OFFSET, Book
from rosenblatt.loops.book import CORRECTION, ENTRY
from rosenblatt.persistence.fields import LARGEST, Fields, Sheet
from rosenblatt.persistence.hypotheses import read_guess, write_guess
from rosenblatt.persistence.kernels import parsed, rule_text

COUNTS = ("rows_seen", "examples_seen", "epochs")
FLAGS = ("converged", "weighted", "ruled_otherwise")


def write_run(sheet: Sheet, run: Run) -> None:
    """All of a run but for its game, which whoever knows the classes writes."""
    sheet["rule"] = rule_text(run.rule)
    for name in COUNTS:
        sheet[name] = int(getattr(run, name))
    for name in FLAGS:
        sheet[name] = bool(getattr(run, name))
    _write_book(sheet.sheet("book"), run.book)
    write_guess(sheet.sheet("guess"), run.hypothesis)


def read_run(fields: Fields, game: Game) -> Run:
    """A run of this game."""
    run = Run(
        game,
        parsed(fields, "rule", rules.parse),
        read_guess(fields.sheet("guess"), game, fields.whole("rows_seen")),
        Book(game.tracks, len(game.offsets)),
    )
    for name in COUNTS:
        setattr(run, name, fields.whole(name))
    for name in FLAGS:
        setattr(run, name, fields.flag(name))
    _read_book(fields.sheet("book"), run)
    return run


GAMES: dict[str, Any] = {"binary": Binary, "argmax": Argmax, "one-vs-rest": OneVsRest, "ranking": Ranking}


def write_game(sheet: Sheet, game: Game) -> None:
    """A game that is played on rows or lists."""
    found = [name for name, kind in GAMES.items() if type(game) is kind]
    if not found:
        named = ", ".join(kind.__name__ for kind in GAMES.values())
        raise ValueError(
            f"A model file holds one of the games {named}. Got {game!r:.100}: a game of your own cannot "
            "be saved. Keep the weights and the ledger of its run yourself, as arrays."
        )
    sheet["game"] = found[0]
    if isinstance(game, Binary):
        sheet["ties"] = game.ties
    if isinstance(game, Ranking):
        sheet["strategy"] = game.strategy


def read_game(fields: Fields, classes: int) -> Game:
    """The same, for so many classes."""
    kind = fields.one_of("game", GAMES)
    if kind == "ranking":
        return Ranking(fields.one_of("strategy", ("best", "top")))
    fields.check((classes == 2) == (kind == "binary"), f"the game should fit {classes} classes")
    return (
        Binary(fields.one_of("ties", ("mistake", "positive"))) if kind == "binary" else GAMES[kind](classes)
    )


def _write_book(sheet: Sheet, book: Book) -> None:
    rounds, corrections, entries = book.tally.tolist()
    sheet["rounds"] = rounds
    sheet["limit"] = book.limit
    sheet.array("unlisted", book.unlisted)
    sheet.array("unlisted_delays", book.unlisted_delays)
    sheet.array("corrections", book.corrections[:corrections])
    sheet.array("entries", book.entries[:entries])


def _read_book(fields: Fields, run: Run) -> None:
    """Into the book of a run, if it can be the book of that run."""
    game, memory = run.game, run.hypothesis.memory
    corrections = fields.array("corrections", np.float64, None, len(CORRECTION))
    entries = fields.array("entries", np.float64, None, len(ENTRY))
    rounds = fields.whole("rounds")
    _check_corrections(fields, corrections, rounds, run)
    correction, row, output, _ = entries.T
    whole = (entries[:, :3] == np.floor(entries[:, :3])).all()
    fields.check(whole, "entries should be numbered with whole numbers")
    fields.check(np.diff(correction) >= 0, "entries should be in the order of corrections")
    fields.check((correction >= 0) & (correction < len(corrections)), "entries should belong to corrections")
    fields.check((row >= OFFSET) & (row < run.rows_seen), "entries should name rows that were seen")
    most = np.where(row == OFFSET, len(game.offsets), game.outputs)
    fields.check((output >= 0) & (output < most), "entries should name outputs that there are")
    if run.hypothesis.keep and len(entries) and not isinstance(run.hypothesis, Budgeted):
        named = np.unique(row[row != OFFSET]).astype(np.int64)
        fields.check(np.isin(named, memory.ids), "entries should name rows that are stored")
    run.book.add(rounds, corrections, entries)
    if run.hypothesis.recent is not None:
        fields.check(run.hypothesis.recent.since <= rounds, "restarts should be in rounds played")
    run.book.limit = fields.whole("limit", 1) if "limit" in fields else None
    run.book.unlisted = fields.integers("unlisted", 0, LARGEST, 2)
    run.book.unlisted_delays = fields.array("unlisted_delays", np.float64, len(game.offsets))


def _check_corrections(fields: Fields, corrections: Floats, rounds: int, run: Run) -> None:
    column = dict(zip(CORRECTION, corrections.T, strict=True))
    for name in ("when", "example", "track", "wrong"):
        fields.check(column[name] == np.floor(column[name]), f"{name} should be whole numbers")
    fields.check(np.diff(column["when"]) >= 0, "corrections should be in the order of rounds")
    fields.check((column["when"] >= 1) & (column["when"] <= rounds), "corrections should be in rounds played")
    seen = max(run.examples_seen, 1)
    fields.check((column["example"] >= 0) & (column["example"] < seen), "examples should have been seen")
    tracks = run.game.tracks
    fields.check((column["track"] >= 0) & (column["track"] < tracks), "tracks should be those of the game")
    fields.check((column["wrong"] == 0) | (column["wrong"] == 1), "wrong should be 0 or 1")
