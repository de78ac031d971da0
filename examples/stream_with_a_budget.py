"""
A stream with a budget
======================

Points inside a ring that moves, and jumps halfway. A learner with a kernel keeps every row that it got wrong, unless it has a
budget. One that keeps 20 rows, and projects the others on these, loses next to nothing; one that just drops the oldest
loses more.
"""

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import budgets, kernels, online

random, rounds = np.random.default_rng(0), 3000
time = np.arange(rounds) / rounds
angle = 2 * np.pi * (time + (time > 0.5) * 0.5)
X = random.uniform(-2, 2, size=(rounds, 2))
y = np.where(np.sum((X - 0.8 * np.column_stack([np.cos(angle), np.sin(angle)])) ** 2, axis=1) < 1, 1, -1)

for budget in (None, budgets.Budget(20), budgets.Budget(20, "oldest")):
    learner, wrong = online.Classifier(kernels.RBF(gamma=2.0), rule="passive-aggressive", budget=budget), []
    for x, label in zip(X, y, strict=True):
        wrong.append(learner.predict(x) != label)  # first predict, then learn
        learner.add_example(x, int(label))
    name = (
        f"{budget.size} rows, {budget.policy}" if budget else f"all {len(np.unique(learner.ledger.row))} rows"
    )
    plt.plot(np.convolve(wrong, np.ones(300) / 300, mode="valid"), label=name)
    print(f"{name:20} {np.mean(wrong):.3f} of all rounds wrong, {np.mean(wrong[1500:]):.3f} after the jump")
plt.xlabel("round")
plt.ylabel("error in the last 300 rounds")
plt.legend()
plt.show()
