"""What the page is told of a match, as JSON's values."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt._types import Array, Floats
from rosenblatt.arena.contests import Classification, Contest, Move, Sequences
from rosenblatt.arena.match import Match
from rosenblatt.arena.proof import prove, prove_by_own
from rosenblatt.arena.records import contest_values, learner_values, rules_values
from rosenblatt.arena.server.hindsight import for_a_picture, guesses
from rosenblatt.engine import predictors
from rosenblatt.engine.hypotheses import Primal
from rosenblatt.engine.replay import replayed
from rosenblatt.ledger import STRUCTURE
from rosenblatt.rows import Rows
from rosenblatt.theory.explanations import parts

CELLS = 20_000_000
"""Similarities behind one surface at most, a quarter of them by sample: else it has fewer cells."""


def whole(match: Match) -> dict[str, Any]:
    """The match, with every number that is drawn."""
    ledger = match.run.ledger
    return {
        "contest": contest_values(match.contest),
        "rules": None if match.rules is None else rules_values(match.rules),
        "learner": learner_values(match.learner),
        "rounds": [
            {
                "guess": round.guess,
                "move": _shown(match.contest, round.move),
                "scores": list(round.scores),
                "answer": round.answer,
                "wrong": round.wrong,
                "corrected": round.corrected,
            }
            for round in match.rounds
        ],
        "places": _places(match).tolist(),
        "guesses": _guesses(match).tolist(),
        "survived": ledger.survived.tolist(),
        "proof": _proof(match),
    }


def _shown(contest: Contest, move: Move) -> list[Any]:
    """A move; of a point that has too many numbers to be drawn, only the label."""
    if isinstance(contest, Classification) and contest.features > 2:
        return [None, move.y]
    return contest.to_values(move)


def _places(match: Match) -> Floats:
    """Where each example is drawn: where it is, or how far along u and how far aside."""
    if not isinstance(match.contest, Classification) or not match.rounds:
        return np.empty((0, 2))
    return _in_the_plane(match, np.array([round.move.x for round in match.rounds]))


def _guesses(match: Match) -> Floats:
    """Where the tip of each v_k is drawn."""
    if isinstance(match.contest, Sequences) or not isinstance(match.run.hypothesis, Primal):
        return np.empty((0, 2))
    found = guesses(match.run)
    return np.zeros((1, 2)) if not found.shape[1] else _in_the_plane(match, found)


def _in_the_plane(match: Match, vectors: Floats) -> Floats:
    if match.contest.features == 2 or match.rules is None:
        return np.pad(vectors[:, :2], ((0, 0), (0, max(0, 2 - vectors.shape[1]))))
    along = vectors @ np.array(match.rules.u)
    aside = np.maximum((vectors**2).sum(axis=1) - along**2, 0)
    return np.stack([along, np.sqrt(aside)], axis=1)


def _proof(match: Match) -> dict[str, Any] | None:
    """The numbers of the proof for every k; for B's own best direction where u is not known to the rows."""
    if not match.rounds:
        return None
    judged = match.rules is not None and isinstance(match.run.hypothesis, Primal)
    found = prove(match) if judged else prove_by_own(match)
    return {
        "progress": found.progress.tolist(),
        "floor": found.progress_floor.tolist(),
        "length": found.length_squared.tolist(),
        "ceiling": found.length_ceiling.tolist(),
        "bound": found.bound if np.isfinite(found.bound) else None,
        "separable": found.separable,
        "margin": found.margin,
        "deviation": found.deviation,
        "step": float(match.run.ledger.size.mean()) if len(match.run.ledger) else 1.0,
        "mistakes": found.mistakes,
        "direction": found.direction,
        "plain": found.plain,
        "radius": found.radius,
    }


