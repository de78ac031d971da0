"""Defaults against defaults, tuned against tuned: the same rows, the same search and as many candidates for both sides."""

from __future__ import annotations

import itertools
import tempfile
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pycrfsuite
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split

from benchmarks.candidates import CANDIDATES, KERNEL_ROWS, LEARNERS, Learner, Task, tasks
from benchmarks.corpora import CRFPP, chunking, spelled_out
from benchmarks.measuring import seconds, table
from rosenblatt import PerceptronTagger, metrics

VALIDATION = 0.2
MODES = ("defaults", "tuned")


@dataclass(frozen=True)
class Result:
    """The result of one learner on one task: settings, times, and which test rows it got wrong."""

    task: str
    learner: str
    kind: str
    ours: bool
    mode: str
    settings: str
    search: float | None
    fit: float
    wrong: Any

    @property
    def error(self) -> str:
        """The test error in percent."""
        return f"{100 * np.mean(self.wrong):.2f} %"


Pair = tuple[Result, Result]
"""One of ours, and a rival of its kind on the same task."""


def settings(model: Any) -> str:
    """Return the constructor call of a learner, without the seed, and whether it ran out of iterations."""
    written = " ".join(repr(model).split())
    for seed in (", random_state=0", "random_state=0, ", "random_state=0"):
        written = written.replace(seed, "")
    spent = np.max(getattr(model, "n_iter_", 0)) >= getattr(model, "max_iter", np.inf) > 0
    return f"`{written}`" + (", not converged" if spent else "")


def fitted(task: Task, learner: Learner, mode: str, model: Any, search: float | None) -> Result:
    """Fit on all training rows, three times more if that is fast, and predict the test rows."""
    fit = seconds(lambda: model.fit(task.X, task.y), repeats=1, warm=False)
    if fit < 1:
        fit = seconds(lambda: model.fit(task.X, task.y), repeats=3, warm=False)
    wrong = np.asarray(model.predict(task.Z) != task.t)
    return Result(task.name, learner.name, task.kind, learner.ours, mode, settings(model), search, fit, wrong)


def best(task: Task, candidates: list[Any]) -> Any:
    """Return the candidate with the fewest errors on the validation set, the first of equals."""
    X, V, y, v = train_test_split(task.X, task.y, test_size=VALIDATION, random_state=0, stratify=task.y)
    return min(candidates, key=lambda model: np.mean(model.fit(X, y).predict(V) != v))


def measured(task: Task, learner: Learner) -> list[Result]:
    """Return the results of a learner with its defaults and tuned; loops are compiled before, on a few rows."""
    default, candidates = learner.defaults(task.X), learner.candidates(task.X)
    few = task.limited(100)
    for model in (default, *candidates):
        model.fit(few.X, few.y).predict(few.X)
    with_defaults = fitted(task, learner, "defaults", default, None)
    began = perf_counter()
    chosen = best(task, candidates)
    search = perf_counter() - began
    return [with_defaults, fitted(task, learner, "tuned", chosen, search)]


def classification(rows: int | None) -> list[Result]:
    found = []
    for task in (task.limited(rows) for task in tasks()):
        for learner in LEARNERS:
            if learner.kind == task.kind:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", ConvergenceWarning)
                    found += measured(task, learner)
    return sorted(found, key=lambda result: MODES.index(result.mode))


def our_tagger(X: Any, y: Any) -> tuple[str, Callable[[Any], list[str]]]:
    tagger = PerceptronTagger(templates=CRFPP, random_state=0).fit(X, y)
    return f"`PerceptronTagger(templates=CRFPP)`, {tagger.max_iter} epochs", lambda s: tagger.predict([s])[0]


def crfsuite(algorithm: str, X: Any, y: Any) -> tuple[str, Callable[[Any], list[str]]]:
    trainer = pycrfsuite.Trainer(algorithm=algorithm, verbose=False)
    for sentence, labels in zip(X, y, strict=True):
        trainer.append(spelled_out(sentence), labels)
    model = pycrfsuite.Tagger()
    with tempfile.TemporaryDirectory() as folder:
        trainer.train(str(Path(folder) / "model"))
        model.open(str(Path(folder) / "model"))
    iterations = trainer.get("max_iterations")
    unlimited = iterations == 2**31 - 1
    limit = f"c2 = {trainer.get('c2'):g}, until it converges" if unlimited else f"{iterations} iterations"
    return f'python-crfsuite `Trainer("{algorithm}")`, {limit}', lambda s: model.tag(spelled_out(s))


def tagging(rows: int | None) -> tuple[list[Result], list[str]]:
    """Return results by token, and F, of taggers with CRF++'s templates and otherwise defaults."""
    (X, y), (Z, t) = ((list(X)[:rows], list(y)[:rows]) for X, y in (chunking("train"), chunking("test")))
    our_tagger(X[:20], y[:20])
    found, spans = [], []
    for name, train in {
        "rosenblatt, tagger": our_tagger,
        "python-crfsuite, averaged perceptron": partial(crfsuite, "ap"),
        "python-crfsuite, L-BFGS": partial(crfsuite, "lbfgs"),
    }.items():
        began = perf_counter()
        written, tag = train(X, y)
        fit = perf_counter() - began
        answers = [tag(sentence) for sentence in Z]
        wrong = np.concatenate(answers) != np.concatenate(t)
        task, ours = "CoNLL-2000, CRF++'s templates", train is our_tagger
        found.append(Result(task, name, "tagger", ours, "defaults", written, None, fit, wrong))
        spans.append(f"{100 * metrics.span_f1(t, answers):.2f}")
    return found, spans


