"""
When a kernel helps
===================

Two half moons. A plane cannot go between them; a curve of degree 3 nearly can, and an RBF kernel follows them.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from rosenblatt import PerceptronClassifier, kernels

X, y = make_moons(600, noise=0.15, random_state=0)
a, b = np.meshgrid(np.linspace(-1.6, 2.6, 150), np.linspace(-1.2, 1.7, 150))
figure, panels = plt.subplots(1, 3, figsize=(11, 3.4), layout="constrained", sharey=True)
for axes, kernel in zip(panels, (None, kernels.Polynomial(3), kernels.RBF(sigma=0.5)), strict=True):
    learner = PerceptronClassifier(kernel, max_iter=20, random_state=0).fit(X[:300], y[:300])
    scores = learner.decision_function(np.column_stack([a.ravel(), b.ravel()])).reshape(a.shape)
    axes.contourf(a, b, np.sign(scores), levels=[-2, 0, 2], colors=["#dbe4f0", "#f6e3d3"])
    axes.scatter(*X[300:].T, c=np.where(y[300:], "C1", "C0"), s=8)
    right, mistakes = learner.score(X[300:], y[300:]), len(learner.ledger_.mistakes)
    axes.set_title(
        f"{kernel or 'no kernel'}\n{right:.0%} right, {mistakes} mistakes in {learner.n_iter_} epochs", size=9
    )
plt.show()