def surface(match: Match, rounds: int, predictor: str, reach: float, side: int) -> Array:
    """The scores or votes of a predictor on a grid over [−reach, reach]², the first line at the top.

    By sample each cell is answered by a guess drawn for it.
    """
    run = for_a_picture(match.run, rounds)
    most = CELLS / 4 if predictor == "sample" else CELLS
    side = max(8, min(side, int(np.sqrt(most / max(1, len(run.hypothesis.support))))))
    along = ((np.arange(side) + 0.5) / side * 2 * reach - reach).astype(np.float32)
    grid = np.stack(np.meshgrid(along, -along), axis=-1).reshape(-1, 2)
    return _answers(run, Rows(grid), predictor).astype(np.float32).reshape(side, side)


def _answers(run: Any, rows: Rows, predictor: str) -> Floats:
    starts = np.arange(len(rows) + 1)
    if predictor == "vote":
        return predictors.votes(run, rows, starts)[:, 0]
    if predictor == "sample":
        return predictors.sampled(run, rows, starts, np.random.default_rng(0))[0][:, 0]
    return predictors.scores(run, rows, predictor)[0][:, 0]


def support(match: Match, rounds: int, predictor: str) -> list[tuple[int, float]]:
    """The rounds whose examples are stored, and what each counts for."""
    run = replayed(match.run, rounds)
    index, _, amount, _ = predictors.guess(run, predictors.single(predictor))
    return [(int(run.hypothesis.support.ids[p]), float(a)) for p, a in zip(index, amount, strict=True) if a]


def why(match: Match, rounds: int, predictor: str, x: list[float]) -> dict[str, Any]:
    """Which examples decided about a point: importance × similarity, the largest first."""
    run = replayed(match.run, rounds)
    asked = predictors.single(predictor)
    if not len(run.book):
        return {"predictor": asked, "score": 0.0, "parts": []}
    examples, importance, similarity, _ = parts(run, Rows(np.array([x])), asked, 0)
    products = importance * similarity
    lines = [
        {"round": int(e), "importance": float(a), "similarity": float(s), "product": float(p)}
        for e, a, s, p in zip(examples, importance, similarity, products, strict=True)
    ]
    return {"predictor": asked, "score": float(products.sum()), "parts": lines[:50]}


def lattice(match: Match, number: int) -> dict[str, Any]:
    """The scores that B's search saw in a round of the contest of sentences, and what it then added."""
    assert isinstance(match.contest, Sequences)
    round, labels = match.rounds[number], list(match.contest.labels)
    size = len(labels)
    before = replayed(match.run, number).hypothesis.structure
    inner, first, last = before[: size**2], before[size**2 : -size], before[-size:]
    return {
        "words": list(round.move.words),
        "labels": labels,
        "scores": np.reshape(round.scores, (-1, size)).tolist(),
        "pairs": inner.reshape(size, size).tolist(),
        "first": first.tolist(),
        "last": last.tolist(),
        "truth": list(round.move.labels),
        "answer": list(round.answer),
        "added": _added(match, number),
    }


def _added(match: Match, number: int) -> list[dict[str, Any]]:
    """What the correction of a round adds to words with labels, and to pairs of labels."""
    assert isinstance(match.contest, Sequences)
    if not match.rounds[number].corrected:
        return []
    ledger, labels = match.run.ledger, match.contest.labels
    k, size = match.rounds[number].guess, len(match.contest.labels)
    first = sum(len(round.move.words) for round in match.rounds[:number])
    lines: dict[str, float] = {}
    for row, output, amount in zip(
        *(column[ledger.correction == k].tolist() for column in (ledger.row, ledger.output, ledger.amount)),
        strict=True,
    ):
        if row == STRUCTURE:
            name = _pair(output, labels, size)
        else:
            name = f"{match.rounds[number].move.words[row - first]} / {labels[output]}"
        lines[name] = lines.get(name, 0.0) + amount
    return [{"what": name, "amount": amount} for name, amount in lines.items() if amount]


def _pair(offset: int, labels: tuple[str, ...], size: int) -> str:
    if offset < size**2:
        return f"{labels[offset // size]} → {labels[offset % size]}"
    index = offset - size**2
    return f"start → {labels[index]}" if index < size else f"{labels[index - size]} → end"
