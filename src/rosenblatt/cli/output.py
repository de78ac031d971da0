"""Output: results on standard output, as a table or JSON; remarks and progress on standard error."""

from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from pathlib import Path
from typing import Any, TextIO

from rosenblatt._atomic import STDOUT, descriptor_of, writing, written_in_place
from rosenblatt.data.blocks import Skipped
from rosenblatt.engine.progress import Progress

PATIENCE = 1.0
"""Seconds after which a progress bar is shown."""


LISTED = 10
"""The most bad lines that are listed one by one."""

NAMED = 5
"""The most names that a remark lists."""

STANDARD_OUTPUT = "/dev/stdout"


def named_output(output: str) -> str:
    """Return the path to write to: `-` is standard output."""
    return STANDARD_OUTPUT if output == "-" else output


def check_output(output: str, *inputs: str) -> None:
    """Refuse, before any work, an output that cannot be written or would overwrite an input."""
    if written_in_place(output):
        _check_in_place(output)
        return
    path = Path(output)
    if path.is_dir():
        raise ValueError(f"The output must be a file. Got the folder {output}.")
    folder = path.resolve().parent
    if not folder.is_dir():
        raise ValueError(f"The folder of the output must exist. Got {output}, and there is no {folder}.")
    if not os.access(folder, os.W_OK):
        raise ValueError(f"The folder of the output must be writable. Got {output}.")
    for given in inputs:
        if path.exists() and Path(given).exists() and path.samefile(given):
            raise ValueError(f"The output must not replace an input. Got {output} for both.")


def _check_in_place(output: str) -> None:
    """Refuse a device or FIFO that cannot be opened; a descriptor is open already."""
    if descriptor_of(output) is None and (
        stat.S_ISSOCK(os.stat(output).st_mode) or not os.access(output, os.W_OK)
    ):
        raise ValueError(
            f"{output} cannot be written to. Give a file, a FIFO or a device that this user may write to."
        )


@contextmanager
def answers_to(output: str, *inputs: str) -> Iterator[TextIO]:
    """Open the output of answers: standard output, or a file, which appears when it is complete."""
    if output == "-":
        yield sys.stdout
        return
    check_output(output, *inputs)
    with writing(output) as raw:
        text = TextIOWrapper(raw, encoding="utf-8", newline="\n")
        try:
            yield text
        except BaseException:
            with suppress(OSError):
                text.detach()
            raise
        text.detach()


def say(text: str, *, quiet: bool = False) -> None:
    """Print a remark on standard error."""
    if not quiet:
        print(text, file=sys.stderr, flush=True)


def some_of(names: list[str]) -> str:
    """Return the first names of a list for a remark, and how many more there are."""
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more


class SkippedLines:
    """Counts the bad lines that were skipped, and lists the first LISTED of them, each once."""

    def __init__(self, quiet: bool) -> None:
        self._quiet = quiet
        self._lines: set[int] = set()

    def add(self, skipped: Iterable[Skipped]) -> None:
        """List lines that were not seen before."""
        for line, reason in skipped:
            if line not in self._lines and len(self._lines) < LISTED:
                say(f"skipped line {line}: {reason}", quiet=self._quiet)
            self._lines.add(line)

    def close(self) -> None:
        """Report how many there were, if not all were listed."""
        if len(self._lines) > LISTED:
            say(f"{len(self._lines):,} lines were skipped in all", quiet=self._quiet)


def list_skipped(skipped: Iterable[Skipped], quiet: bool) -> None:
    """List all bad lines of a file that is read at once."""
    lines = SkippedLines(quiet)
    lines.add(skipped)
    lines.close()


def show(title: str, rows: Iterable[tuple[str, Any]], as_json: bool, *, written: str | None = None) -> None:
    """Print named results, as a table or JSON; on standard error if standard output was `written`."""
    rows = list(rows)
    out = sys.stderr if written is not None and descriptor_of(written) == STDOUT else sys.stdout
    if as_json:
        print(json.dumps({_key(name): value for name, value in rows}, ensure_ascii=False), file=out)
        return
    width = max((len(name) for name, _ in rows), default=0)
    print(title, file=out)
    for name, value in rows:
        print(f"  {name:<{width}}  {_shown(value)}", file=out)


def show_table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Print a table with a header."""
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for i, name in enumerate(head):
        table.add_column(name, justify="left" if i == 0 else "right", no_wrap=True)
    for row in rows:
        table.add_row(*map(_shown, row))
    Console(highlight=False, width=None if sys.stdout.isatty() else 120).print(table)


def _key(name: str) -> str:
    return name.replace(" ", "_").replace("@", "_at_").replace("-", "_").lower()


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4f}" if abs(value) < 1e4 else f"{value:,.0f}"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, list | tuple):
        shown = ", ".join(map(str, value[:12]))
        return shown + (f" … ({len(value)})" if len(value) > 12 else "")
    return "none" if value is None else str(value)


def progress_bar(what: str, total: int | None, *, unit: str = "rounds", quiet: bool) -> Progress | None:
    """Return a progress bar, shown after PATIENCE seconds and cleared at the end; None without a terminal."""
    if quiet or not sys.stderr.isatty():
        return None
    return Progress(what, total, unit=unit, patience=PATIENCE, remains=False)


def counted(parts: Iterable[Any], what: str, total: int | None, unit: str, *, quiet: bool) -> Iterator[Any]:
    """Yield blocks or lists of sequences, and show a progress bar of what was done with them."""
    bar, count = progress_bar(what, total, unit=unit, quiet=quiet), 0
    for part in parts:
        yield part
        count += len(part)
        if bar is not None:
            bar.at(count)
    if bar is not None:
        bar.close()
