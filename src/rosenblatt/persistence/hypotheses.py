"""Guesses in a model file: weights, or stored rows with what each counts for."""

from __future__ import annotations

import numpy as np

from rosenblatt import kernels
from rosenblatt._types import Array, Floats
from rosenblatt.budgets import Budget
from rosenblatt.engine.hypotheses import Budgeted, Dual, Hypothesis, Primal
from rosenblatt.games import Game
from rosenblatt.ledger import OFFSET
from rosenblatt.persistence.fields import LARGEST, Fields, Sheet
from rosenblatt.persistence.kernels import kernel_text, parsed
from rosenblatt.rows import Csr, Rows

FLOATS = (np.float64, np.float32)


def write_guess(sheet: Sheet, guess: Hypothesis) -> None:
    """A guess of any kind."""
    sheet["constant"] = float(guess.memory.constant)
    sheet.array("offsets", guess.offsets)
    if isinstance(guess, Primal):
        _write_primal(sheet, guess)
    else:
        sheet["kind"] = "budgeted" if isinstance(guess, Budgeted) else "dual"
        sheet["kernel"] = kernel_text(guess.memory.kernel)
    if isinstance(guess, Dual):
        sheet.array("coefficients", guess.coefficients)
    if isinstance(guess, Budgeted):
        _write_remembered(sheet.sheet("remembered"), guess)
    if guess.keep:
        _write_rows(sheet.sheet("rows"), guess.memory.rows)
    sheet["follows_recent"] = guess.recent is not None
    if guess.recent is not None:
        _write_recent(sheet.sheet("recent"), guess)


def read_guess(fields: Fields, game: Game, rows_seen: int) -> Hypothesis:
    """The same back, for this game."""
    constant = fields.number("constant")
    fields.check(constant in (0.0, 1.0), "constant should be 0 or 1")
    offsets = _read_offsets(fields, game, len(game.offsets))
    kind = fields.one_of("kind", ("primal", "dual", "budgeted"))
    if kind == "primal":
        guess: Hypothesis = _read_primal(fields, game, constant, offsets)
    elif kind == "dual":
        guess = Dual(parsed(fields, "kernel", kernels.parse), constant, game.outputs, offsets)
    else:
        guess = _read_budgeted(fields, game, constant, offsets)
    if fields.flag("follows_recent"):
        guess.follow_recent(game.tracks)
    if guess.keep:
        lowest = -LARGEST if isinstance(guess, Budgeted) else 0
        rows = _read_rows(fields.sheet("rows"), lowest, rows_seen)
        if isinstance(guess, Primal):
            fits = rows.width is not None and rows.width < len(guess.weights)
            fields.check(fits, "rows should fit the weights")
        if isinstance(guess, Budgeted):
            fields.check(
                len(rows) <= guess.budget.size, "there should be no more rows than the budget allows"
            )
        if len(rows):
            guess.memory.keep(rows)
    if isinstance(guess, Dual):
        guess.coefficients = fields.array("coefficients", np.float64, len(guess.memory), game.outputs)
    elif isinstance(guess, Budgeted):
        _read_remembered(fields.sheet("remembered"), guess, game)
    if guess.recent is not None:
        _read_recent(fields.sheet("recent"), guess)
    return guess


def _write_recent(sheet: Sheet, guess: Hypothesis) -> None:
    """What the predictor `recent` needs; with a budget its sums are among the guesses."""
    recent = guess.recent
    assert recent is not None
    for name in ("since", "behind", "offsets"):
        sheet.array(name, getattr(recent, name))
    if not isinstance(guess, Budgeted):
        sheet.array("sums", recent.sums if isinstance(guess, Primal) else recent.sums[: len(guess.memory)])


def _read_recent(fields: Fields, guess: Hypothesis) -> None:
    recent = guess.recent
    assert recent is not None
    for name in ("since", "behind"):
        setattr(recent, name, fields.integers(name, 0, LARGEST, len(recent.since)))
    recent.offsets = fields.array("offsets", np.float64, len(recent.offsets))
    if not isinstance(guess, Budgeted):
        rows = len(guess.weights) if isinstance(guess, Primal) else len(guess.memory)
        recent.sums = fields.array("sums", np.float64, rows, guess.outputs)


