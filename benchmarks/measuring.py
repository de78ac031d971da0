"""Timing: warm-up apart, medians of several, both sides in one run."""

from __future__ import annotations

import gc
import os
import platform
import statistics
from collections.abc import Callable
from importlib.metadata import version
from time import perf_counter
from typing import Any

import numpy as np


def seconds(work: Callable[[], Any], repeats: int = 5, warm: bool = True) -> float:
    """The median time of several calls, after one that is not counted."""
    if warm:
        work()
    times = []
    for _ in range(repeats):
        gc.collect()
        began = perf_counter()
        work()
        times.append(perf_counter() - began)
    return statistics.median(times)


def alternating(works: dict[str, Callable[[], Any]], repeats: int = 7) -> dict[str, float]:
    """Median times of rivals that take turns, so that a slow moment of the machine hits them all."""
    for work in works.values():
        work()
    times: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(repeats):
        for name, work in works.items():
            gc.collect()
            began = perf_counter()
            work()
            times[name].append(perf_counter() - began)
    return {name: statistics.median(taken) for name, taken in times.items()}


def float32_rate() -> float:
    """Operations per second of a large float32 matrix product, on all cores."""
    square = np.random.default_rng(0).random((4096, 4096), dtype=np.float32)
    return 2 * 4096**3 / seconds(lambda: square @ square, repeats=3)


def table(heads: list[str], rows: list[list[Any]]) -> str:
    """A Markdown table."""
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    lines += ["| " + " | ".join(map(str, row)) + " |" for row in rows]
    return "\n".join(lines)


def machine() -> str:
    """What this was measured on."""
    packages = ("numpy", "scipy", "scikit-learn", "numba", "river", "vowpalwabbit", "python-crfsuite", "nltk")
    versions = ", ".join(f"{name} {version(name)}" for name in packages)
    return f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}, {versions}."
