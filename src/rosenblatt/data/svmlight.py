"""svmlight files: per line a label, perhaps a query, features as index:value, and a comment."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from operator import index
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from rosenblatt._types import Array, Floats, Ints
from rosenblatt.data.blocks import Skipped, one_ahead
from rosenblatt.data.files import BOM, Source, Text, name_of, texts_of, write_text

LARGEST = 2**31 - 2
"""The largest feature of a CSR matrix with indices of 32 bits."""

LINE = "A line must be a label, perhaps a query as qid:3, and features as 7:0.5."
LABELS = (
    "A label must be one number: lines with several labels are not read. Write one file for each label, "
    "with 1 where a line has it and -1 where not; or learn from Python, where PerceptronClassifier takes "
    "what sklearn.datasets.load_svmlight_file(path, multilabel=True) returns."
)
QUERY = "A query must be an integer of at most 64 bits, as in qid:3."
HUGE = f"A feature must be at most {LARGEST}: hash the features into fewer, as with number % 2**20 + 1."

CELL = re.compile(rb"[^ \t\n\r\v\f]+")
INTEGER = re.compile(rb"([+-]?)0*(\d+)")
NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
WIDE = 60
"""The most characters of a line that an error shows."""

BLOCK = 2**24
"""Bytes read at once."""

SMALL = 2**17
"""The most bytes that are parsed in Python: for fewer, the compiled loop takes longer to load."""


class Svmlight(NamedTuple):
    """The contents of a file: rows as CSR, labels, queries or None, comments, and skipped lines."""

    X: Any
    y: Floats
    qid: Ints | None
    comments: list[str]
    skipped: list[Skipped]


def read_svmlight(source: Source, *, n_features: int | None = None, skip_bad: int = 0) -> Svmlight:
    """Read rows, labels, queries and comments from a file or from lines.

    Features are counted from 1, as in the files of LETOR and LIBSVM; those of a row may come in any order,
    and values of the same feature are added up. Numbers are read as Python reads them, to the last bit.

    Parameters
    ----------
    source
        A path or an open binary file, which may be compressed with gzip, bzip2, xz or Zstandard; or lines.
    n_features
        The number of columns; by default the largest feature.
    skip_bad
        How many bad lines may be skipped. `skipped` lists them; one more is an error.

    Examples
    --------
    >>> table = read_svmlight(["2 qid:1 1:0.5 3:1 # first", "0 qid:1 2:1"])
    >>> table.X.toarray().tolist(), table.y.tolist(), table.qid.tolist(), table.comments
    ([[0.5, 0.0, 1.0], [0.0, 1.0, 0.0]], [2.0, 0.0], [1, 1], ['first', ''])
    """
    reader = _Reader(source, n_features, skip_bad)
    table = reader.block(list(texts_of(source, BLOCK)))
    if not len(table.y):
        raise ValueError(f"There is no row in {name_of(source)}.")
    return table


def svmlight_blocks(
    source: Source, *, block_bytes: int = BLOCK, n_features: int | None = None, skip_bad: int = 0
) -> Iterator[Svmlight]:
    """Yield blocks of rows, for files larger than memory: only a few blocks are held at a time.

    The next block is read in a background thread while the caller works on the last. Without `n_features`,
    the rows of a block are as wide as its largest feature. `skip_bad` counts for all blocks together.

    Parameters
    ----------
    source, n_features, skip_bad
        As in `read_svmlight`.
    block_bytes
        The bytes of a block, more if a line is longer.

    Examples
    --------
    >>> for block in svmlight_blocks(["1 1:0.5 3:1", "-1 2:1", "1 3:2"], block_bytes=16, n_features=3):
    ...     print(block.X.toarray().tolist(), block.y)
    [[0.5, 0.0, 1.0], [0.0, 1.0, 0.0]] [ 1. -1.]
    [[0.0, 0.0, 2.0]] [1.]
    """
    if block_bytes < 1:
        raise ValueError(f"A block must be at least 1 byte. Got {block_bytes}.")
    reader = _Reader(source, n_features, skip_bad)
    return one_ahead(_with_rows(reader.block([text]) for text in texts_of(source, block_bytes)))


def _with_rows(blocks: Iterator[Svmlight]) -> Iterator[Svmlight]:
    """Yield the blocks that have rows; lines skipped in others are listed in a block beside them."""
    held: Svmlight | None = None
    skipped: list[Skipped] = []
    for block in blocks:
        if not len(block.y):
            (skipped if held is None else held.skipped).extend(block.skipped)
            continue
        if held is not None:
            yield held
        held = block._replace(skipped=skipped + block.skipped)
        skipped = []
    if held is not None:
        yield held


class _Arrays(NamedTuple):
    """The arrays that rows are written to; see `loops.svmlight.parse`."""

    labels: Floats
    queries: Ints
    ends: Ints
    remarks: Ints
    features: Array
    values: Floats


class _Reader:
    """A parser of chunks, which counts the lines and the skipped lines of all of them."""

    def __init__(self, source: Source, n_features: int | None, skip_bad: int) -> None:
        if n_features is not None and index(n_features) < 0:
            raise ValueError(f"n_features is how many columns there are, at least 0. Got {n_features}.")
        if index(skip_bad) < 0:
            raise ValueError(f"skip_bad is how many bad lines may be left out, at least 0. Got {skip_bad}.")
        from rosenblatt.loops import (
            svmlight as loops,
        )  # late: its import takes longer than reading a small file

        self._loops = loops
        self._name, self._n_features, self._skip_bad = name_of(source), n_features, skip_bad
        self._most = LARGEST if n_features is None else min(index(n_features), LARGEST)
        self._tally = np.array([0, 0, 0, -1, 0, 0], np.int64)
        self._bad = 0

    def block(self, texts: Sequence[Text]) -> Svmlight:
        """Parse some chunks into one block."""
        loops, tally = self._loops, self._tally
        tally[[loops.ROW, loops.NUMBER, loops.UNORDERED, loops.LARGEST]] = 0
        small = sum(text.end - text.begin for text in texts) <= SMALL
        count = _count if small else loops.count
        room = [count(_codes(text), text.begin, text.end) for text in texts]
        lines, colons = sum(lines for lines, _ in room), sum(colons for _, colons in room)
        arrays = _Arrays(
            np.empty(lines),
            np.empty(lines, np.int64),
            np.zeros(lines + 1, np.int64),
            np.empty((lines, 2), np.int64),
            np.empty(colons, np.int32),
            np.empty(colons),
        )
        comments, skipped = list[str](), list[Skipped]()
        for text in texts:
            comments += self._parse(text, arrays, skipped, line_by_line=small)
        return self._table(arrays, comments, skipped)

    def _parse(self, text: Text, arrays: _Arrays, skipped: list[Skipped], *, line_by_line: bool) -> list[str]:
        """Write the rows of a chunk to the arrays; returns their comments."""
        loops, tally = self._loops, self._tally
        first, at = int(tally[loops.ROW]), text.begin
        if tally[loops.LINE] == 0 and text.raw[at : at + len(BOM)] == BOM:
            at += len(BOM)
        while at < text.end:
            if not line_by_line:
                at = loops.parse(_codes(text), at, text.end, self._most, tally, *arrays)
            if at < text.end:
                at = self._read_line(text, at, arrays, skipped)
        remarks = arrays.remarks[first : tally[loops.ROW]]
        comments = [""] * len(remarks)
        for row in np.flatnonzero(remarks[:, 0] < remarks[:, 1]).tolist():
            comments[row] = text.raw[remarks[row, 0] + 1 : remarks[row, 1]].decode(errors="replace").strip()
        return comments

    def _read_line(self, text: Text, at: int, arrays: _Arrays, skipped: list[Skipped]) -> int:
        """Read a line that the loop does not, or skip it if it is bad; returns the offset of the next one."""
        loops, tally = self._loops, self._tally
        end = text.raw.find(b"\n", at)
        line, queries = text.raw[at:end], int(tally[loops.QUERIES])
        tally[loops.LINE] += 1
        try:
            read = read_line(line, self._n_features, None if queries < 0 else queries == 1)
        except LineError as fault:
            self._bad += 1
            if self._bad > self._skip_bad:
                raise ValueError(self._refusal(fault, line)) from None
            skipped.append(Skipped(int(tally[loops.LINE]), fault.in_column()))
        else:
            if read is not None:
                comment = line.find(b"#")
                self._write(read, (end if comment < 0 else at + comment, end), arrays)
        return end + 1

    def _refusal(self, fault: LineError, line: bytes) -> str:
        """Return the error for a bad line, with the number of lines skipped before it."""
        message = fault.in_line(int(self._tally[self._loops.LINE]), self._name, line)
        return f"{message} Bad lines skipped before it: {self._skip_bad}." if self._skip_bad else message

    def _write(self, line: Line, remark: tuple[int, int], arrays: _Arrays) -> None:
        """Write one row to the arrays, as the loop does."""
        loops, tally = self._loops, self._tally
        row, begin = tally[loops.ROW], tally[loops.NUMBER]
        end = begin + len(line.features)
        arrays.labels[row], arrays.queries[row], arrays.remarks[row] = line.label, line.query or 0, remark
        arrays.features[begin:end], arrays.values[begin:end] = line.features, line.values
        arrays.features[begin:end] -= 1
        arrays.ends[row + 1] = end
        tally[loops.ROW], tally[loops.NUMBER], tally[loops.QUERIES] = row + 1, end, line.query is not None
        tally[loops.LARGEST] = max(tally[loops.LARGEST], *line.features, 0)
        tally[loops.UNORDERED] += line.features != sorted(set(line.features))

    def _table(self, arrays: _Arrays, comments: list[str], skipped: list[Skipped]) -> Svmlight:
        """Return the rows that were written to the arrays."""
        loops, tally = self._loops, self._tally
        rows, numbers = int(tally[loops.ROW]), int(tally[loops.NUMBER])
        width = int(tally[loops.LARGEST]) if self._n_features is None else self._n_features
        ends = arrays.ends[: rows + 1].astype(np.int32 if numbers < 2**31 else np.int64)
        X = sp.csr_array((arrays.values[:numbers], arrays.features[:numbers], ends), shape=(rows, width))
        if tally[loops.UNORDERED]:
            X.sum_duplicates()
        else:
            X.has_canonical_format = True
        queries = arrays.queries[:rows] if tally[loops.QUERIES] == 1 else None
        return Svmlight(X, arrays.labels[:rows], queries, comments, skipped)


def _count(codes: Array, begin: int, end: int) -> tuple[int, int]:
    """Count lines and colons without the compiler."""
    text = codes[begin:end].tobytes()
    return text.count(b"\n"), text.count(b":")


def _codes(text: Text) -> Array:
    return np.frombuffer(text.raw, np.uint8)


class LineError(Exception):
    """An error in a line: what was expected, what was found, and at which byte, counted from 0."""

    def __init__(self, expected: str, got: object, at: int) -> None:
        super().__init__(expected, got, at)
        self.expected, self.at = expected, at
        self.got = _shown(got) if isinstance(got, bytes) else str(got)

    def in_column(self) -> str:
        """Return the message with the column only."""
        return f"{self.expected} Got {self.got} in column {self.at + 1}."

    def in_line(self, number: int, name: str, line: bytes) -> str:
        """Return the message with the file, the line, the column and an excerpt."""
        first = 0 if self.at < WIDE - 20 else self.at - 20
        return (
            f"{self.expected} Got {self.got} in line {number}, column {self.at + 1} of {name}: "
            f"{_shown(line[first : first + WIDE])}."
        )


class Line(NamedTuple):
    """The label of a line, its query, its features and their values."""

    label: float
    query: int | None
    features: list[int]
    values: list[float]


def read_line(text: bytes, n_features: int | None, with_query: bool | None) -> Line | None:
    """Parse a line; None if it is blank. `with_query`: whether the first row had a query, None before it."""
    cells = [(cell.group(), cell.start()) for cell in CELL.finditer(text.partition(b"#")[0])]
    if not cells:
        return None
    label, query = _label(*cells[0]), None
    if len(cells) > 1 and cells[1][0].startswith(b"qid:"):
        query = _query(cells[1][0][4:], cells[1][1] + 4)
    if with_query is not None and with_query != (query is not None):
        raise LineError(
            f"Either every row has a query or none, and the first has {'one' if with_query else 'none'}.",
            "none" if query is None else cells[1][0],
            cells[0 if query is None else 1][1],
        )
    features, values = [], []
    for cell, at in cells[1 if query is None else 2 :]:
        name, colon, value = cell.partition(b":")
        if not colon:
            raise LineError(LINE, cell, at)
        features.append(_feature(name, at, n_features))
        values.append(_number(value, at + len(name) + 1, "value"))
    return Line(label, query, features, values)


def _label(cell: bytes, at: int) -> float:
    if b"," in cell and all(NUMBER.fullmatch(part) for part in cell.split(b",") if part):
        raise LineError(LABELS, cell, at)
    return _number(cell, at, "label")


def _number(cell: bytes, at: int, what: str) -> float:
    """Parse a finite number into the nearest float."""
    if NUMBER.fullmatch(cell):
        number = float(cell)
    elif cell.lower().lstrip(b"+-") in (b"nan", b"inf", b"infinity"):
        number = math.nan
    else:
        raise LineError(LINE, cell, at)
    if not math.isfinite(number):
        raise LineError(f"A {what} must be a finite number.", cell, at)
    return number


def _query(cell: bytes, at: int) -> int:
    parts = INTEGER.fullmatch(cell)
    number = int(parts[1] + parts[2]) if parts and len(parts[2]) < 20 else 2**64
    if not -(2**63) <= number < 2**63:
        raise LineError(QUERY, cell, at)
    return number


def _feature(cell: bytes, at: int, n_features: int | None) -> int:
    parts = INTEGER.fullmatch(cell)
    if not parts:
        raise LineError(LINE, cell, at)
    number = int(parts[1] + parts[2]) if len(parts[2]) < 20 else 2**64
    if number < 1:
        raise LineError("Features are counted from 1.", number, at)
    if n_features is not None and number > n_features:
        raise LineError(f"There must be at most n_features={n_features} features.", cell.decode(), at)
    if number > LARGEST:
        raise LineError(HUGE, cell.decode(), at)
    return number


def _shown(text: bytes) -> str:
    shown = text.decode(errors="replace")
    return repr(shown if len(shown) <= WIDE else shown[: WIDE - 1] + "…")


def write_svmlight(
    target: str | PathLike[str], X: Any, y: Any, qid: Any = None, comments: Sequence[str] | None = None
) -> None:
    """Write rows with their labels, queries and comments.

    A path that ends in .gz, .bz2, .xz or .zst is compressed.
    """
    rows = sp.csr_array(X)
    rows.sort_indices()
    y, qid = np.asarray(y), None if qid is None else np.asarray(qid)
    comments = None if comments is None else list(comments)
    if qid is not None and qid.dtype.kind not in "iu":
        raise ValueError(f"Queries in svmlight files must be integers. Got {qid.dtype}.")
    for what, given in (("labels", y), ("queries", qid), ("comments", comments)):
        if given is not None and len(given) != rows.shape[0]:
            raise ValueError(f"There must be as many {what} as rows, {rows.shape[0]}. Got {len(given)}.")
    lines = []
    for i in range(rows.shape[0]):
        a, b = rows.indptr[i], rows.indptr[i + 1]
        cells = [f"{y[i]:.17g}", *([f"qid:{qid[i]}"] if qid is not None else [])]
        cells += [
            f"{f + 1}:{v!r}" for f, v in zip(rows.indices[a:b].tolist(), rows.data[a:b].tolist(), strict=True)
        ]
        if comments is not None and comments[i]:
            if "\n" in comments[i]:
                raise ValueError(f"A comment must be one line. Got {comments[i]!r} for row {i}.")
            cells.append(f"# {comments[i]}")
        lines.append(" ".join(cells) + "\n")
    write_text(target, "".join(lines))
