"""The games: what an answer is, when it is wrong, and what is corrected then. One file, one game."""

from rosenblatt.games.binary import Binary
from rosenblatt.games.checks import check
from rosenblatt.games.game import NO_STRUCTURE, Game
from rosenblatt.games.multiclass import Argmax, OneVsRest
from rosenblatt.games.multilabel import MultiLabel
from rosenblatt.games.ranking import Ranking
from rosenblatt.games.registry import register
from rosenblatt.games.sequence import Sequence
from rosenblatt.loops.compiling import compilable

__all__ = [
    "NO_STRUCTURE",
    "Argmax",
    "Binary",
    "Game",
    "MultiLabel",
    "OneVsRest",
    "Ranking",
    "Sequence",
    "check",
    "compilable",
    "register",
]
