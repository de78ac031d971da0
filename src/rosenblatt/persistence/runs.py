"""A run in a model file: the rule, the book, and the guess: weights, or support vectors with coefficients."""

from __future__ import annotations

import numpy as np

from rosenblatt._types import Array, Floats
from rosenblatt.budgets import Budget
from rosenblatt.engine.budgeted import Budgeted
from rosenblatt.engine.dual import Dual
from rosenblatt.engine.hypotheses import Hypothesis
from rosenblatt.engine.primal import Primal
from rosenblatt.engine.run import Run, truth_shape
from rosenblatt.games import Game
from rosenblatt.ledger import STRUCTURE, Book
from rosenblatt.loops.book import CORRECTION, ENTRY
from rosenblatt.persistence.sections import (
    LARGEST,
    Reader,
    Writer,
    kernel_text,
    plain_rule,
    read_kernel,
    read_rule,
)
from rosenblatt.rows import Csr, Rows, rows_of

COUNTS = ("rows_seen", "examples_seen", "epochs")
FLAGS = ("converged", "weighted", "ruled_otherwise")


def write_run(writer: Writer, run: Run) -> None:
    """Write a run without its game, which the writer of the estimator writes."""
    writer["rule"] = plain_rule(run.rule)
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
        read_rule(reader, reader.value("rule")),
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


FLOATS = (np.float64, np.float32)


def write_guess(writer: Writer, guess: Hypothesis) -> None:
    """Write a guess of any kind."""
    writer["constant"] = float(guess.support.constant)
    writer.array("structure", guess.structure)
    match guess:
        case Primal():
            _write_primal(writer, guess)
        case Dual():
            writer["kind"], writer["kernel"] = "dual", kernel_text(guess.support.kernel)
            writer.array("coefficients", guess.coefficients)
        case Budgeted():
            writer["kind"], writer["kernel"] = "budgeted", kernel_text(guess.support.kernel)
            _write_remembered(writer.section("remembered"), guess)
    if guess.keep:
        _write_rows(writer.section("rows"), guess.support.rows)
        writer.array("truths", guess.support.truths)
    writer["follows_recent"] = guess.recent is not None
    if guess.recent is not None:
        _write_recent(writer.section("recent"), guess)


def read_guess(reader: Reader, game: Game, rows_seen: int) -> Hypothesis:
    """Read a guess for this game."""
    guess = _read_form(reader, game)
    if reader.flag("follows_recent"):
        guess.follow_recent(game.heads)
    if guess.keep:
        rows = _read_rows(reader.section("rows"), 0 if guess.budget is None else -LARGEST, rows_seen)
        _check_rows(reader, guess, rows)
        if len(rows):
            guess.support.keep(rows)
            shape = truth_shape(game)
            types = np.int8 if shape else (np.int64, np.float64)
            guess.support.set_truths(reader.array("truths", types, len(rows), *shape))
    match guess:
        case Dual():
            guess.coefficients = reader.array("coefficients", np.float64, len(guess.support), game.outputs)
        case Budgeted():
            _read_remembered(reader.section("remembered"), guess, game)
    if guess.recent is not None:
        _read_recent(reader.section("recent"), guess)
    return guess


def _read_form(reader: Reader, game: Game) -> Hypothesis:
    """Read what a guess is made with: weights, a kernel, or a kernel and a budget."""
    constant = reader.number("constant")
    reader.check(constant in (0.0, 1.0), "constant should be 0 or 1")
    structure = _read_structure(reader, game, len(game.structure))
    kind = reader.one_of("kind", ("primal", "dual", "budgeted"))
    if kind == "primal":
        return _read_primal(reader, game, constant, structure)
    if kind == "dual":
        return Dual(read_kernel(reader, reader.text("kernel")), constant, game.outputs, structure)
    return _read_budgeted(reader, game, constant, structure)


def _check_rows(reader: Reader, guess: Hypothesis, rows: Rows) -> None:
    match guess:
        case Primal():
            fits = rows.width is not None and rows.width < len(guess.weights)
            reader.check(fits, "rows should fit the weights")
        case Budgeted():
            few = len(rows) <= guess.budget.size
            reader.check(few, "there should be no more rows than the budget allows")


def _write_recent(writer: Writer, guess: Hypothesis) -> None:
    """Write the state of the predictor `recent`; with a budget its sums are among the guesses."""
    recent = guess.recent
    assert recent is not None
    for name in ("since", "behind", "structure"):
        writer.array(name, getattr(recent, name))
    if guess.budget is None:
        writer.array("sums", recent.sums[: _rows_of_sums(guess)])


def _read_recent(reader: Reader, guess: Hypothesis) -> None:
    recent = guess.recent
    assert recent is not None
    for name in ("since", "behind"):
        setattr(recent, name, reader.integers(name, 0, LARGEST, len(recent.since)))
    recent.structure = reader.array("structure", np.float64, len(recent.structure))
    if guess.budget is None:
        recent.sums = reader.array("sums", np.float64, _rows_of_sums(guess), guess.outputs)


def _rows_of_sums(guess: Hypothesis) -> int:
    return len(guess.weights) if isinstance(guess, Primal) else len(guess.support)


def _read_structure(reader: Reader, game: Game, *shape: int) -> Floats:
    structure = reader.array("structure", np.float64, *shape, finite=False)
    forbidden = game.structure == -np.inf
    reader.check(
        np.isfinite(structure) != forbidden,
        "structure weights should be finite, except for forbidden pairs",
    )
    return structure


