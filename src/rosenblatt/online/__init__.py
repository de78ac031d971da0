"""The two-method learners of the sources: ask, then tell, one example at a time."""

from rosenblatt.online.classifier import Classifier
from rosenblatt.online.ranker import Ranker
from rosenblatt.online.tagger import Tagger

__all__ = ["Classifier", "Ranker", "Tagger"]
