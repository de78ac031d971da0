"""Tagging: from a user's tokens and labels to a run of the sequence game, and back."""

from rosenblatt.tasks.tagging.settings import TaggingSettings
from rosenblatt.tasks.tagging.task import TaggingTask

__all__ = ["TaggingSettings", "TaggingTask"]
