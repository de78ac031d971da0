"""The algorithms as the sources print them: slow, plain, and obviously right."""

import numpy as np


def perceptron(X, y, epochs):
    """Source 001, first listing: θ ← θ + y x whenever y θ·x ≤ 0. Mistakes and survivals."""
    theta = np.zeros(X.shape[1])
    mistakes, survived = [], [0]
    for _ in range(epochs):
        clean = True
        for i in range(len(X)):
            survived[-1] += 1
            if y[i] * (theta @ X[i]) <= 0:
                theta = theta + y[i] * X[i]
                mistakes.append(i)
                survived.append(0)
                clean = False
        if clean:
            break
    return mistakes, survived


def kernel_perceptron(kernel, X, y, epochs):
    """Source 001, last listing: α_i ← α_i + 1 whenever y_i Σ α_j y_j K(x_j, x_i) ≤ 0."""
    alpha = np.zeros(len(X))
    mistakes, survived = [], [0]
    for _ in range(epochs):
        clean = True
        for i in range(len(X)):
            survived[-1] += 1
            score = sum(alpha[j] * y[j] * kernel(X[[j]], X[[i]]).item() for j in range(len(X)) if alpha[j])
            if y[i] * score <= 0:
                alpha[i] += 1
                mistakes.append(i)
                survived.append(0)
                clean = False
        if clean:
            break
    return mistakes, survived


def stochastic_gradient(X, y, epochs, rate):
    """Source 004: θ += α (y − h(x)) x with y in {0, 1} and h(x) = 1 where θ·x ≥ 0."""
    theta = np.zeros(X.shape[1])
    mistakes = []
    for _ in range(epochs):
        for i in range(len(X)):
            h = 1 if theta @ X[i] >= 0 else 0
            theta = theta + rate * (y[i] - h) * X[i]
            if h != y[i]:
                mistakes.append(i)
    return mistakes, theta


def all_guesses(X, y, epochs):
    """Every v_j of the perceptron, and how many rounds it answered."""
    guesses, survived = [np.zeros(X.shape[1])], [0]
    for _ in range(epochs):
        clean = True
        for i in range(len(X)):
            survived[-1] += 1
            if y[i] * (guesses[-1] @ X[i]) <= 0:
                guesses.append(guesses[-1] + y[i] * X[i])
                survived.append(0)
                clean = False
        if clean:
            break
    return np.array(guesses), np.array(survived)
