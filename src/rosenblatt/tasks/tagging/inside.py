"""Inspection of a tagger: feature weights, transition scores, and why a token got its label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt._types import Floats
from rosenblatt.features import Tokens
from rosenblatt.rows import Rows, rows_of
from rosenblatt.tasks.tagging.task import TaggingTask
from rosenblatt.theory import explanations


@dataclass(frozen=True)
class Reason:
    """A contribution to the lead of a label over its rival, and its amount."""

    name: str
    amount: float


@dataclass(frozen=True)
class TokenExplanation:
    """Why a token has its label and not the next best one, while its neighbours keep theirs.

    Parameters
    ----------
    token
        The token.
    label, rival
        The label that it got, and the next best one.
    ahead
        The score of the path less that of the path with the rival at this token.
    reasons
        The contributions, the largest first: features or, with a kernel, stored tokens, and the transitions
        from and to the neighbours. They add up to `ahead`.
    """

    token: Any
    label: Any
    rival: Any
    ahead: float
    reasons: tuple[Reason, ...]

    def __str__(self) -> str:
        return self.table()

    def table(self, most: int = 10) -> str:
        """The largest reasons as text."""
        lines = [f"{self.token!s} is {self.label!s} rather than {self.rival!s}, by {self.ahead:+.5g}:"]
        lines += [f"{reason.amount:>+11.5g}  {reason.name}" for reason in self.reasons[:most]]
        if len(self.reasons) > most:
            rest = sum(reason.amount for reason in self.reasons[most:])
            lines.append(f"{rest:>+11.5g}  {len(self.reasons) - most} more")
        return "\n".join(lines)


def explain(task: TaggingTask, predictor: str, sequence: Any, index: int) -> TokenExplanation:
    """Explain why a token of a sequence got its label."""
    tokens = task.encode([sequence], predictor)
    length = int(tokens.lengths[0])
    if not -length <= index < length:
        raise ValueError(f"The sequence has {length} tokens, from 0 to {length - 1}. Got token {index}.")
    index %= length
    lattice = task.lattice(tokens, predictor)
    path, _ = lattice.best()
    totals = np.array(
        [_total(task, lattice.scores, lattice.structure[0], path, index, c) for c in task.numbers]
    )
    if len(totals) == 1:
        raise ValueError("There is only one label, and so no other that it could be.")
    label = int(path[index])
    rival = int(np.argmax(np.where(np.arange(len(totals)) == label, -np.inf, totals)))
    if totals[rival] == -np.inf:
        raise ValueError(
            f"Between its neighbours no other label than {task.labels[label]!r} is allowed, to compare "
            "it with. Ask n_best for other paths."
        )
    reasons = _on_rows(task, predictor, tokens, path, index, label, rival)
    reasons += _on_pairs(task, lattice.structure[0], path, index, label, rival)
    ahead = float(totals[label] - totals[rival])
    ordered = tuple(sorted((r for r in reasons if r.amount), key=lambda reason: -abs(reason.amount)))
    return TokenExplanation(sequence[index], task.labels[label], task.labels[rival], ahead, ordered)


def _passed(task: TaggingTask, path: Any, index: int, label: int) -> list[tuple[int, int]]:
    """The rows and outputs that a path with a label at this index passes: token and edges."""
    found, length = [(index, label)], len(path)
    if task.game.pairs == "seen":
        if index > 0:
            found.append((length + (index - 1) * len(task.labels) + int(path[index - 1]), label))
        if index < length - 1:
            found.append((length + index * len(task.labels) + label, int(path[index + 1])))
    return found


def _pairs(task: TaggingTask, path: Any, index: int, label: int) -> list[tuple[str, int]]:
    """The names and indices of the structure weights that such a path passes."""
    labels, length = len(task.labels), len(path)
    before = int(path[index - 1]) * labels + label if index > 0 else labels * labels + label
    after = label * labels + int(path[index + 1]) if index < length - 1 else labels * (labels + 1) + label
    names = task.labels
    return [
        (f"after {names[path[index - 1]]}" if index > 0 else "at the beginning", before),
        (f"before {names[path[index + 1]]}" if index < length - 1 else "at the end", after),
    ]


def _total(task: TaggingTask, scores: Floats, structure: Floats, path: Any, index: int, label: int) -> float:
    """The part of the path's score that depends on the label at this index."""
    on_rows = sum(scores[row, output] for row, output in _passed(task, path, index, label))
    return float(on_rows + sum(structure[i] for _, i in _pairs(task, path, index, label)))


def _on_pairs(
    task: TaggingTask, structure: Floats, path: Any, index: int, label: int, rival: int
) -> list[Reason]:
    mine, others = (_pairs(task, path, index, each) for each in (label, rival))
    return [
        Reason(name, float(structure[a] - structure[b]))
        for (name, a), (_, b) in zip(mine, others, strict=True)
    ]


def _on_rows(
    task: TaggingTask, predictor: str, tokens: Tokens, path: Any, index: int, label: int, rival: int
) -> list[Reason]:
    """The contributions of the rows' features, or of the stored rows if there is a kernel."""
    amounts: dict[str, float] = {}
    rows, constant = rows_of(tokens.rows), task.run.support.constant
    for each, sign in ((label, 1.0), (rival, -1.0)):
        for row, output in _passed(task, path, index, each):
            for name, amount in _of_row(task, predictor, rows.take(slice(row, row + 1)), output, constant):
                amounts[name] = amounts.get(name, 0.0) + sign * amount
    return [Reason(name, amount) for name, amount in amounts.items()]


def _of_row(
    task: TaggingTask, predictor: str, row: Rows, output: int, constant: float
) -> list[tuple[str, float]]:
    if task.is_dual:
        ids, importance, similarity, _ = explanations.parts(task.run, row, predictor, output)
        return [(f"stored token {i}", a) for i, a in zip(ids, importance * similarity, strict=True)]
    weights = task.run.single_guess(predictor).weights
    names = task.names
    if row.sparse:
        _, features, values, _ = row.csr
        known = features >= 0
        features, values = features[known], values[known]
    else:
        features, values = np.flatnonzero(row.data[0]), row.data[0][row.data[0] != 0]
    found = [(names[f], float(v * weights[f, output])) for f, v in zip(features, values, strict=True)]
    return [*found, ("any token", float(constant * weights[-1, output]))]


def top_features(task: TaggingTask, predictor: str, label: Any, n: int) -> list[tuple[str, float]]:
    """The features with the highest weights for a label."""
    if label not in task.number:
        raise ValueError(f"The labels are {task.labels!r}. Got {label!r}.")
    weights = task.run.single_guess(predictor).weights
    mine, names = weights[: len(task.names), task.number[label]], task.names
    order = np.argsort(-mine, kind="stable")[:n]
    return [(names[feature], float(mine[feature])) for feature in order if mine[feature] != 0]


def transitions(task: TaggingTask, predictor: str) -> Floats:
    """The scores of pairs of labels (labels + 1 × labels + 1); the last row is before the first label.

    The last column is after the last label; forbidden pairs are −∞, and the last cell is NaN.
    """
    labels = len(task.labels)
    structure = task.run.single_guess(predictor).structure
    result = np.full((labels + 1, labels + 1), np.nan)
    result[:-1, :-1] = structure[: labels * labels].reshape(labels, labels)
    result[-1, :-1] = structure[labels * labels : labels * (labels + 1)]
    result[:-1, -1] = structure[labels * (labels + 1) :]
    return result
