"""Out-of-core learning: throughput, peak memory, and epochs from the cache."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import NamedTuple

from benchmarks.datasets import sparse_rows
from benchmarks.measuring import table
from rosenblatt import PerceptronClassifier, data
from rosenblatt.data.blocks import Block
from rosenblatt.data.caches import SUFFIX, Cached
from rosenblatt.data.encoding import Schema
from rosenblatt.data.sources import RowSource
from rosenblatt.streaming import fit_blocks

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
    _fit(small, "--epochs", "1")  # compiles
    turns = [[_fit(path, "--epochs", "1") for path in (small, large)] for _ in range(3)]
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
            "`rosenblatt fit FILE -o MODEL --epochs 1 --no-keep`, svmlight rows of 75 features, the large file the small one "
            f"{LARGE} times; medians of 3, without the start of the interpreter:",
            table(["file", "time", "text per second", "peak memory", "mistakes"], rows),
            f"At most {memory:,.0f} MB of memory (asked: {MEMORY}); the large file is read and learned from at {ratio:.2f} times "
            f"the speed of the small one (asked: {1 - SLOWER:.2f}).",
        ]
    )


def _rate(path: Path, run: Measured) -> float:
    return path.stat().st_size / 1e6 / run.seconds


def _epochs(small: Path) -> str:
    path = _repeated(small, SEVERAL)
    cache = path.with_name(f"{path.name}{SUFFIX}")
    passes: dict[str, list[tuple[float, float]]] = {}
    for _ in range(3):
        first, *later = _timed(_source(path))
        writing, *cached = _timed(Cached(_source(path)))
        checked, *_ = _timed(Cached(_source(path)))
        size = cache.stat().st_size
        cache.unlink()
        passes.setdefault("the first epoch, from the text", []).append(first)
        passes.setdefault("the first epoch, which writes the cache", []).append(writing)
        passes.setdefault("the first epoch from a cache that is there, with the digest", []).append(checked)
        passes.setdefault("a later epoch, from the text", []).extend(later)
        passes.setdefault("a later epoch, from the cache", []).extend(cached)
    taken = {name: [median(each) for each in zip(*times, strict=True)] for name, times in passes.items()}
    text, read = (taken[f"a later epoch, from the {what}"] for what in ("text", "cache"))
    return "\n\n".join(
        [
            f"Three epochs over {path.stat().st_size / 1e6:,.0f} MB, with a cache of {size / 1e6:,.0f} MB; medians of 3:",
            table(
                ["", "time", "time of all threads"],
                [[name, f"{wall:.2f} s", f"{cpu:.2f} s"] for name, (wall, cpu) in taken.items()],
            ),
            f"Later epochs are {text[0] / read[0]:.1f} times faster from the cache than from the text.",
        ]
    )


def _source(path: Path) -> RowSource:
    return RowSource(str(path), "svmlight", Schema())


def _timed(source: Iterable[Block]) -> list[tuple[float, float]]:
    """Return the wall time and the CPU time of each of three epochs."""
    times = []

    class Watched:
        def __iter__(self) -> Iterator[Block]:
            began, used = perf_counter(), process_time()
            yield from source
            times.append((perf_counter() - began, process_time() - used))

    clf = PerceptronClassifier(epochs=3, keep_examples=False, random_state=0)
    fit_blocks(clf, Watched())
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
