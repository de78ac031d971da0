"""The algorithms as the sources print them: slow, plain, and obviously right."""

import numpy as np


def perceptron(X, y, epochs):
    """Source 001, first listing: θ ← θ + y x whenever y θ·x ≤ 0. Mistakes and survivals."""
    theta = np.zeros(X.shape[1])
    mistakes, survived = [], [0]
    for _ in range(epochs):
        for i in range(len(X)):
            survived[-1] += 1
            if y[i] * (theta @ X[i]) <= 0:
                theta = theta + y[i] * X[i]
                mistakes.append(i)
                survived.append(0)
    return mistakes, survived


def kernel_perceptron(kernel, X, y, epochs):
    """Source 001, last listing: α_i ← α_i + 1 whenever y_i Σ α_j y_j K(x_j, x_i) ≤ 0."""
    alpha = np.zeros(len(X))
    mistakes, survived = [], [0]
    for _ in range(epochs):
        for i in range(len(X)):
            survived[-1] += 1
            score = sum(alpha[j] * y[j] * kernel(X[[j]], X[[i]]).item() for j in range(len(X)) if alpha[j])
            if y[i] * score <= 0:
                alpha[i] += 1
                mistakes.append(i)
                survived.append(0)
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
        for i in range(len(X)):
            survived[-1] += 1
            if y[i] * (guesses[-1] @ X[i]) <= 0:
                guesses.append(guesses[-1] + y[i] * X[i])
                survived.append(0)
    return np.array(guesses), np.array(survived)


class Remembering:
    """An oracle: every guess is kept as a function of rows, and forgetting is done to each of them by its definition."""

    def __init__(self, size, forget, kernel, required):
        self.size, self.forget, self.kernel, self.required = size, forget, kernel, required
        self.rows, self.guesses, self.survived, self.stored = [], [np.zeros(0)], [0], 0

    def play(self, x, y):
        gram = self.kernel(np.array(self.rows), x[None])[:, 0] if self.rows else np.zeros(0)
        self.survived[-1] += 1
        margin = y * float(self.guesses[-1] @ gram)
        if margin > 0 and margin >= self.required:
            return
        self.rows.append(x)
        self.stored += 1
        self.guesses = [np.append(guess, 0.0) for guess in self.guesses]
        self.guesses.append(self.guesses[-1].copy())
        self.survived.append(0)
        self.guesses[-1][-1] += y
        if len(self.rows) > self.size:
            self.forget(self)

    def map(self, kept, matrix):
        """Keep these rows, each guess mapped to them."""
        self.rows = [self.rows[i] for i in kept]
        self.guesses = [matrix @ guess for guess in self.guesses]

    def functions(self, Z):
        return np.array(self.guesses) @ self.kernel(np.array(self.rows), Z)


def drop_oldest(oracle):
    kept = list(range(1, len(oracle.rows)))
    oracle.map(kept, np.eye(len(oracle.rows))[kept])


def project_weakest_half(oracle):
    strength, size = oracle.guesses[-1] ** 2, len(oracle.rows)
    order = np.argsort(-strength, kind="stable")
    kept, gone = np.sort(order[: size // 2]), np.sort(order[size // 2 :])
    gram = oracle.kernel(np.array(oracle.rows))
    matrix = np.zeros((len(kept), size))
    matrix[np.arange(len(kept)), kept] = 1.0
    matrix[:, gone] = np.linalg.lstsq(gram[np.ix_(kept, kept)], gram[np.ix_(kept, gone)], rcond=None)[0]
    oracle.map(kept, matrix)


def project_least_loss(oracle):
    gram, size = oracle.kernel(np.array(oracle.rows)), len(oracle.rows)
    losses, shares = [], []
    for i in range(size):
        others = [j for j in range(size) if j != i]
        share = np.linalg.lstsq(gram[np.ix_(others, others)], gram[others, i], rcond=None)[0]
        left = gram[i, i] - share @ gram[others, i]
        losses.append(oracle.guesses[-1][i] ** 2 * left)
        shares.append((others, share))
    others, share = shares[int(np.argmin(losses))]
    matrix = np.eye(size)[others]
    matrix[:, int(np.argmin(losses))] = share
    oracle.map(others, matrix)
