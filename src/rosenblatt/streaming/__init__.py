"""Out-of-core training: files of any length in blocks, with checkpoints from which a killed run resumes."""

from rosenblatt.streaming.checkpoints import Checkpoints, fit_blocks
from rosenblatt.tasks.training import Position

__all__ = ["Checkpoints", "Position", "fit_blocks"]
