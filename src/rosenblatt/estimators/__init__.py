"""The estimators: scikit-learn's contract over runs of the learner."""

from rosenblatt.estimators.imports import import_sklearn

import_sklearn()

from rosenblatt.estimators.classifier import PerceptronClassifier  # noqa: E402
from rosenblatt.estimators.tagger import PerceptronTagger  # noqa: E402

__all__ = ["PerceptronClassifier", "PerceptronTagger"]
