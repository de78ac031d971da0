"""The groups of arrays and numbers that loops take.

A loop is given them as plain tuples, `tuple(group)`, and names them again in its first line: Numba finds the
types of a plain tuple in a quarter of the time, which counts where a loop plays one round.
"""

from __future__ import annotations

from typing import NamedTuple

from rosenblatt._types import Array, Floats, Ints


class Csr(NamedTuple):
    """Sparse rows: the features and values of row i lie between starts[i] and starts[i + 1]."""

    starts: Ints
    features: Array
    values: Array
    width: int


class Dense(NamedTuple):
    """Dense rows (rows × features) in double or in single precision: the other array has no rows.

    So a loop is compiled for both at once. `memory` is the rows byte by byte, to be
    prefetched, and `itemsize` the bytes of a value.
    """

    double: Array
    single: Array
    memory: Array
    itemsize: int


class Program(NamedTuple):
    """Templates: the path of t begins at roots[t], and its parts lie between bounds[t] and bounds[t + 1].

    Part p sees views[p] of the token at shifts[p], counted from the farthest that any part sees.
    """

    roots: Ints
    bounds: Ints
    shifts: Ints
    views: Ints
    farthest: int


class Shown(NamedTuple):
    """The rounds to play: in the round i of `order`, the rows which[starts[i]:starts[i + 1]] are shown.

    `truths` has one truth per row, a number or a vector. `weights` has one weight per round, or one per round
    and head, or is empty if all are 1.
    """

    order: Ints
    starts: Ints
    which: Ints
    truths: Array
    weights: Floats


class Weights(NamedTuple):
    """A guess in the primal, as a pass reads it.

    `current` is w, `delayed` is u, from which the average is w − u / rounds; it is empty if another loop
    updates u. The last weight of an output is that of the constant feature, whose value is `constant`.
    """

    current: Floats
    delayed: Floats
    structure: Floats
    constant: float


class Stepping(NamedTuple):
    """The numbers of a rule: the margin that it requires, and the parameters of its step."""

    required: float
    parameters: Floats


class Tables(NamedTuple):
    """The tables of a run's book; see `loops/book.py` for their columns."""

    corrections: Floats
    entries: Floats
    tally: Ints


class First(NamedTuple):
    """The ids of the first example and of the first row: indices count from them."""

    example: int
    row: int


class Scratch(NamedTuple):
    """Work arrays of a round: the entries a judge writes, scores and truths, and a vector of features."""

    where: Ints
    amount: Floats
    scores: Floats
    truth: Array
    delta: Floats


class Following(NamedTuple):
    """The state of the predictor `recent` (`engine/recent.py`), and work arrays to judge its average."""

    sums: Floats
    structure: Floats
    since: Ints
    behind: Ints
    scores: Floats
    average: Floats
    average_structure: Floats
    where: Ints
    amount: Floats
