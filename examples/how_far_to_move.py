"""
How far to move
===============

Three rules on one noisy set, epoch after epoch. The perceptron's last guess jumps; a rule that moves no farther than
``C`` for a single example settles.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification

from rosenblatt import PerceptronClassifier
from rosenblatt.rules import Margin, PassiveAggressive, Perceptron

X, y = make_classification(3000, n_informative=5, flip_y=0.2, random_state=0)
for rule in (Perceptron(), Margin(beta=10.0), PassiveAggressive(C=1.0), PassiveAggressive(C=0.001)):
    learner, errors, random = PerceptronClassifier(rule=rule, predictor="last"), [], np.random.default_rng(0)
    for _ in range(12):
        order = random.permutation(1500)
        learner.partial_fit(X[order], y[order], classes=[0, 1])
        errors.append(1 - learner.score(X[1500:], y[1500:]))
    average = 1 - learner.set_params(predictor="average").score(X[1500:], y[1500:])
    plt.plot(range(1, 13), errors, marker="o", label=repr(rule))
    print(f"last {errors[-1]:.3f}, average {average:.3f}, {len(learner.ledger_)} corrections: {rule}")
plt.xlabel("epochs")
plt.ylim(0.15, 0.7)
plt.ylabel("error of the last guess on new rows")
plt.legend(loc="upper right", fontsize=8)
plt.show()