def _read_offsets(fields: Fields, game: Game, *shape: int) -> Floats:
    offsets = fields.array("offsets", np.float64, *shape, finite=False)
    forbidden = game.offsets == -np.inf
    fields.check(
        np.isfinite(offsets) != forbidden, "offsets should be numbers, but where pairs are forbidden"
    )
    return offsets


def _write_primal(sheet: Sheet, guess: Primal) -> None:
    sheet["kind"] = "primal"
    sheet["keep"] = bool(guess.keep)
    sheet["started"] = guess.start is not None
    sheet["exact_up_to"] = None if guess.most == np.inf else guess.most
    sheet.array("weights", guess.weights)
    sheet.array("delayed", guess.delayed)
    if guess.start is not None:
        sheet.array("start", guess.start)


def _read_primal(fields: Fields, game: Game, constant: float, offsets: Floats) -> Primal:
    weights = fields.array("weights", FLOATS, None, game.outputs)
    fields.check(len(weights) >= 1, "weights should have a line for the constant")
    shape = weights.shape
    start = fields.array("start", np.float64, *shape) if fields.flag("started") else None
    guess = Primal(0, game.outputs, constant, offsets, fields.flag("keep"), start)
    guess.weights, guess.delayed = weights, fields.array("delayed", np.float64, *shape)
    guess.most = fields.number("exact_up_to") if "exact_up_to" in fields else np.inf
    return guess


def _write_remembered(sheet: Sheet, guess: Budgeted) -> None:
    size, budget = len(guess.memory), guess.budget
    sheet["budget"] = {
        "size": budget.size, "policy": budget.policy, "tolerance": budget.tolerance, "seed": budget.seed
    }  # fmt: skip
    sheet["stored"], sheet["merged"], sheet["ridge"] = int(guess.stored), guess.merged, float(guess.ridge)
    sheet.array("guesses", guess.guesses[:size])
    sheet.array("offsets", guess.guess_offsets)
    sheet.array("matrix", guess.matrix[:size, :size])
    sheet.array("age", guess.age[:size])
    for name in ("order", "rounds", "longest", "since"):
        sheet.array(name, getattr(guess, name))


def _read_budgeted(fields: Fields, game: Game, constant: float, offsets: Floats) -> Budgeted:
    found = fields.sheet("remembered").sheet("budget")
    try:
        budget = Budget(
            found.whole("size", 2), found.text("policy"), found.number("tolerance"), found.whole("seed")
        )
        return Budgeted(
            parsed(fields, "kernel", kernels.parse), constant, game.outputs, offsets, game.tracks, budget
        )
    except ValueError as wrong:
        fields.refuse(f"the budget should be one ({wrong!s:.200})")


def _read_remembered(fields: Fields, guess: Budgeted, game: Game) -> None:
    size, shape = len(guess.memory), guess.guesses.shape
    guess.make_room(size)
    guess.guesses[:size] = fields.array("guesses", np.float64, size, *shape[1:])
    guess.guess_offsets = _read_offsets(fields, game, *guess.guess_offsets.shape)
    known = size if guess.matrix.size else 0
    guess.matrix[:known, :known] = fields.array("matrix", np.float64, known, known)
    guess.age[:size] = fields.integers("age", 0, LARGEST, size)
    guess.stored, guess.merged = fields.whole("stored"), fields.whole("merged")
    guess.ridge = fields.number("ridge")
    guess.order = fields.integers("order", -1, guess.order.shape[1] - 1, *guess.order.shape)
    for line in guess.order:
        used = line[line >= 0]
        fields.check(
            (line[: len(used)] >= 0) & (len(set(used.tolist())) == len(used)), "groups should be in order"
        )
    for name in ("rounds", "longest", "since"):
        setattr(guess, name, fields.array(name, np.float64, *getattr(guess, name).shape))


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


def _read_rows(fields: Fields, lowest: int, rows_seen: int) -> Rows:
    ids = fields.integers("ids", lowest, max(rows_seen - 1, 0), None)
    fields.check(ids != OFFSET, "rows should have numbers of rows")
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
