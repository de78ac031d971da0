"""The speed of calls that compile nothing, against an earlier commit."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.cold_start import BEFORE, ROOT, unpacked
from benchmarks.measuring import table
from benchmarks.workloads import WORK

PROCESSES, TURNS = 2, 5


class Worker:
    """A process that has prepared a workload with some sources, and times it whenever it is asked to."""

    def __init__(self, name: str, source: str) -> None:
        command = [sys.executable, "-m", "benchmarks.workloads", name]
        env = os.environ | {"PYTHONPATH": f"{source}:{ROOT}"}
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1, cwd=ROOT, env=env
        )

    def seconds(self) -> float:
        """Return the median seconds of a few calls."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write("\n")
        return float(self._process.stdout.readline())

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()


def turns(name: str, sources: tuple[str, str]) -> list[tuple[float, float]]:
    """Return the seconds before and now, one pair per turn of two processes."""
    with Worker(name, sources[0]) as before, Worker(name, sources[1]) as now:
        for worker in (before, now):
            worker.seconds()
        return [(before.seconds(), now.seconds()) for _ in range(TURNS)]


def compared(name: str, sources: tuple[str, str]) -> list[str]:
    """Return a row: the seconds before and now, and how many times as fast it is now, each a median."""
    pairs = [pair for _ in range(PROCESSES) for pair in turns(name, sources)]
    before, now = (statistics.median(times) for times in zip(*pairs, strict=True))
    faster = statistics.median(before / now for before, now in pairs)
    print(f"{name}: {before:.4f} s, {now:.4f} s, {faster:.2f}", file=sys.stderr, flush=True)
    return [name, f"{before:.4f} s", f"{now:.4f} s", f"{faster:.2f}"]


def report(names: tuple[str, ...] = tuple(WORK)) -> str:
    with tempfile.TemporaryDirectory() as folder:
        sources = (unpacked(BEFORE, Path(folder)), str(ROOT / "src"))
        rows = [compared(name, sources) for name in names]
    head = (
        f"Before is commit {BEFORE}, with the same packages. Two processes, one with each version, take turns on a workload, "
        f"after one that is not counted: {TURNS} turns of {PROCESSES} pairs of processes, all medians. Speed is that of now in multiples of "
        "that before (asked: at least 0.97)."
    )
    return f"## Against before\n\n{head}\n\n" + table(["", "before", "now", "speed"], rows)


if __name__ == "__main__":
    print(report(tuple(sys.argv[1:]) or tuple(WORK)))
