"""The estimators: runs of the learner under scikit-learn's contract, each in a module of its own."""
