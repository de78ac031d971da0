"""`make bench`: run all reports, or those named, and write RESULTS.md and the README's table from them."""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from pathlib import Path

from benchmarks import readme_table
from benchmarks.measuring import machine, rivals

REPORTS = (
    "defaults",
    "out_of_the_box",
    "fair",
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
    "calibration",
    "word_values",
    "page",
    "paper_table",
    "cold_start",
    "against_before",
    "map_or_kernel",
)
RESULTS = Path(__file__).with_name("RESULTS.md")
PARTS = Path(__file__).with_name("reports")

HEAD = """# Results

Written by `make bench`. Each report ends with the machine, the versions and the date that it was measured with; asked is
what was asked for before, and a verdict is computed from the numbers above it."""

EXACT = """## Exact

That every path writes the same ledger is not measured but tested, on integers, for equality, each test next to
a broken implementation that it must reject: `tests/engine/test_exactness.py`."""


UNKNOWN = "*Measured earlier, machine not recorded.*"


def main(arguments: list[str]) -> None:
    """Run the reports and write them, RESULTS.md and the README's table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "names", nargs="*", metavar="REPORT", help=f"one of {', '.join(REPORTS)}; by default all"
    )
    parser.add_argument(
        "--collect", action="store_true", help="run nothing; write RESULTS.md and the README's table"
    )
    chosen = parser.parse_args(arguments)
    if unknown := sorted(set(chosen.names) - set(REPORTS)):
        raise SystemExit(f"No report is called {', '.join(unknown)}. There are {', '.join(REPORTS)}.")
    PARTS.mkdir(exist_ok=True)
    for name in () if chosen.collect else chosen.names or REPORTS:
        run(name)
    collect()


def run(name: str) -> None:
    """Run one report and write it to a file of its own, with the machine it was measured on."""
    module = import_module(f"benchmarks.{name}")
    report = f"{module.report()}\n\n*Measured on {machine(rivals(Path(module.__file__)))}.*"
    (PARTS / f"{name}.md").write_text(report + "\n", encoding="utf-8")
    print(report, end="\n\n", flush=True)


def collect() -> None:
    """Write RESULTS.md from the reports, marking those without a machine, and the README's table."""
    made = []
    for path in (PARTS / f"{name}.md" for name in REPORTS):
        if path.exists():
            text = path.read_text(encoding="utf-8").rstrip()
            if not text.splitlines()[-1].startswith("*Measured "):
                text += f"\n\n{UNKNOWN}"
                path.write_text(text + "\n", encoding="utf-8")
            made.append(text + "\n")
    RESULTS.write_text(f"{HEAD}\n\n{EXACT}\n\n" + "\n".join(made), encoding="utf-8")
    readme_table.write()


if __name__ == "__main__":
    main(sys.argv[1:])
