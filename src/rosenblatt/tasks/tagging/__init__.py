"""Tagging: from a user's tokens and labels to a run of the sequence game, and back."""

from rosenblatt.tasks.tagging.labeller import Labeller, begin_reading, left_out
from rosenblatt.tasks.tagging.task import Task

__all__ = ["Labeller", "Task", "begin_reading", "left_out"]
