"""scikit-learn's checks of estimators, on the ranker and the tagger.

The checks fit and score rows with labels, so the ranker is given one list of all rows, and the tagger a
sequence of one token for every row. No check is expected to fail.
"""

import numpy as np
import scipy.sparse as sp
from sklearn.utils.estimator_checks import parametrize_with_checks

from rosenblatt import PerceptronRanker, PerceptronTagger


class RankerOfOneList(PerceptronRanker):
    """The ranker, to which all rows are one list."""

    def fit(self, X, y=None):
        return super().fit(X, y, qid=None if y is None else np.zeros(np.shape(y)[0], int))

    def partial_fit(self, X, y=None):
        return super().partial_fit(X, y, qid=None if y is None else np.zeros(np.shape(y)[0], int))

    def score(self, X, y):
        return super().score(X, y, qid=np.zeros(np.shape(y)[0], int))


def tokens(X):
    X = X.tocsr() if sp.issparse(X) else np.asarray(X)
    return [X[[i]] for i in range(X.shape[0])]


class TaggerOfSingleTokens(PerceptronTagger):
    """The tagger, to which every row is a sequence of one token."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array, tags.input_tags.one_d_array = True, False
        tags.input_tags.sparse = True
        return tags

    def fit(self, X, y=None):
        return super().fit(tokens(X), None if y is None else [[label] for label in y])

    def partial_fit(self, X, y=None):
        return super().partial_fit(tokens(X), None if y is None else [[label] for label in y])

    def predict(self, X):
        return np.array([path[0] for path in super().predict(tokens(X))])

    def score(self, X, y):
        return float(np.mean(self.predict(X) == y))


@parametrize_with_checks(
    [
        RankerOfOneList(random_state=0),
        RankerOfOneList(strategy="top", random_state=0),
        TaggerOfSingleTokens(random_state=0),
    ]
)
def test_ranker_and_tagger_pass_scikit_learns_checks(estimator, check):
    check(estimator)
