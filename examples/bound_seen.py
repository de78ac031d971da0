"""
The mistake bound, seen
=======================

The proof of the bound is a race. With every mistake, the guess comes nearer to a vector that separates the data (Lemma 1), and
grows longer, but more slowly (Lemma 2). As an inner product with a unit vector cannot be more than a length, the race must end.
"""

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import PerceptronClassifier

random = np.random.default_rng(0)
u = random.normal(size=20)
X = random.normal(size=(800, 20))
X = X[np.abs(X @ u) > 0.4 * np.linalg.norm(u)]  # nothing near the plane
y = X @ u > 0
learner = PerceptronClassifier(rule="perceptron", max_iter=100, fit_intercept=False, random_state=0).fit(X, y)
certificate = learner.certificate(X, y, u=u)
print(certificate)

# %%
# Both sides of the race, each with its bound.

k = np.arange(1, certificate.corrections + 1)
plt.plot(k, np.sqrt(certificate.length_ceiling), "--", color="C0", label="√(kR): no longer than this")
plt.plot(k, np.sqrt(certificate.length_squared), color="C0", label="‖v‖")
plt.plot(k, certificate.progress, color="C1", label="v·u")
plt.plot(k, certificate.progress_floor, "--", color="C1", label="kγ: no less than this")
plt.xlabel("mistakes k")
plt.legend()
plt.show()
