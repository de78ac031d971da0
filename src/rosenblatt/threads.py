"""Rows shared out among the cores: every core does all the work on its part of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

LEAST = 64
"""Rows below which a part is not worth a thread."""


def cores() -> int:
    """How many cores this process may use; fewer than the machine has in a container."""
    allowed = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed else os.cpu_count() or 1


def share(work: Callable[[slice], None], size: int) -> None:
    """Call `work` on slices that make up `range(size)`, all at the same time.

    Matrix products inside run on one core each: two cores that each do half of everything wait less
    for each other than a product on two cores followed by a loop on one.
    """
    parts = max(1, min(cores(), size // LEAST))
    if parts == 1:
        work(slice(0, size))
        return
    edges = [size * part // parts for part in range(parts + 1)]
    with _one_core_products():
        list(_pool(os.getpid()).map(work, map(slice, edges[:-1], edges[1:])))


@cache
def _pool(process: int) -> ThreadPoolExecutor:
    """The threads of this process; a forked child has none of its parent's."""
    return ThreadPoolExecutor(cores(), thread_name_prefix="rosenblatt")


class _Limit:
    """The one setting of the BLAS library that all threads of a process share, and who relies on it."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.users = 0
        self.context: Any = None


_LIMIT = _Limit()


@cache
def _controller() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


@contextmanager
def _one_core_products() -> Iterator[None]:
    """Keep matrix products on one core while anybody is in here; the first sets it, the last resets it."""
    with _LIMIT.lock:
        _LIMIT.users += 1
        if _LIMIT.users == 1:
            _LIMIT.context = _controller().limit(limits=1, user_api="blas")
            _LIMIT.context.__enter__()
    try:
        yield
    finally:
        with _LIMIT.lock:
            _LIMIT.users -= 1
            if _LIMIT.users == 0:
                _LIMIT.context.__exit__(None, None, None)
