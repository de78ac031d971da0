"""
What noise costs
================

Labels are flipped at random, more and more of them. The last guess suffers at once, the average hardly. The bound of Freund and Schapire still
holds, though nothing separates the data.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_blobs

from rosenblatt import PerceptronClassifier

X, clean = make_blobs(2000, centers=[[-2, -2, 0, 0, 0], [2, 2, 0, 0, 0]], random_state=0)
random, shares = np.random.default_rng(0), [0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3]
errors, mistakes, bounds = {"last": [], "average": []}, [], []
for share in shares:
    y = clean ^ (random.random(len(clean)) < share)
    learner = PerceptronClassifier(rule="perceptron", max_iter=1, random_state=0).fit(X[:1000], y[:1000])
    for name, shown in errors.items():
        shown.append(1 - learner.set_params(predictor=name).score(X[1000:], clean[1000:]))
    certificate = learner.certificate(X[:1000], y[:1000])
    mistakes.append(certificate.mistakes)
    bounds.append(certificate.bound)

left, right = plt.subplots(1, 2, figsize=(9, 3.5), layout="constrained")[1]
for name, shown in errors.items():
    left.plot(shares, shown, marker="o", label=name)
left.set(xlabel="share of wrong labels", ylabel="error against the clean labels")
right.plot(shares, bounds, marker="o", label="bound")
right.plot(shares, mistakes, marker="o", label="mistakes in one pass")
right.set(xlabel="share of wrong labels", yscale="log")
left.legend()
right.legend()
plt.show()
