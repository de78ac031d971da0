"""The payloads of responses about a match, as JSON's values."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt._types import Array, Floats
from rosenblatt.arena.contests import Classification, Contest, Move, Sequences
from rosenblatt.arena.match import Match
from rosenblatt.arena.proof import prove, prove_by_own
from rosenblatt.arena.records import contest_values, learner_values, rules_values
from rosenblatt.arena.server.replay import guesses, single_precision
from rosenblatt.engine import predictors
from rosenblatt.engine.replay import replayed
from rosenblatt.ledger import STRUCTURE
from rosenblatt.rows import Rows, rows_of
from rosenblatt.rules import Perceptron
from rosenblatt.theory.explanations import parts

CELLS = 20_000_000
"""Similarities computed for one surface at most, a quarter of them by sample; beyond, it has fewer cells."""


def of_match(match: Match) -> dict[str, Any]:
    """Return the match, with every number that is drawn."""
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
        "positions": _positions(match).tolist(),
        "guesses": _guesses(match).tolist(),
        "survived": ledger.survived.tolist(),
        "proof": _proof(match),
    }


def _shown(contest: Contest, move: Move) -> list[Any]:
    """Return a move as JSON's values; of a point with more than 2 features, only the label."""
    if isinstance(contest, Classification) and contest.features > 2:
        return [None, move.y]
    return contest.to_values(move)


def _positions(match: Match) -> Floats:
    """Return (x₁, x₂) of each example; in more dimensions its component along u and its distance from u."""
    if not isinstance(match.contest, Classification) or not match.rounds:
        return np.empty((0, 2))
    return _in_the_plane(match, np.array([round.move.x for round in match.rounds]))


def _guesses(match: Match) -> Floats:
    """Return where the tip of each v_k is drawn."""
    if isinstance(match.contest, Sequences) or match.run.primal is None:
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
    """Return the proof's numbers for every k: for the rules' u if B is linear, else for a guess of B."""
    if not match.rounds:
        return None
    judged = match.rules is not None and match.run.primal is not None
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
        "theorem": found.theorem,
        "meet": found.separable or isinstance(match.run.rule, Perceptron),
        "radius": found.radius,
    }


def surface(match: Match, rounds: int, predictor: str, reach: float, side: int) -> Array:
    """Return the scores or votes of a predictor on a grid over [−reach, reach]², the first row at the top.

    With "sample" a guess is drawn for each cell.
    """
    run = single_precision(match.run, rounds)
    most = CELLS / 4 if predictor == "sample" else CELLS
    side = max(8, min(side, int(np.sqrt(most / max(1, len(run.support))))))
    along = ((np.arange(side) + 0.5) / side * 2 * reach - reach).astype(np.float32)
    grid = np.stack(np.meshgrid(along, -along), axis=-1).reshape(-1, 2)
    return _answers(run, rows_of(grid), predictor).astype(np.float32).reshape(side, side)


def _answers(run: Any, rows: Rows, predictor: str) -> Floats:
    found: Floats = run.guess(predictor, np.random.default_rng(0)).scores(rows).scores[:, 0]
    return found


def support(match: Match, rounds: int, predictor: str) -> list[tuple[int, float]]:
    """Return the rounds whose examples are in the support set, each with its importance."""
    run = replayed(match.run, rounds)
    index, _, amount = run.single_guess(predictors.single(predictor)).entries
    return [(int(run.support.ids[p]), float(a)) for p, a in zip(index, amount, strict=True) if a]


def why(match: Match, rounds: int, predictor: str, x: list[float]) -> dict[str, Any]:
    """Return the examples behind the score of a point: importance × similarity, the largest first."""
    run = replayed(match.run, rounds)
    name = predictors.single(predictor)
    if not len(run.book):
        return {"predictor": name, "score": 0.0, "parts": []}
    examples, importance, similarity, _ = parts(run, rows_of(np.array([x])), name, 0)
    products = importance * similarity
    shown = [
        {"round": int(e), "importance": float(a), "similarity": float(s), "product": float(p)}
        for e, a, s, p in zip(examples, importance, similarity, products, strict=True)
    ]
    return {"predictor": name, "score": float(products.sum()), "parts": shown[:50]}


def lattice(match: Match, index: int) -> dict[str, Any]:
    """Return the lattice of a round on a sentence: B's scores, both paths, and the correction."""
    assert isinstance(match.contest, Sequences)
    round, labels = match.rounds[index], list(match.contest.labels)
    size = len(labels)
    before = replayed(match.run, index).hypothesis.structure
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
        "added": _added(match, index),
    }


def _added(match: Match, index: int) -> list[dict[str, Any]]:
    """Return what the correction of a round adds to words with labels, and to pairs of labels."""
    assert isinstance(match.contest, Sequences)
    if not match.rounds[index].corrected:
        return []
    ledger, labels = match.run.ledger, match.contest.labels
    k, size = match.rounds[index].guess, len(match.contest.labels)
    first = sum(len(round.move.words) for round in match.rounds[:index])
    added: dict[str, float] = {}
    for row, output, amount in zip(
        *(column[ledger.correction == k].tolist() for column in (ledger.row, ledger.output, ledger.amount)),
        strict=True,
    ):
        if row == STRUCTURE:
            name = _pair(output, labels, size)
        else:
            name = f"{match.rounds[index].move.words[row - first]} / {labels[output]}"
        added[name] = added.get(name, 0.0) + amount
    return [{"what": name, "amount": amount} for name, amount in added.items() if amount]


def _pair(weight: int, labels: tuple[str, ...], size: int) -> str:
    """Return the pair of labels that a structure weight belongs to, by its index."""
    if weight < size**2:
        return f"{labels[weight // size]} → {labels[weight % size]}"
    label = weight - size**2
    return f"start → {labels[label]}" if label < size else f"{labels[label - size]} → end"
