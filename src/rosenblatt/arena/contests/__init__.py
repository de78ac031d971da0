"""Three contests between A and B: points, lists and sentences."""

from rosenblatt.arena.contests.classification import Classification, Point
from rosenblatt.arena.contests.contest import Contest, Move, margin_by, split
from rosenblatt.arena.contests.ranking import Choice, Ranking
from rosenblatt.arena.contests.sequences import Sentence, Sequences, little_language

__all__ = [
    "Choice",
    "Classification",
    "Contest",
    "Move",
    "Point",
    "Ranking",
    "Sentence",
    "Sequences",
    "little_language",
    "margin_by",
    "split",
]
