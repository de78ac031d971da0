"""How many threads a call may use: those of matrix products, similarities, votes and decoding."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from functools import cache
from threading import Lock
from typing import Any, TypeVar

MOST = min(4, os.cpu_count() or 1)
"""Threads of a vote without a limit: more wait for the memory."""

Piece = TypeVar("Piece")

_limit: ContextVar[int | None] = ContextVar("limit", default=None)


@cache
def cores() -> int:
    """Return the number of cores that this process may use, in a container, too."""
    from joblib import cpu_count  # here: it reads the limits of the container

    return int(cpu_count())


def threads(otherwise: int = MOST) -> int:
    """Return the limit that is in force, or `otherwise` without one."""
    limit = _limit.get()
    return otherwise if limit is None else limit


@contextmanager
def limited_to(n_jobs: int | None) -> Iterator[None]:
    """Use at most this many threads, those of matrix products included; None to set no limit.

    −1 is one per core, −2 all cores but one, and so on.
    """
    if n_jobs is None:
        yield
        return
    from threadpoolctl import threadpool_limits  # here: most calls set no limit

    limit = n_jobs if n_jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + n_jobs)
    token = _limit.set(limit)
    try:
        with threadpool_limits(limit):
            yield
    finally:
        _limit.reset(token)


_limiting = Lock()


@contextmanager
def products_in_one_thread() -> Iterator[None]:
    """Compute matrix products in one thread, in the whole process; if another caller does so, change nothing.

    The threads of OpenBLAS wait for each other in a loop. A small product needs them for less time than the
    system lets another process have a core: on a busy machine it takes hundreds of times as long as alone.
    """
    if not _limiting.acquire(blocking=False):
        yield
        return
    try:
        with _controller().limit(limits=1, user_api="blas"):
            yield
    finally:
        _limiting.release()


@cache
def _controller() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


_pools: list[ThreadPoolExecutor] = []


def in_threads(work: Callable[[Piece], None], pieces: Sequence[Piece]) -> None:
    """Do some work on every piece, the first in this thread and the others in threads that are kept.

    An error in one of them is raised when all have ended. Work must not call this function.
    """
    if not _pools and len(pieces) > 1:
        _pools.append(ThreadPoolExecutor(cores(), "rosenblatt"))
    others = [_pools[0].submit(copy_context().run, work, piece) for piece in pieces[1:]]
    try:
        work(pieces[0])
    finally:
        wait(others)
    for done in others:
        done.result()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pools.clear)  # a fork has none of the threads
