"""
XOR, which no line separates
============================

Four points, the opposite corners of a square being of one class. No line separates the two classes; a curve of degree 2
does, and the quadratic kernel finds one.
"""

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import PerceptronClassifier, kernels

X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([-1, 1, 1, -1])
learner = PerceptronClassifier(kernels.Polynomial(2), predictor="last", shuffle=False).fit(X, y)
print(learner.predict(X))
print(learner.ledger_)

# %%
# The guess is a sum over the four points: how often each was added, times the kernel. Where it is 0 is the boundary.

a, b = np.meshgrid(np.linspace(-0.5, 1.5, 201), np.linspace(-0.5, 1.5, 201))
scores = learner.decision_function(np.column_stack([a.ravel(), b.ravel()])).reshape(a.shape)
plt.figure(figsize=(4, 4))
plt.contourf(a, b, np.sign(scores), levels=[-2, 0, 2], colors=["#dbe4f0", "#f6e3d3"])
plt.contour(a, b, scores, levels=[0], colors="black")
for label, marker in ((1, "o"), (-1, "s")):
    plt.plot(*X[y == label].T, marker, color="black", markersize=9, label=f"{label:+}")
plt.legend(loc="center")
plt.show()
