"""Robustness: thousands of broken or forged model files, and runs that are killed and resumed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.measuring import seconds, table

TESTS = Path(__file__).parents[1] / "tests"
MUTATED, KILLED = 10_000, 25


def report() -> str:
    mutated, killed = _counts("mutations", MUTATED), _counts("kills", KILLED)
    rows = [[kind, tally["killed"], tally["finished"]] for kind, tally in killed.items()]
    return "\n\n".join(
        [
            "## Survival",
            f"{MUTATED:,} model files of every kind, half of them with bytes cut, flipped or inserted, half with a right checksum and "
            f"wrong values: {mutated['refused']:,} refused with a sentence, {mutated['read']:,} read and asked to answer; no crash, no hang, "
            "within 256 MB beside what the process had.",
            "Runs killed with SIGKILL at random moments and resumed, until they were complete: every one of them left the bytes of "
            "a run that was never killed.",
            table(["run", "kills", "completed"], rows),
            _starts(),
        ]
    )


def _counts(script: str, count: int) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-m", f"fixtures.{script}", folder, str(count)],
            cwd=TESTS,
            capture_output=True,
            text=True,
            check=True,
        )
    return json.loads(done.stdout)


def _starts() -> str:
    """Return the times of commands that have little to do."""
    with tempfile.TemporaryDirectory() as folder:
        rows = Path(folder) / "rows.svm"
        rows.write_text("".join(f"{i % 2} {1 + i % 5}:{i % 7} {7 + i % 3}:1\n" for i in range(1000)))
        command = [sys.executable, "-m", "rosenblatt.cli"]

        def call(*arguments: str) -> None:
            subprocess.run(
                [*command, *arguments], cwd=folder, check=True, stdout=subprocess.DEVNULL, env=os.environ
            )

        call("fit", "rows.svm", "-o", "model", "--quiet")
        times = {
            "`rosenblatt --help`": (seconds(lambda: call("--help"), 7), 0.4),
            "`rosenblatt predict` on 1,000 rows": (
                seconds(lambda: call("predict", "model", "rows.svm"), 7),
                1.5,
            ),
        }
    return table(
        ["command", "time", "asked"],
        [[name, f"{took:.2f} s", f"{asked} s"] for name, (took, asked) in times.items()],
    )
