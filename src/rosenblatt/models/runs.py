"""A run in a model file: the game, the rule, the guess and the book."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt import kernels, rules
from rosenblatt._types import Array, Floats
from rosenblatt.games import Argmax, Binary, Game, OneVsRest, Ranking
from rosenblatt.hypotheses import Dual, Primal
from rosenblatt.kernels import Kernel
from rosenblatt.ledger import OFFSET, Book
from rosenblatt.loops.book import CORRECTION, ENTRY
from rosenblatt.models.sheets import LARGEST, Fields, Sheet
from rosenblatt.rows import Csr, Rows
from rosenblatt.rules import Rule
from rosenblatt.run import Run

FLOATS = (np.float64, np.float32)
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
    _write_hypothesis(sheet.sheet("guess"), run.hypothesis)


def read_run(fields: Fields, game: Game) -> Run:
    """A run of this game."""
    run = Run(
        game,
        parsed(fields, "rule", rules.parse),
        _read_hypothesis(fields.sheet("guess"), game, fields.whole("rows_seen")),
        Book(game.tracks),
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
    sheet["game"] = next(name for name, kind in GAMES.items() if type(game) is kind)
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


def kernel_text(kernel: Kernel) -> str:
    """A kernel as the expression that builds it."""
    text = repr(kernel)
    try:
        same = kernels.parse(text) == kernel
    except ValueError:
        same = False
    if not same:
        raise ValueError(
            f"A model file holds kernels made of {', '.join(kernels.expressions.NAMED)}. Got {text}: Python "
            "functions and other libraries' kernels stay outside of it."
        )
    return text


def rule_text(rule: Rule) -> str:
    """A rule as the expression that builds it."""
    text = repr(rule)
    try:
        same = rules.parse(text) == rule
    except ValueError:
        same = False
    if not same:
        raise ValueError(
            "A model file holds the rules Perceptron, Margin and PassiveAggressive. "
            f"Got {text}: a rule of your own stays outside of it."
        )
    return text


def parsed(fields: Fields, name: str, parse: Any) -> Any:
    """What an expression in a file stands for."""
    try:
        return parse(fields.text(name))
    except ValueError as broken:
        fields.refuse(f"{name} should be an expression of this library ({broken!s:.300})")


def _write_book(sheet: Sheet, book: Book) -> None:
    rounds, corrections, entries = book.tally.tolist()
    sheet["rounds"] = rounds
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
    if run.hypothesis.keep and len(entries):
        named = np.unique(row[row != OFFSET]).astype(np.int64)
        fields.check(np.isin(named, memory.ids), "entries should name rows that are stored")
    run.book.add(rounds, corrections, entries)


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


def _write_hypothesis(sheet: Sheet, guess: Primal | Dual) -> None:
    sheet["constant"] = float(guess.memory.constant)
    sheet.array("offsets", guess.offsets)
    if isinstance(guess, Primal):
        sheet["kind"] = "primal"
        sheet["keep"] = bool(guess.keep)
        sheet["started"] = guess.start is not None
        sheet["exact_up_to"] = None if guess.most == np.inf else guess.most
        sheet.array("weights", guess.weights)
        sheet.array("delayed", guess.delayed)
        if guess.start is not None:
            sheet.array("start", guess.start)
    else:
        sheet["kind"] = "dual"
        sheet["kernel"] = kernel_text(guess.memory.kernel)
        sheet.array("coefficients", guess.coefficients)
    if guess.keep:
        _write_rows(sheet.sheet("rows"), guess.memory.rows)


def _read_hypothesis(fields: Fields, game: Game, rows_seen: int) -> Primal | Dual:
    constant = fields.number("constant")
    fields.check(constant in (0.0, 1.0), "constant should be 0 or 1")
    offsets = fields.array("offsets", np.float64, len(game.offsets), finite=False)
    forbidden = game.offsets == -np.inf
    fields.check(
        np.isfinite(offsets) != forbidden, "offsets should be numbers, but where pairs are forbidden"
    )
    guess: Primal | Dual
    if fields.one_of("kind", ("primal", "dual")) == "primal":
        weights = fields.array("weights", FLOATS, None, game.outputs)
        fields.check(len(weights) >= 1, "weights should have a line for the constant")
        shape = weights.shape
        start = fields.array("start", np.float64, *shape) if fields.flag("started") else None
        guess = Primal(0, game.outputs, constant, offsets, fields.flag("keep"), start)
        guess.weights, guess.delayed = weights, fields.array("delayed", np.float64, *shape)
        guess.most = fields.number("exact_up_to") if "exact_up_to" in fields else np.inf
    else:
        guess = Dual(parsed(fields, "kernel", kernels.parse), constant, game.outputs, offsets)
    if guess.keep:
        rows = _read_rows(fields.sheet("rows"), rows_seen)
        if isinstance(guess, Primal):
            fits = rows.width is not None and rows.width < len(guess.weights)
            fields.check(fits, "rows should fit the weights")
        if len(rows):
            guess.memory.keep(rows)
    if isinstance(guess, Dual):
        guess.coefficients = fields.array("coefficients", np.float64, len(guess.memory), game.outputs)
    return guess


def _write_rows(sheet: Sheet, rows: Rows) -> None:
    if isinstance(rows.data, list) and len(rows):
        raise ValueError(
            "A model file holds rows of numbers. Got Python objects, which stay outside of it: keep them to "
            "learn from them again."
        )
    sheet.array("ids", rows.ids)
    sheet["sparse"] = rows.sparse
    if rows.has_squares and len(rows):
        sheet.array("squares", rows.squares)
    sheet["squares_known"] = rows.has_squares and len(rows) > 0
    if rows.sparse:
        starts, features, values, width = rows.csr
        sheet["width"] = int(width)
        for name, array in (("starts", starts), ("features", features), ("values", values)):
            sheet.array(name, array)
    else:
        sheet.array("values", rows.data if len(rows) else np.empty((0, 0)))


def _read_rows(fields: Fields, rows_seen: int) -> Rows:
    ids = fields.integers("ids", 0, max(rows_seen - 1, 0), None)
    fields.check(len(np.unique(ids)) == len(ids), "rows should be stored once")
    data: Array | Csr
    if fields.flag("sparse"):
        data = _read_csr(fields, len(ids))
    else:
        data = fields.array("values", FLOATS, len(ids), None)
    squares = fields.array("squares", FLOATS, len(ids)) if fields.flag("squares_known") else None
    return Rows(data, ids, squares)


def _read_csr(fields: Fields, rows: int) -> Csr:
    width = fields.whole("width", 0, LARGEST)
    starts = fields.array("starts", np.int64, rows + 1)
    features = fields.array("features", (np.int32, np.int64), None)
    values = fields.array("values", FLOATS, len(features))
    fields.check(starts[0] == 0 and starts[-1] == len(features), "rows should fill their arrays")
    fields.check(np.diff(starts) >= 0, "rows should follow each other")
    fields.check((features >= 0) & (features < width), "features should be those there are")
    rising = np.diff(features) > 0
    rising[starts[1:-1][(starts[1:-1] > 0) & (starts[1:-1] < len(features))] - 1] = True
    fields.check(rising, "the features of a row should rise")
    return Csr(starts, features, values, width)
