"""The games: what an answer is, when it is wrong, and what a wrong one corrects. One file, one game."""

from rosenblatt.games.binary import Binary
from rosenblatt.games.game import Game
from rosenblatt.games.multiclass import Argmax, OneVsRest
from rosenblatt.loops.compiling import compilable

__all__ = ["Argmax", "Binary", "Game", "OneVsRest", "compilable"]
