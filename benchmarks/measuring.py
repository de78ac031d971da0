"""Timing: warm-up excluded, medians, both sides in one run; and a description of the machine."""

from __future__ import annotations

import ast
import gc
import os
import platform
import statistics
from collections.abc import Callable, Iterable
from datetime import date
from importlib.metadata import packages_distributions, version
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from rosenblatt.version import __version__

NOWHERE = "In none of these."
Comparison = tuple[str, float, float, str]
"""The name of a measure, our value, theirs, and their format, as "{:.2f} s"."""

PACKAGES = ("numpy", "scipy", "scikit-learn", "numba")
"""The packages that every report names; rivals are named by the reports that use them."""


def seconds(work: Callable[[], Any], repeats: int = 5, warm: bool = True) -> float:
    """Return the median time of several calls, after one that is not counted."""
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
    """Return the median times of several functions, called in turn so that noise affects them all."""
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
    """Return the operations per second of a large float32 matrix product, on all cores."""
    square = np.random.default_rng(0).random((4096, 4096), dtype=np.float32)
    return 2 * 4096**3 / seconds(lambda: square @ square, repeats=3)


def table(heads: list[str], rows: list[list[Any]]) -> str:
    """Return a Markdown table."""
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    lines += ["| " + " | ".join(map(str, row)) + " |" for row in rows]
    return "\n".join(lines)


def where_we_lose(what: str, less: Iterable[Comparison] = (), more: Iterable[Comparison] = ()) -> str:
    """Return the comparisons in which ours is worse; of `less` less is better, of `more` more."""
    lost = [
        f"{name}, {form.format(ours)} against {form.format(theirs)}"
        for sign, comparisons in ((1, less), (-1, more))
        for name, ours, theirs, form in comparisons
        if sign * ours > sign * theirs
    ]
    return f"**Where we lose, {what}.** {'; '.join(lost) + '.' if lost else NOWHERE}"


def machine(rivals: Iterable[str] = ()) -> str:
    """Return the processor, cores and memory of this machine, the versions of packages, and the date, in one line."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    versions = ", ".join(f"{name} {version(name)}" for name in (*PACKAGES, *rivals))
    return (
        f"{processor()}, {os.cpu_count()} cores, {memory:.0f} GB of memory; Python {platform.python_version()}, "
        f"rosenblatt {__version__}, {versions}; {date.today().isoformat()}"
    )


def processor() -> str:
    """Return the model of the processor as Linux names it, or else its architecture."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text(encoding="utf-8").splitlines() if cpuinfo.exists() else []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.machine()


def rivals(source: Path) -> list[str]:
    """Return the packages that the file of a report imports, beyond those that every report names."""
    imported = set()
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            imported.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            imported.add(node.module.partition(".")[0])
    owners = packages_distributions()
    return sorted({owners[name][0] for name in imported if name in owners} - {"rosenblatt", *PACKAGES})
