"""Instructions that Python lacks: from the compiler's internals or, where these are missing, without them.

An upgrade of Numba or llvmlite may change their internals. Then loops are slower, and their results stay the
same. With ROSENBLATT_PLAIN_LOOPS=1 in the environment the internals are not used.
"""

from __future__ import annotations

import os

PLAIN = os.environ.get("ROSENBLATT_PLAIN_LOOPS", "") == "1"
"""Whether loops are compiled by Numba's public interface alone."""

try:
    if PLAIN:
        raise ImportError
    from rosenblatt.loops.internals import (
        COUNTING,
        NO_COUNTING,
        PART,
        byte_at,
        cached,
        high_product,
        leading_zeros,
        prefetch,
        prefetch_for_later,
        trailing_zeros,
        when_compiling,
        word_at,
    )
except (ImportError, AttributeError, TypeError):
    from rosenblatt.loops.fallbacks import (
        COUNTING,
        NO_COUNTING,
        PART,
        byte_at,
        cached,
        high_product,
        leading_zeros,
        prefetch,
        prefetch_for_later,
        trailing_zeros,
        when_compiling,
        word_at,
    )

PREFETCHED = 128
"""Values of a row that are prefetched at most: after these the processor prefetches by itself."""

STRIDE = 16
"""Values from one prefetch to the next: two cache lines of float64."""

__all__ = [
    "COUNTING",
    "NO_COUNTING",
    "PART",
    "PLAIN",
    "PREFETCHED",
    "STRIDE",
    "byte_at",
    "cached",
    "high_product",
    "leading_zeros",
    "prefetch",
    "prefetch_for_later",
    "trailing_zeros",
    "when_compiling",
    "word_at",
]
