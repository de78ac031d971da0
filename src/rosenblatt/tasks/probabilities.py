"""Probabilities: what scores of a classification task are calibrated, and when they can be."""

from __future__ import annotations

import numpy as np

from rosenblatt._types import Floats
from rosenblatt.data.blocks import Block
from rosenblatt.games import Argmax, Binary, Game, MultiLabel, OneVsRest
from rosenblatt.rows import Rows
from rosenblatt.tasks.classification import ClassificationTask, check_classes, encode
from rosenblatt.tasks.weights import weights_of_rows
from rosenblatt.theory.calibration import Calibration, fitted, log_odds


def check_probabilities(predictor: str, game: str | Game) -> None:
    """Raise ValueError unless the scores of a predictor in a game can become probabilities."""
    if predictor == "sample":
        raise ValueError(
            "The predictor 'sample' draws a guess for every row, whose score says nothing of probabilities. "
            "Choose another, such as 'average'."
        )
    if isinstance(game, MultiLabel):
        raise ValueError(
            "Probabilities of classes exclude each other. Got sets of labels: use the scores of "
            "decision_function, one per label."
        )
    if not isinstance(game, str | Binary | Argmax | OneVsRest):
        raise ValueError(
            "Probabilities are made of a score for every class, of which the highest wins. Got the game "
            f"{game!r:.100}: use 'argmax' or 'ovr', or the scores of decision_function."
        )


def evidence(task: ClassificationTask, rows: Rows, predictor: str) -> Floats:
    """Return what is calibrated: the scores, or the log-odds of the shares of a vote."""
    found = task.scores(rows, predictor)
    if predictor != "vote":
        return found
    return log_odds(2 * found - 1 if isinstance(task.run.game, Argmax) else found)


def calibration(task: ClassificationTask, block: Block, predictor: str) -> Calibration:
    """Return what turns scores of a predictor into probabilities, from examples not learned from."""
    check_probabilities(predictor, task.run.game)
    check_classes(task.classes, task.ties)
    truths = encode(block.y, task.classes).astype(np.int64)
    if len(task.classes) == 2 and len(np.unique(truths)) < 2:
        only = task.classes.tolist()[truths[0]]
        raise ValueError(f"Calibration needs examples of both classes. Got some of {only!r} only: give more.")
    given = block.sample_weight
    weights = None if given is None else weights_of_rows(truths, task.classes, given, None)
    return fitted(evidence(task, task.rows(block.X), predictor), truths, weights)
