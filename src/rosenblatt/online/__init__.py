"""The two-method online learners of the sources: predict, then learn, one example at a time."""

from rosenblatt.online.classifier import Classifier
from rosenblatt.online.ranker import Ranker
from rosenblatt.online.tagger import Tagger

__all__ = ["Classifier", "Ranker", "Tagger"]
