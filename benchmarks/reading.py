"""Reading text into a matrix and into a model, against scikit-learn's reader and Vowpal Wabbit."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from sklearn.datasets import load_svmlight_file
from vowpalwabbit import Workspace

from benchmarks.datasets import sparse_rows
from benchmarks.measuring import alternating, table, where_we_lose
from rosenblatt import PerceptronClassifier, data

ROWS, FEATURES = 130_000, 50_000


def report() -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = _written(Path(folder))
        head = (
            f"A file of {ROWS:,} rows, {path.stat().st_size / 1e6:.0f} MB of text as `-1 3:0.25 11:0.7304`."
        )
        return "\n\n".join(["## Reading", head, _to_rows(path), _to_model(path)])


def _written(folder: Path) -> Path:
    """Write text-like rows as an svmlight file, and next to it in Vowpal Wabbit's format."""
    path = folder / "rows.svm"
    X, y = sparse_rows(ROWS, FEATURES, telling=300)
    X.data = X.data.round(4)
    data.write_svmlight(path, X, 2 * y - 1)
    with path.open() as lines, path.with_suffix(".vw").open("w") as written:
        written.writelines(line.replace(" ", " | ", 1) for line in lines)
    return path


def _to_rows(path: Path) -> str:
    works = {
        "rosenblatt `data.read_svmlight`": lambda: data.read_svmlight(path),
        "scikit-learn `load_svmlight_file`": lambda: load_svmlight_file(str(path)),
    }
    times = alternating(works, repeats=5)
    ours, theirs = times.values()
    verdict = f"{theirs / ours:.1f} times faster than scikit-learn (asked: 8)."
    lost = where_we_lose("svmlight text to a CSR matrix", less=[("time", ours, theirs, "{:.2f} s")])
    return "\n\n".join(
        ["From the file to a CSR matrix and labels, defaults:", _shown(times, path), verdict, lost]
    )


def _to_model(path: Path) -> str:
    blocks = list(data.svmlight_blocks(path, n_features=FEATURES))
    works = {
        "rosenblatt `data.svmlight_blocks`, `partial_fit` on each, `keep_examples=False`": lambda: _learn(
            data.svmlight_blocks(path, n_features=FEATURES)
        ),
        "Vowpal Wabbit, `--loss_function hinge -b 18`": lambda: _wabbit(path.with_suffix(".vw"), ""),
        "Vowpal Wabbit, `--sgd --loss_function hinge -b 18`": lambda: _wabbit(
            path.with_suffix(".vw"), "--sgd"
        ),
        "of ours, reading alone": lambda: [None for _ in data.svmlight_blocks(path, n_features=FEATURES)],
        "of ours, learning alone": lambda: _learn(blocks),
    }
    times = alternating(works, repeats=5)
    ours, *theirs = list(times.values())[:3]
    verdict = (
        f"{min(theirs) / ours:.1f} times faster than the faster of Vowpal Wabbit's (asked: 1.3). The next block is read "
        "while one is learned from, and so reading and learning take less together than one after the other."
    )
    head = "From the file to a linear model in one pass, Vowpal Wabbit by its own driver from its own format:"
    lost = where_we_lose("text to a linear model", less=[("time", ours, min(theirs), "{:.2f} s")])
    return "\n\n".join([head, _shown(times, path), verdict, lost])


def _learn(blocks: Any) -> None:
    clf = PerceptronClassifier(rule="perceptron", keep_examples=False)
    for block in blocks:
        clf.partial_fit(block.X, block.y, classes=[-1, 1])


def _wabbit(path: Path, options: str) -> None:
    Workspace(f"--quiet --no_stdin --loss_function hinge -b 18 -d {path} {options}").finish()


def _shown(times: dict[str, float], path: Path) -> str:
    size = path.stat().st_size / 1e6
    return table(
        ["", "time", "text per second"],
        [[name, f"{taken:.2f} s", f"{size / taken:,.0f} MB"] for name, taken in times.items()],
    )
