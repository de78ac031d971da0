"""Checkpoints, from which a killed run resumes."""

from __future__ import annotations

from dataclasses import asdict
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt.estimators.base import positive_integer
from rosenblatt.persistence import Model, ModelError, load_model, save
from rosenblatt.tasks.plans import Position


class Checkpoints:
    """The checkpoint file of a run, written every n rounds, from which the run can resume.

    Parameters
    ----------
    path
        The path of the file.
    every
        How many rounds lie between two checkpoints.
    about
        The data and options of the run, as values that JSON can hold: only a run with equal ones resumes.
    """

    def __init__(self, path: str | PathLike[str], every: int, about: dict[str, Any]) -> None:
        positive_integer("every", every)
        self.path = Path(fspath(path))
        self.every = every
        self.about = about
        self._last = self._rounds = 0

    def room(self) -> int:
        """How many rounds may be played until the next checkpoint."""
        return self.every - (self._rounds - self._last)

    @property
    def saved(self) -> int:
        """The rounds of the run in the last checkpoint; 0 before the first."""
        return self._last

    def after(self, estimator: Any, position: Position) -> None:
        """Take note of the rounds that were just played, and write a checkpoint if one is due."""
        self._rounds = estimator.run_.book.rounds
        if self.room() <= 0:
            save(estimator, self.path, {"position": asdict(position), "about": self.about})
            self._last = self._rounds

    def found(self) -> tuple[Any, Position] | None:
        """Return the estimator and the position to resume from; None if there is no file."""
        if not self.path.exists():
            return None
        try:
            model = load_model(self.path)
        except ModelError as broken:
            raise ModelError(f"{broken} It is the checkpoint of this run: delete it to restart.") from None
        if model.notes.get("about") != self.about:
            raise ValueError(
                f"{self.path} is the checkpoint of a run with other data or options, and cannot be resumed. "
                "Give the same data and options, or delete it to restart."
            )
        position = _position(model, self.path)
        self._last = self._rounds = model.estimator.run_.book.rounds
        return model.estimator, position

    def done(self) -> None:
        """Delete the file: the run is complete."""
        self.path.unlink(missing_ok=True)


def _position(model: Model, path: Path) -> Position:
    try:
        position = Position(**model.notes["position"])
        np.random.default_rng(0).bit_generator.state = position.random  # type: ignore[assignment]
    except (KeyError, TypeError, ValueError):
        raise ValueError(f"{path} is not a checkpoint: it holds no position to resume from.") from None
    return position
