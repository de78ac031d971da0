"""Ranking: MQ2008 against a pairwise SVM and LightGBM, a large epoch against reading its rows, and lists one by one."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from functools import cache
from time import perf_counter
from typing import Any

import lightgbm
import numpy as np
from sklearn.svm import LinearSVC

from benchmarks.datasets import folder
from benchmarks.measuring import alternating, table, where_we_lose
from rosenblatt import PerceptronRanker, data, kernels, metrics, online
from rosenblatt.engine.learner import learn
from rosenblatt.engine.run import begin
from rosenblatt.games import Ranking
from rosenblatt.rows import rows_of
from rosenblatt.tasks.lists import Lists

SEEDS = range(5)
Part = tuple[Any, Any, Any]
Fold = tuple[Part, Part, Part]

MEASURES: dict[str, Callable[..., float]] = {
    "MAP": metrics.average_precision,
    "NDCG@10": metrics.ndcg,
    "P@1": metrics.precision,
}


@cache
def letor_part(number: int) -> Part:
    """Return one of the five parts of MQ2008."""
    read = data.read_svmlight(folder() / "mq2008" / f"S{number % 5 + 1}.txt.gz", n_features=46)
    return read.X.toarray(), read.y, read.qid


def folds() -> list[Fold]:
    """Return the training, validation and test sets of LETOR's five folds."""

    def joined(*numbers: int) -> Part:
        X, y, qid = zip(*map(letor_part, numbers), strict=True)
        return np.vstack(X), np.concatenate(y), np.concatenate(qid)

    return [(joined(k, k + 1, k + 2), joined(k + 3), joined(k + 4)) for k in range(5)]


def ours(fold: Fold, seed: int, **options: Any) -> Any:
    """Fit our ranker, with the epoch that is best on the validation set; return its scoring function."""
    train, held, _ = fold
    ranker = PerceptronRanker(max_iter=20, draws=2000, metric="map", keep_examples=False, random_state=seed)
    ranker.set_params(early_stopping=True, n_iter_no_change=ranker.max_iter, **options)
    return ranker.fit(*train, eval_set=held).decision_function


def by_kernel(fold: Fold, seed: int) -> Any:
    return ours(fold, seed, kernel=kernels.RBF(gamma=0.1), keep_examples=True)


def svm(fold: Fold, seed: int) -> Any:
    """Fit a linear SVM on the differences of all pairs of a query, C chosen on the validation set."""
    (X, y, qid), held, _ = fold
    pairs = [
        (i, j)
        for rows in (np.flatnonzero(qid == query) for query in np.unique(qid))
        for i in rows
        for j in rows
        if y[i] > y[j]
    ]
    better, worse = np.array(pairs).T
    sign = np.where(np.arange(len(pairs)) % 2, 1, -1)
    difference = sign[:, None] * (X[better] - X[worse])
    models = [
        LinearSVC(C=C, fit_intercept=False, loss="hinge", random_state=seed, max_iter=5000).fit(
            difference, sign
        )
        for C in (0.001, 0.01, 0.1)
    ]
    found = [(Z @ model.coef_[0], model) for Z in [held[0]] for model in models]
    best = max(found, key=lambda pair: metrics.average_precision(held[1], pair[0], held[2]))[1]
    return lambda Z: Z @ best.coef_[0]


def lambdarank(fold: Fold, seed: int) -> Any:
    """Fit LightGBM with 15 leaves, stopped early by MAP on the validation set."""

    def group(qid: Any) -> Any:
        return np.unique(qid, return_counts=True)[1][np.argsort(np.unique(qid, return_index=True)[1])]

    (X, y, qid), held, _ = fold
    model = lightgbm.LGBMRanker(
        n_estimators=500, num_leaves=15, learning_rate=0.05, random_state=seed, verbose=-1, n_jobs=2,
        min_child_samples=20,
    )  # fmt: skip
    model.fit(
        X, y, group=group(qid), eval_X=held[0], eval_y=held[1], eval_group=[group(held[2])], eval_metric="map",
        eval_at=[10], callbacks=[lightgbm.early_stopping(50, verbose=False)],
    )  # fmt: skip
    return model.predict


RIVALS: dict[str, Callable[[Fold, int], Any]] = {
    "rosenblatt, pairs, averaged: 2,000 pairs an epoch, the best of 20 epochs": ours,
    "rosenblatt, pairs, RBF kernel: γ = 0.1, else the same": by_kernel,
    "pairwise linear SVM (LinearSVC): hinge loss, no intercept, the best of C = 0.001, 0.01, 0.1": svm,
    "LightGBM lambdarank: 15 leaves, learning rate 0.05, up to 500 trees, stopped after 50 without a gain": lambdarank,
}


