"""The perceptron game: players, a referee, a match and its transcript."""

from rosenblatt.arena.contests import (
    Choice,
    Classification,
    Point,
    Ranking,
    Sentence,
    Sequences,
    little_language,
)
from rosenblatt.arena.datasets import points, rules_for
from rosenblatt.arena.learners import Learner
from rosenblatt.arena.match import Match, Strategy
from rosenblatt.arena.proof import Proof, certificate, prove
from rosenblatt.arena.records import from_json, load, save, to_json
from rosenblatt.arena.referee import Referee
from rosenblatt.arena.rules import IllegalMove, Rules
from rosenblatt.arena.strategies import Greedy, Orthogonal, Person, Random, Repeated, Replay
from rosenblatt.arena.transcript import Round, Transcript

__all__ = [
    "Choice",
    "Classification",
    "Greedy",
    "IllegalMove",
    "Learner",
    "Match",
    "Orthogonal",
    "Person",
    "Point",
    "Proof",
    "Random",
    "Ranking",
    "Referee",
    "Repeated",
    "Replay",
    "Round",
    "Rules",
    "Sentence",
    "Sequences",
    "Strategy",
    "Transcript",
    "certificate",
    "from_json",
    "little_language",
    "load",
    "points",
    "prove",
    "rules_for",
    "save",
    "to_json",
]
