"""The estimators: scikit-learn's contract over runs of the learner."""

from rosenblatt.estimators.classifier import PerceptronClassifier

__all__ = ["PerceptronClassifier"]
