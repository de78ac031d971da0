"""The games: what an answer is, when it is wrong, and what a wrong one corrects. One file, one game."""

from rosenblatt.games.binary import Binary
from rosenblatt.games.game import NO_OFFSETS, Game, most_entries
from rosenblatt.games.multiclass import Argmax, OneVsRest
from rosenblatt.games.ranking import Ranking
from rosenblatt.games.sequence import Sequence
from rosenblatt.loops.compiling import compilable

__all__ = [
    "NO_OFFSETS",
    "Argmax",
    "Binary",
    "Game",
    "OneVsRest",
    "Ranking",
    "Sequence",
    "compilable",
    "most_entries",
]
