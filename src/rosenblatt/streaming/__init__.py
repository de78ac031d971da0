"""Out-of-core training: files of any length in blocks, with checkpoints from which a killed run resumes."""

from rosenblatt.streaming.feeds import feed_of
from rosenblatt.streaming.training import Checkpoints, Position, fit_blocks

__all__ = ["Checkpoints", "Position", "feed_of", "fit_blocks"]
