"""The estimators: runs of the learner under scikit-learn's contract, each in a module of its own.

Importing the package imports scikit-learn, without the modules that it loads and does not use.
"""

from rosenblatt.estimators.imports import import_sklearn

import_sklearn()