def letor() -> str:
    """Report all rankers on every fold with five seeds, in turn; the SVM, where seeds change only the solver, with one."""
    found: dict[str, list[list[float]]] = {name: [] for name in RIVALS}
    times: dict[str, list[float]] = {name: [] for name in RIVALS}
    all_folds = folds()
    ours(all_folds[0], 0)
    for fold in all_folds:
        for seed in SEEDS:
            for name, fit in RIVALS.items():
                if fit is svm and seed:
                    continue
                began = perf_counter()
                scores_of = fit(fold, seed)
                times[name].append(perf_counter() - began)
                X, y, qid = fold[2]
                scores = scores_of(X)
                found[name].append([measure(y, scores, qid) for measure in MEASURES.values()])
    taken = {name: statistics.median(t) for name, t in times.items()}
    rows = [
        [name, *(f"{value:.4f}" for value in np.mean(found[name], axis=0)), f"{1000 * taken[name]:.0f} ms"]
        for name in RIVALS
    ]
    mine, _, rival_svm, rival_trees = taken.values()
    return (
        "MQ2008, the five folds of LETOR. What is called best is chosen by MAP on the validation part, for every fold, "
        "and so is where LightGBM stops; the other settings are fixed. Measured on the test part: means over folds and "
        "five seeds. Time to fit, with choosing.\n\n"
        + table(["", *MEASURES, "fit"], rows)
        + f"\n\nThe fit is **{rival_trees / mine:.0f}** times faster than LightGBM's (asked: 5) and "
        f"**{rival_svm / mine:.0f}** times faster than the pairwise SVM's (asked: 20).\n\n"
        + _lost(found, taken)
    )


def _lost(found: dict[str, list[list[float]]], taken: dict[str, float]) -> str:
    """Return where the first of ours is behind a rival."""
    mine, _, *rivals = RIVALS
    means = {name: np.mean(values, axis=0) for name, values in found.items()}
    return where_we_lose(
        "MQ2008, linear",
        less=[(f"fit, to {name.split(':')[0]}", taken[mine], taken[name], "{:.3f} s") for name in rivals],
        more=[
            (f"{measure}, to {name.split(':')[0]}", means[mine][k], means[name][k], "{:.4f}")
            for name in rivals
            for k, measure in enumerate(MEASURES)
        ],
    )


def large_epoch(rows: int = 1_000_000, queries: int = 10_000) -> str:
    """Report the time of one epoch of `best` over generated rows, against reading them once."""
    random = np.random.default_rng(0)
    X, u = random.random((rows, 46)), random.normal(size=46)
    noisy = X @ u + random.normal(size=rows)
    y = np.digitize(noisy, np.quantile(noisy, [0.5, 0.9]))
    examples = Lists.of(y, np.repeat(np.arange(queries), rows // queries), rows).whole(rows_of(X))
    order = random.permutation(len(examples))

    def epoch() -> None:
        learn(begin(Ranking("best"), features=46, keep=False), examples, [order])

    times = alternating({"epoch": epoch, "read": lambda: X.sum(), "max": lambda: X.max()}, repeats=9)
    read = min(times["read"], times["max"])
    return (
        f"An epoch of `best` over {rows:,} × 46 generated rows in {queries:,} queries, in a new order, takes "
        f"{1000 * times['epoch']:.0f} ms; reading the array once, by NumPy's sum or max, {1000 * read:.0f} ms: "
        f"**{times['epoch'] / read:.1f}** times (asked: at most 3)."
    )


def one_by_one(rounds: int = 3000) -> str:
    """Report the speed of learning lists of 50 × 46 in a Python loop."""
    random = np.random.default_rng(0)
    lists, u = [random.normal(size=(50, 46)) for _ in range(rounds)], random.normal(size=46)
    best = [int(np.argmax(X @ u + random.normal(size=50))) for X in lists]

    def play() -> None:
        ranker = online.Ranker()
        for X, index in zip(lists, best, strict=True):
            ranker.add_example(X, index)

    taken = alternating({"play": play}, repeats=5)["play"]
    return f"`online.Ranker.add_example` on lists of 50 × 46: **{rounds / taken:,.0f}** rounds/s (asked: 20,000)."


def report() -> str:
    return "\n\n".join(["## Ranking", letor(), large_epoch(), one_by_one()])
