"""The estimators: scikit-learn's contract over runs of the learner, each in a module of its own.

Importing the package imports scikit-learn, without what it does not use.
"""

from rosenblatt.estimators.imports import import_sklearn

import_sklearn()
