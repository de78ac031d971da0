"""Checkpoints of out-of-core training, which `fit_blocks` of the estimators writes and resumes from."""

from rosenblatt.streaming.checkpoints import Checkpoints
from rosenblatt.tasks.plans import Position

__all__ = ["Checkpoints", "Position"]
