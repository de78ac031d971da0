"""Out-of-core learning: throughput, peak memory, and later epochs over text, Arrow and kept blocks."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import NamedTuple

import numpy as np
import pyarrow
from pyarrow import csv, ipc

from benchmarks.datasets import sparse_rows
from benchmarks.measuring import table
from rosenblatt import PerceptronClassifier, data
from rosenblatt.data.blocks import Block
from rosenblatt.data.schema import Schema
from rosenblatt.data.sources import KEPT, KeptBlocks, RowSource

ROWS, FEATURES = 116_000, 50_000
"""The size of a file of about 100 MB of text."""

LARGE, SEVERAL = 30, 5
"""Copies of that file in the large file, and in the one of several epochs."""

MEMORY, SLOWER = 600, 0.15
"""The targets: MB of memory, and how much slower per byte the large file may be."""


COMMAND = """
import sys
from rosenblatt.cli import main
try:
    main()
finally:  # in getrusage, the peak of a child starts from its parent's
    print(*[line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")], file=sys.stderr)
"""
"""A script that runs `rosenblatt` and then prints its peak memory in kB."""


class Measured(NamedTuple):
    """A run: its seconds, its peak memory in MB, and its mistakes."""

    seconds: float
    memory: float
    mistakes: int


def report() -> str:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        small = _written(folder)
        size = small.stat().st_size
        free, needed = shutil.disk_usage(folder).free, size * (LARGE + 2 * SEVERAL + 2)
        if free < needed:
            return f"## Large files\n\nNot measured: {needed / 1e9:.1f} GB of disk are needed, and {free / 1e9:.1f} are free."
        parts = [_one_pass(small), _epochs(small)]
    return "\n\n".join(["## Large files", *parts])


def _written(folder: Path) -> Path:
    path = folder / "small.svm"
    X, y = sparse_rows(ROWS, FEATURES, telling=300)
    X.data = X.data.round(4)
    data.write_svmlight(path, X, 2 * y - 1)
    return path


def _repeated(small: Path, times: int) -> Path:
    path = small.with_name(f"{times}.svm")
    with path.open("wb") as written:
        for _ in range(times):
            with small.open("rb") as text:
                shutil.copyfileobj(text, written, 2**22)
    return path


def _one_pass(small: Path) -> str:
    large = _repeated(small, LARGE)
    _fit(small, "--max-iter", "1")  # compiles
    turns = [[_fit(path, "--max-iter", "1") for path in (small, large)] for _ in range(3)]
    runs = list(zip((small, large), map(_median, zip(*turns, strict=True)), strict=True))
    rows = [
        [
            f"{path.stat().st_size / 1e6:,.0f} MB",
            f"{run.seconds:.2f} s",
            f"{_rate(path, run):,.0f} MB",
            f"{run.memory:,.0f} MB",
            f"{run.mistakes:,}",
        ]
        for path, run in runs
    ]
    ratio, memory = _rate(*runs[1]) / _rate(*runs[0]), max(run.memory for _, run in runs)
    large.unlink()
    return "\n\n".join(
        [
            "`rosenblatt fit FILE -o MODEL --max-iter 1 --no-keep`, svmlight rows of 75 features, the large file the small one "
            f"{LARGE} times; medians of 3, without the start of the interpreter:",
            table(["file", "time", "text per second", "peak memory", "mistakes"], rows),
            f"At most {memory:,.0f} MB of memory (asked: {MEMORY}); the large file is read and learned from at {ratio:.2f} times "
            f"the speed of the small one (asked: {1 - SLOWER:.2f}).",
        ]
    )


def _rate(path: Path, run: Measured) -> float:
    return path.stat().st_size / 1e6 / run.seconds


def _epochs(small: Path) -> str:
    large = _repeated(small, SEVERAL)
    text, arrow = _tables(small.parent)
    sources = {
        f"svmlight, {_size(large)}, read in every epoch": lambda: RowSource(str(large), "svmlight", Schema()),
        f"CSV, {_size(text)}, read in every epoch": lambda: RowSource(str(text), "csv", Schema()),
        f"the same, kept in memory, as `rosenblatt fit` does up to {KEPT >> 20} MB": lambda: KeptBlocks(
            RowSource(str(text), "csv", Schema())
        ),
        f"the same rows in Arrow, {_size(arrow)}, read in every epoch": lambda: RowSource(
            str(arrow), "arrow", Schema()
        ),
    }
    rows = []
    for name, source in sources.items():
        first, later = zip(*((a, b) for a, *b in (_timed(source()) for _ in range(3))), strict=True)
        rows.append([name, f"{median(first):.2f} s", f"{median(chain(*later)):.2f} s"])
    return "\n\n".join(
        [
            f"Three epochs, {ROWS:,} rows of 10 numbers and a string in the tables; medians of 3:",
            table(["", "the first epoch", "a later epoch"], rows),
        ]
    )


def _size(path: Path) -> str:
    return f"{path.stat().st_size / 1e6:,.0f} MB"


def _tables(folder: Path) -> tuple[Path, Path]:
    """Write a table as CSV and as Arrow."""
    random = np.random.default_rng(0)
    columns = {f"x{i}": random.normal(size=ROWS).round(4) for i in range(10)}
    columns["colour"] = np.array(["red", "green", "blue"])[random.integers(3, size=ROWS)]
    columns["label"] = (columns["x0"] + random.normal(size=ROWS) > 0).astype(int)
    rows = pyarrow.table(columns)
    csv.write_csv(rows, folder / "table.csv")
    with ipc.new_file(folder / "table.arrow", rows.schema) as file:
        file.write_table(rows, max_chunksize=16_384)
    return folder / "table.csv", folder / "table.arrow"


def _timed(source: Iterable[Block]) -> list[float]:
    """Return the time of each of three epochs."""
    times = []

    class Watched:
        def __iter__(self) -> Iterator[Block]:
            began = perf_counter()
            yield from source
            times.append(perf_counter() - began)

    clf = PerceptronClassifier(rule="perceptron", max_iter=3, keep_examples=False, random_state=0)
    clf.fit_blocks(Watched())
    return times


def _median(runs: Sequence[Measured]) -> Measured:
    return sorted(runs)[len(runs) // 2]


def _fit(path: Path, *options: str) -> Measured:
    """Measure one run, in a process of its own."""
    model = path.with_name("model")
    command = [sys.executable, "-c", COMMAND, "fit", path, "-o", model, "--no-keep", "--quiet", "--json"]
    done = subprocess.run([*command, *options], capture_output=True, text=True, check=True)
    summary = json.loads(done.stdout)
    return Measured(summary["seconds"], int(done.stderr.split()[-1]) / 1e3, summary["mistakes"])
