"""Plots of runs, with matplotlib: each function takes an axis, or makes one, and returns it."""

from rosenblatt.plot.answers import confusion
from rosenblatt.plot.epochs import error_by_predictor
from rosenblatt.plot.proofs import proof
from rosenblatt.plot.runs import mistakes, survival
from rosenblatt.plot.surfaces import decision_surface
from rosenblatt.plot.taggers import reasons, transitions

__all__ = [
    "confusion",
    "decision_surface",
    "error_by_predictor",
    "mistakes",
    "proof",
    "reasons",
    "survival",
    "transitions",
]
