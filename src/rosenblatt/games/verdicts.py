"""The verdict of a judge, checked before it is used."""

from __future__ import annotations

import numpy as np

from rosenblatt._types import Array, Floats, Ints
from rosenblatt.games.game import Game
from rosenblatt.loops import checking
from rosenblatt.loops.compiling import is_ours

Verdict = tuple[int, float, bool, float]
"""How many entries were written, the margin, whether the answer is wrong, and the rival's cost."""

UNUSABLE: Verdict = (0, float("nan"), False, 1.0)

SENTENCES = {
    checking.COUNT: "returned {count} entries, and there is room for {most}",
    checking.MARGIN: "returned the margin {margin}, which must be finite (or ∞, if nothing can go wrong)",
    checking.COST: "returned the cost {cost}, which must be finite and at least 0",
    checking.ROW: "wrote an entry for row {row} of a round with {rows} rows (-1: a structure weight)",
    checking.OUTPUT: "wrote an entry for output {output} of a game with {outputs} outputs, counted from 0",
    checking.STRUCTURE: "wrote an entry for structure weight {output} of a game with {structure}, from 0 on",
    checking.AMOUNT: "wrote an entry with the amount {amount}, which must be finite",
}


def judged(
    game: Game, scores: Floats, structure: Floats, truth: Array, head: int, required: float,
    where: Ints, amount: Floats,
) -> Verdict:  # fmt: skip
    """Return the verdict of a game's judge; judges of this library are trusted.

    Raises ValueError if the judge raises or its verdict cannot be used. Where that is because scores are not
    finite, the margin is NaN instead.
    """
    arguments = (scores, structure, truth, head, required, where, amount)
    return game.judge(*arguments) if is_ours(game.judge) else verdict(game, *arguments)


def verdict(
    game: Game, scores: Floats, structure: Floats, truth: Array, head: int, required: float,
    where: Ints, amount: Floats,
) -> Verdict:  # fmt: skip
    """Return the verdict of any judge, checked as in `judged`."""
    try:
        count, margin, wrong, cost = game.judge(scores, structure, truth, head, required, where, amount)
        found = int(count), float(margin), bool(wrong), float(cost)
        rows, outputs = scores.shape
        fault, entry = checking.first_fault(*found, where, amount, rows, outputs, len(structure))
    except Exception as error:
        if not np.isfinite(scores).all():
            return UNUSABLE
        raise refused(game, f"raised {type(error).__name__}: {error}", truth, head) from error
    if fault == checking.FINE:
        return found
    if not np.isfinite(scores).all():
        return UNUSABLE
    values = {"count": found[0], "margin": found[1], "cost": found[3], "most": len(where)}
    values |= {"rows": rows, "outputs": outputs, "structure": len(structure)}
    if fault in (checking.ROW, checking.OUTPUT, checking.STRUCTURE, checking.AMOUNT):
        values |= {"row": where[entry, 0], "output": where[entry, 1], "amount": amount[entry]}
    raise refused(game, SENTENCES[fault].format(**values), truth, head)


def refused(game: Game, what: str, truth: Array, head: int) -> ValueError:
    """Return the error for the verdict of a judge, given a truth."""
    side = f" on head {head}" if game.heads > 1 else ""
    return ValueError(
        f"The judge of {game!r:.100} {what}. It was given the truth {truth.tolist()!r:.60}{side}. Correct "
        "it: rosenblatt.games.check finds such faults."
    )
