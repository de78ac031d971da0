"""
Why this digit?
===============

With a kernel, a score is a sum over the rows that were corrected: how much each counts, times how similar it is to the one in question. So an
answer can be explained by pictures that a person can look at.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

from rosenblatt import PerceptronClassifier, kernels

X, y = load_digits(return_X_y=True)
X = X / 16
learner = PerceptronClassifier(kernels.RBF(gamma=0.05), predictor="last", random_state=0).fit(
    X[:1500], y[:1500]
)
answers = learner.predict(X[1500:])
asked = 1500 + int((answers != y[1500:]).argmax())  # the first that it gets wrong
reasons = learner.explain(X[asked])
print(reasons.table(5))

# %%
# The digit in question, and the support vectors that contribute the most to its score or against it.

figure, panels = plt.subplots(1, 6, figsize=(10, 2.2), layout="constrained")
panels[0].set_title(f"a {y[asked]}, answered {reasons.answer}", size=9)
panels[0].imshow(X[asked].reshape(8, 8), cmap="gray_r")
for axes, index, part in zip(panels[1:], reasons.examples, reasons.contribution, strict=False):
    axes.set_title(f"{part:+.2f}: a {y[index]}", size=9)
    axes.imshow(X[index].reshape(8, 8), cmap="gray_r")
for axes in panels:
    axes.axis("off")
plt.show()
