"""
One run, five predictors
========================

After every epoch the same run predicts five times: by its last guess, its best, the average and the vote of all, and one that
is drawn. Nothing is learned again between these predictions.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from rosenblatt import PerceptronClassifier

X, y = load_digits(return_X_y=True)
X, Z, y, t = X[:1000] / 16, X[1000:] / 16, y[:1000], y[1000:]
learner, random = PerceptronClassifier(rule="perceptron", random_state=0), np.random.default_rng(0)
errors = {name: [] for name in ("sample", "last", "best", "vote", "average")}
for _ in range(10):
    order = random.permutation(len(X))
    learner.partial_fit(X[order], y[order], classes=np.arange(10))
    for name, shown in errors.items():
        shown.append(100 * (1 - learner.set_params(predictor=name).score(Z, t)))

# %%
# The average and the vote are steady where the last guess jumps: it is only the one after the latest mistake.

for name, shown in errors.items():
    plt.plot(range(1, 11), shown, marker="o", label=name)
    print(f"{name:8} {shown[-1]:5.1f} % wrong")
plt.xlabel("epochs")
plt.ylabel("error on new digits, %")
plt.legend()
plt.show()