def _write_primal(writer: Writer, guess: Primal) -> None:
    writer["kind"] = "primal"
    writer["keep"] = bool(guess.keep)
    writer["started"] = guess.start is not None
    writer["exact_up_to"] = None if guess.most == np.inf else guess.most
    writer.array("weights", guess.weights)
    writer.array("delayed", guess.delayed)
    if guess.start is not None:
        writer.array("start", guess.start)


def _read_primal(reader: Reader, game: Game, constant: float, structure: Floats) -> Primal:
    weights = reader.array("weights", FLOATS, None, game.outputs)
    reader.check(len(weights) >= 1, "weights should have a row for the constant")
    shape = weights.shape
    start = reader.array("start", np.float64, *shape) if reader.flag("started") else None
    guess = Primal(0, game.outputs, constant, structure, reader.flag("keep"), start)
    guess.weights, guess.delayed = weights, reader.array("delayed", np.float64, *shape)
    guess.most = reader.number("exact_up_to") if "exact_up_to" in reader else np.inf
    return guess


def _write_remembered(writer: Writer, guess: Budgeted) -> None:
    size, budget = len(guess.support), guess.budget
    writer["budget"] = {
        "size": budget.size, "policy": budget.policy, "tolerance": budget.tolerance, "seed": budget.seed
    }  # fmt: skip
    writer["stored"], writer["merged"], writer["ridge"] = int(guess.stored), guess.merged, float(guess.ridge)
    writer.array("guesses", guess.guesses[:size])
    writer.array("structure", guess.guess_structure)
    writer.array("matrix", guess.matrix[:size, :size])
    writer.array("age", guess.age[:size])
    for name in ("order", "rounds", "longest", "since"):
        writer.array(name, getattr(guess, name))


def _read_budgeted(reader: Reader, game: Game, constant: float, structure: Floats) -> Budgeted:
    found = reader.section("remembered").section("budget")
    try:
        budget = Budget(
            found.integer("size", 2), found.text("policy"), found.number("tolerance"), found.integer("seed")
        )
        return Budgeted(
            read_kernel(reader, reader.text("kernel")), constant, game.outputs, structure, game.heads, budget
        )
    except ValueError as wrong:
        reader.refuse(f"the budget should be one ({wrong!s:.200})")


def _read_remembered(reader: Reader, guess: Budgeted, game: Game) -> None:
    size, shape = len(guess.support), guess.guesses.shape
    guess.make_room(size)
    guess.guesses[:size] = reader.array("guesses", np.float64, size, *shape[1:])
    guess.guess_structure = _read_structure(reader, game, *guess.guess_structure.shape)
    known = size if guess.matrix.size else 0
    guess.matrix[:known, :known] = reader.array("matrix", np.float64, known, known)
    guess.age[:size] = reader.integers("age", 0, LARGEST, size)
    guess.stored, guess.merged = reader.integer("stored"), reader.integer("merged")
    guess.ridge = reader.number("ridge")
    guess.order = reader.integers("order", -1, guess.order.shape[1] - 1, *guess.order.shape)
    for row in guess.order:
        used = row[row >= 0]
        reader.check(
            (row[: len(used)] >= 0) & (len(set(used.tolist())) == len(used)), "groups should be in order"
        )
    for name in ("rounds", "longest", "since"):
        setattr(guess, name, reader.array(name, np.float64, *getattr(guess, name).shape))


def _write_rows(writer: Writer, rows: Rows) -> None:
    if isinstance(rows.data, list) and len(rows):
        raise ValueError(
            "A model file holds rows of numbers. Got Python objects, which stay outside of it: keep them to "
            "learn from them again."
        )
    writer.array("ids", rows.ids)
    writer["sparse"] = rows.sparse
    if rows.has_squares and len(rows):
        writer.array("squares", rows.squares)
    writer["squares_known"] = rows.has_squares and len(rows) > 0
    if rows.sparse:
        starts, features, values, width = rows.csr
        writer["width"] = int(width)
        for name, array in (("starts", starts), ("features", features), ("values", values)):
            writer.array(name, array)
    else:
        writer.array("values", rows.data if len(rows) else np.empty((0, 0)))


def _read_rows(reader: Reader, lowest: int, rows_seen: int) -> Rows:
    ids = reader.integers("ids", lowest, max(rows_seen - 1, 0), None)
    reader.check(ids != STRUCTURE, "rows should have ids of rows")
    reader.check(len(np.unique(ids)) == len(ids), "rows should be stored once")
    data: Array | Csr
    if reader.flag("sparse"):
        data = _read_csr(reader, len(ids))
    else:
        data = reader.array("values", FLOATS, len(ids), None)
    squares = reader.array("squares", FLOATS, len(ids)) if reader.flag("squares_known") else None
    return rows_of(data, ids, squares)


def _read_csr(reader: Reader, rows: int) -> Csr:
    width = reader.integer("width", 0, LARGEST)
    starts = reader.array("starts", np.int64, rows + 1)
    features = reader.array("features", (np.int32, np.int64), None)
    values = reader.array("values", FLOATS, len(features))
    reader.check(starts[0] == 0 and starts[-1] == len(features), "rows should fill their arrays")
    reader.check(np.diff(starts) >= 0, "rows should follow each other")
    reader.check((features >= 0) & (features < width), "features should be those there are")
    rising = np.diff(features) > 0
    rising[starts[1:-1][(starts[1:-1] > 0) & (starts[1:-1] < len(features))] - 1] = True
    reader.check(rising, "the features of a row should rise")
    return Csr(starts, features, values, width)