def compared(ours: Any, theirs: Any) -> int:
    """Return 1 if ours has significantly more errors on the same rows, −1 if theirs has, else 0: McNemar, |z| > 2."""
    ours_only, theirs_only = np.sum(ours & ~theirs), np.sum(theirs & ~ours)
    surplus = ours_only - theirs_only
    return int(np.sign(surplus)) if abs(surplus) > 2 * np.sqrt(ours_only + theirs_only) else 0


def pairs(results: list[Result], mode: str) -> Iterator[Pair]:
    """Yield each of ours with each rival of its kind on the same task."""
    for mine, theirs in itertools.product(results, results):
        same = (mine.task, mine.kind) == (theirs.task, theirs.kind) and mine.mode == theirs.mode == mode
        if same and mine.ours and not theirs.ours:
            yield mine, theirs


def duration(taken: float | None) -> str:
    """Return a time in seconds, or in milliseconds if it is short, as text."""
    if taken is None:
        return "–"
    return (
        f"{1000 * taken:.2g} ms" if taken < 0.0995 else f"{taken:.2f} s" if taken < 9.95 else f"{taken:.1f} s"
    )


def lost(found: list[Pair], value: Callable[[Result], str]) -> str:
    """Return the comparisons that were lost, one entry per task, with the values of both sides."""
    behind: dict[str, list[str]] = {}
    for mine, theirs in found:
        entry = behind.setdefault(f"{mine.task}, {mine.kind}, {value(mine)}", [])
        entry.append(f"{theirs.learner.split(maxsplit=1)[1]} {value(theirs)}")
    return "; ".join(f"{mine} against {', '.join(theirs)}" for mine, theirs in behind.items()) or "nowhere"


def verdict(results: list[Result], mode: str) -> str:
    """Return where ours is behind in error or in time, and how often it is ahead."""
    found = list(pairs(results, mode))
    signs = [compared(mine.wrong, theirs.wrong) for mine, theirs in found]
    behind = [pair for pair, sign in zip(found, signs, strict=True) if sign > 0]
    slower = [pair for pair in found if pair[0].fit > pair[1].fit]
    said = (
        f"**Where we lose, {mode} against {mode}.** Test error: behind in {len(behind)} of {len(found)} comparisons, ahead in "
        f"{signs.count(-1)}, the rest within chance (McNemar's test on the same test rows, |z| ≤ 2). Behind: "
        f"{lost(behind, lambda result: result.error)}. Time to fit: longer in {len(slower)} of {len(found)}: "
        f"{lost(slower, lambda result: duration(result.fit))}."
    )
    if mode == "defaults":
        return said
    longer = [pair for pair in found if (pair[0].search or 0) > (pair[1].search or 0)]
    return f"{said} Time to search: longer in {len(longer)}: {lost(longer, lambda result: duration(result.search))}."


def tables(results: list[Result]) -> list[str]:
    """Return a table per task, defaults before tuned."""
    shown = []
    for name, kind in dict.fromkeys((result.task, result.kind) for result in results):
        rows = [
            [
                f"{name}, {result.mode}", result.learner, result.settings,
                duration(result.search), duration(result.fit), result.error,
            ]
            for result in results
            if (result.task, result.kind) == (name, kind)
        ]  # fmt: skip
        shown.append(table(["data", "learner", "settings", "search", "fit", "test error"], rows))
    return shown


def tagging_table(results: list[Result], spans: list[str]) -> str:
    rows = [
        [f"{result.task}, defaults", result.learner, result.settings, duration(result.fit), result.error, f1]
        for result, f1 in zip(results, spans, strict=True)
    ]
    return table(["data", "learner", "settings", "fit, with features", "wrong tokens", "F"], rows)


def report(rows: int | None = None) -> str:
    """Return the report; with `rows`, a trial on at most this many training rows."""
    results = classification(rows)
    tagged, spans = tagging(rows)
    head = (
        'Defaults: every argument of the constructor as it comes, but `kernel="rbf"` of ours where the kernel is named. '
        f"Tuned: each learner gets {CANDIDATES} candidates, listed below; all are fitted on {1 - VALIDATION:.0%} of "
        f"the training rows, the one with the fewest errors on the other {VALIDATION:.0%}, the same rows for all, is fitted "
        "on all of them. Search is the time of that, fit the time of the last fit. Seeds are 0. All learners get the same "
        "rows: 20 newsgroups by date as sublinear tf-idf, CSR; a9a as CSR rows for linear learners and dense for kernels, "
        f"there only the first {KERNEL_ROWS['a9a']:,}; letter and spambase standardized; USPS as it is; the first "
        f"{KERNEL_ROWS['MNIST']:,} rows of MNIST, divided by 255. Test parts are whole. Our kernel products use all cores, "
        "as NumPy does; the rivals use one. 20 newsgroups has no kernel learners: they take SVC too long."
    )
    if rows is not None:
        head += f" **A trial on at most {rows:,} training rows or sentences.**"
    grids = table(["learner", "candidates"], [[learner.name, learner.searched] for learner in LEARNERS])
    tagger = (
        "Tagging, CoNLL-2000 chunking, CRF++'s 19 templates on both sides, everything else as it comes; python-crfsuite's "
        "time includes making the features in Python."
    )
    parts = ["## Defaults against defaults, tuned against tuned", head, grids, *tables(results), tagger]
    return "\n\n".join(
        [*parts, tagging_table(tagged, spans), *(verdict(results + tagged, mode) for mode in MODES)]
    )
