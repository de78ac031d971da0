"""The command compile: all loops, ahead of their first use, in several processes."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from importlib import import_module
from multiprocessing import active_children, get_context
from time import perf_counter
from typing import Any, TypeAlias, cast

import typer

from rosenblatt.cli.output import say, show
from rosenblatt.loops.notices import NOTICES

Kind: TypeAlias = tuple[str, str]
"""A part of the library and a kind of work in it."""

CALLS: dict[Kind, str] = {
    ("tagger", "sentences"): "tag_sentences",
    ("classifier", "dense rows"): "classify_dense_rows",
    ("classifier", "CSR rows"): "classify_sparse_rows",
    ("classifier", "a kernel"): "classify_by_kernel",
    ("ranker", "dense rows"): "rank_dense_rows",
    ("ranker", "CSR rows"): "rank_sparse_rows",
    ("online", "strings"): "read_online",
    ("files", "svmlight"): "read_file",
    ("ranker", "a kernel"): "rank_by_kernel",
    ("online", "rows"): "classify_online",
    ("online", "lists"): "rank_online",
    ("online", "sentences"): "tag_online",
}
"""The functions of `cli/first_calls.py`, in the order in which two processes begin them and end at once.

Only the processes that call them import them: this one would take longer for it than to start the others.
"""

PARTS = tuple(dict.fromkeys(part for part, _ in CALLS))

KILLED = (
    "A process that compiled was killed, as happens when memory runs out. Try again with --processes 1: what "
    "was compiled before is kept."
)


def compile_ahead(parts: list[str], processes: int | None, *, quiet: bool, as_json: bool) -> None:
    """Compile the loops of some parts of the library, or of all, and keep them."""
    if unknown := [name for name in parts if name not in PARTS]:
        raise typer.BadParameter(f"The parts to compile are {', '.join(PARTS)}. Got {unknown[0]!r}.")
    kinds = [kind for kind in CALLS if kind[0] in (parts or PARTS)]
    began = perf_counter()
    for (part, what), seconds in compiled(kinds, processes or os.cpu_count() or 1):
        say(f"{seconds:5.1f} s  {part}: {what}", quiet=quiet)
    summary = [
        ("kinds of work", len(kinds)),
        ("seconds", perf_counter() - began),
        ("kept in", folder_of_code()),
    ]
    show("Compiled", summary, as_json)


def folder_of_code() -> str:
    """Return the folder of compiled code; raise ValueError if code cannot be kept."""
    from rosenblatt.loops.sparse import score_rows

    folder = cast(Any, score_rows).stats.cache_path
    if NOTICES.fault is not None:
        raise ValueError(
            f"Compiled code cannot be kept: {NOTICES.fault}. Set NUMBA_CACHE_DIR to a folder that can be "
            "written, here and where the code will be used."
        )
    return str(folder)


def compiled(kinds: list[Kind], processes: int) -> Iterator[tuple[Kind, float]]:
    """Make first calls in fresh processes; yields each kind with the seconds it took when it is done."""
    with ProcessPoolExecutor(min(processes, len(kinds)), get_context("spawn"), prepare) as pool:
        with started_without_interrupts():
            pending = {pool.submit(timed, kind): kind for kind in kinds}
        try:
            folder_of_code()
            for done in as_completed(pending):
                yield pending[done], done.result()
        except BaseException as fault:
            for process in active_children():
                process.terminate()
            if isinstance(fault, BrokenProcessPool):
                raise MemoryError(KILLED) from fault
            raise


@contextmanager
def started_without_interrupts() -> Iterator[None]:
    """Let the processes that are started here ignore Ctrl-C, which their parent answers by ending them."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def prepare() -> None:
    """Let this process ignore Ctrl-C, report no compilation, and collect no garbage: it ends soon."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    NOTICES.silence()
    gc.disable()


def timed(kind: Kind) -> float:
    """Make the first calls of a kind of work, check that code was kept, and return the seconds they took."""
    began = perf_counter()
    getattr(import_module("rosenblatt.cli.first_calls"), CALLS[kind])()
    folder_of_code()
    return perf_counter() - began
