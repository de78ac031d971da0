"""`make bench`: run everything, or only the reports named as arguments, and write RESULTS.md."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

from benchmarks.measuring import machine

REPORTS = (
    "reading",
    "large_files",
    "sparse_speed",
    "streams",
    "dense_speed",
    "online_speed",
    "kernel_speed",
    "sequence_speed",
    "sequence_quality",
    "kernel_tagger",
    "ranking",
    "budgets",
    "survival",
    "page",
    "paper_table",
    "cold_start",
    "map_or_kernel",
)
RESULTS = Path(__file__).with_name("RESULTS.md")
PARTS = Path(__file__).with_name("reports")

EXACT = """## Exact

That every path writes the same ledger is not measured but tested, on whole numbers, for equality, each test next to
something broken that it must reject: `tests/test_exactness.py`."""


def main(names: list[str]) -> None:
    """Each report is kept, so that one can be made anew without the others."""
    PARTS.mkdir(exist_ok=True)
    for name in names or REPORTS:
        report = import_module(f"benchmarks.{name}").report()
        (PARTS / f"{name}.md").write_text(report + "\n", encoding="utf-8")
        print(report, end="\n\n", flush=True)
    made = [
        (PARTS / f"{name}.md").read_text(encoding="utf-8")
        for name in REPORTS
        if (PARTS / f"{name}.md").exists()
    ]
    head = f"# Results\n\nWritten by `make bench` on {machine()}\n\n{EXACT}\n\n"
    RESULTS.write_text(head + "\n".join(made), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
