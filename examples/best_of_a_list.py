"""
The best of a list
==================

Lists of six candidates with grades that depend on three of their five features. Three ways to learn from them, compared by NDCG@3
on held-out lists.
"""

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import PerceptronRanker, metrics

random = np.random.default_rng(0)
X, qid = random.normal(size=(1800, 5)), np.repeat(np.arange(300), 6)
y = np.digitize(X @ [2.0, -1.0, 0.5, 0.0, 0.0] + random.normal(size=1800), [0, 2])
train, test = qid < 200, qid >= 200
weights = {}
for strategy in ("pairs", "best", "top"):
    ranker = PerceptronRanker(strategy=strategy, random_state=0).fit(X[train], y[train], qid=qid[train])
    quality = metrics.ndcg(y[test], ranker.decision_function(X[test]), qid[test], 3)
    weights[strategy] = ranker.coef_[0] / np.linalg.norm(ranker.coef_)
    print(f"{strategy:6} NDCG@3 {quality:.3f} after {len(ranker.ledger_.mistakes)} mistakes")

# %%
# The weights that each of them learned, beside those that the grades were made from.

weights["the truth"] = np.array([2.0, -1.0, 0.5, 0.0, 0.0]) / np.linalg.norm([2.0, -1.0, 0.5])
for i, (name, shown) in enumerate(weights.items()):
    plt.bar(np.arange(5) + i / 5, shown, width=0.2, label=name)
plt.xticks(np.arange(5) + 0.3, [f"feature {j}" for j in range(5)])
plt.ylabel("weight")
plt.legend()
plt.show()
