"""Learning from files of any length, block by block, and from where a killed run was."""

from rosenblatt.streaming.feeds import feed_of
from rosenblatt.streaming.playing import Checkpoints, Place, fit_blocks

__all__ = ["Checkpoints", "Place", "feed_of", "fit_blocks"]
