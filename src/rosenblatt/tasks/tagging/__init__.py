"""A run of the sequence game, and what stands between it and a user's tokens and labels."""

from rosenblatt.tasks.tagging.labeller import Labeller, begin_reading, left_out
from rosenblatt.tasks.tagging.task import Task

__all__ = ["Labeller", "Task", "begin_reading", "left_out"]
