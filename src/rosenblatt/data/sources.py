"""Files of rows in any format, read in blocks in every pass."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from rosenblatt.data.blocks import Block
from rosenblatt.data.files import BOM, MAGIC, is_packed, lines_of, standard_input
from rosenblatt.data.formats import FORMATS, detect, separator_of
from rosenblatt.data.schema import Schema
from rosenblatt.data.svmlight import Svmlight, svmlight_blocks
from rosenblatt.data.tables import arrow_blocks, csv_blocks, json_blocks

if TYPE_CHECKING:
    from rosenblatt.data.scaling import Scaling

__all__ = [
    "FORMATS",
    "STDIN",
    "KeptBlocks",
    "RowSource",
    "about_rows",
    "file_of",
    "fingerprint",
    "format_of",
    "name_of",
]

STDIN = "-"
"""The path that stands for standard input."""

PEEKED = 2**16
"""Bytes from which a format is detected."""

KEPT = 2**28
"""The most bytes of rows that are kept in memory for the next epoch."""


def name_of(path: str) -> str:
    """Return the name of a path for an error."""
    return "standard input" if path == STDIN else path


def file_of(path: str) -> Any:
    """Return the path, or standard input."""
    return standard_input() if path == STDIN else path


def format_of(path: str, expected: str | None = None) -> str:
    """Return which of FORMATS a file is in, by name, else by content; raises ValueError if they disagree.

    Content that may be in the `expected` format is in that, and a pipe, which cannot be examined, too.
    """
    if expected is not None and path != STDIN and not _can_be_read_again(path):
        return expected
    head = _head(path)
    return detect(path, name_of(path), head, cut=len(head) == PEEKED, expected=expected)


def _head(path: str) -> bytes:
    if path == STDIN:
        return standard_input().head(PEEKED)
    if not _can_be_read_again(path):
        raise ValueError(
            f"{path} is a pipe, which can be read only once. Give - and let it be standard input."
        )
    with lines_of(path) as lines:
        return bytes(lines.read(PEEKED))  # type: ignore[attr-defined]


def _can_be_read_again(path: str) -> bool:
    return not stat.S_ISFIFO(os.stat(path).st_mode)


@dataclass
class RowSource:
    """The rows of a file, read from its beginning by every iteration.

    Parameters
    ----------
    path
        The file, or STDIN.
    format
        One of FORMATS but "conll".
    schema
        The roles of columns; for svmlight files, the type of labels and the number of buckets.
    skip_bad
        How many bad lines may be skipped.
    width
        How many features the rows of an svmlight file shall have; features beyond are left out.
    scaling
        What is applied to the rows; None for nothing.

    Attributes
    ----------
    beyond
        The largest feature that was left out; 0 if none.
    """

    path: str
    format: str
    schema: Schema
    skip_bad: int = 0
    width: int | None = None
    scaling: Scaling | None = None
    beyond: int = field(default=0, init=False)

    def __iter__(self) -> Iterator[Block]:
        blocks = self._blocks()
        return blocks if self.scaling is None else map(self.scaling.block, blocks)

    def _blocks(self) -> Iterator[Block]:
        if self.format == "svmlight":
            for table in svmlight_blocks(file_of(self.path), skip_bad=self.skip_bad):
                yield self._svmlight(table)
        elif self.format in ("parquet", "arrow"):
            yield from arrow_blocks(_batches(self.path, self.format), self.schema, name_of(self.path))
        else:
            yield from self._of_lines()

    def _of_lines(self) -> Iterator[Block]:
        with lines_of(file_of(self.path)) as lines:
            strings = _decoded(lines, name_of(self.path))
            if self.format == "jsonl":
                yield from json_blocks(strings, self.schema, name_of(self.path), skip_bad=self.skip_bad)
                return
            separator = "\t" if self.format == "tsv" else separator_of(_head(self.path))
            yield from csv_blocks(
                strings, self.schema, name_of(self.path), separator=separator, skip_bad=self.skip_bad
            )

    def _svmlight(self, table: Svmlight) -> Block:
        schema, X = self.schema, table.X
        if schema.buckets is not None:
            X = sp.csr_array((X.data, X.indices % schema.buckets, X.indptr), (X.shape[0], schema.buckets))
            X.sum_duplicates()
        elif self.width is not None:
            self.beyond = max(self.beyond, X.shape[1] if X.shape[1] > self.width else 0)
            X = X[:, : self.width] if X.shape[1] > self.width else X
            X.resize((X.shape[0], self.width))
        exact = bool(((table.y == np.floor(table.y)) & (np.abs(table.y) < 2**53)).all())
        schema.kind = schema.kind or ("int" if exact else "float")
        integers = schema.kind == "int" and exact
        y = table.y.astype(np.int64) if integers else table.y
        ids = table.comments if any(table.comments) else None
        return Block(X, y, table.qid, ids, table.skipped)


class KeptBlocks:
    """The blocks of a source, kept in memory after the first pass if their rows take at most KEPT bytes.

    Parsing a table takes many times longer than an epoch over its rows. A source with more rows is read in
    every pass, so memory stays bounded; but standard input, which can be read once, is kept from the start.
    """

    def __init__(self, source: RowSource) -> None:
        self._source = source
        self._kept = list(source) if source.path == STDIN else None
        self._status: tuple[int, int] | None = None

    def scale(self, scaling: Scaling) -> None:
        """Scale the rows from the next pass on."""
        self._source.scaling = scaling
        self._kept = None if self._kept is None else [scaling.block(block) for block in self._kept]

    def __iter__(self) -> Iterator[Block]:
        if self._kept is not None:
            yield from self._kept
            return
        self._check_unchanged()
        kept, room = list[Block](), KEPT
        for block in self._source:
            room -= block.bytes_of_rows
            kept = [*kept, block] if room >= 0 else []
            yield block
        self._check_unchanged()
        self._kept = kept if room >= 0 else None

    def _check_unchanged(self) -> None:
        """Raise ValueError if the size or the modification time of the file is not what it was."""
        about = os.stat(self._source.path)
        status = about.st_size, about.st_mtime_ns
        if self._status not in (None, status):
            raise ValueError(
                f"{self._source.path} has changed since the first epoch began. Restart, and leave it as it "
                "is until the run ends."
            )
        self._status = status


def about_rows(path: str, kind: str) -> int | None:
    """Estimate the number of rows of a file by the length of its first lines; None if that is impossible."""
    if path == STDIN or kind not in ("svmlight", "csv", "tsv", "jsonl") or not _can_be_read_again(path):
        return None
    with open(path, "rb") as file:
        head, size = file.read(PEEKED), os.fstat(file.fileno()).st_size
    lines = head.count(b"\n")
    return None if is_packed(head) or not lines else max(lines, size * lines // len(head))


def fingerprint(path: str) -> dict[str, Any]:
    """Return the size of a file and a digest of its bytes."""
    with open(path, "rb") as file:
        digest = hashlib.file_digest(file, "sha256")
        return {"size": file.tell(), "digest": digest.hexdigest()}


def _decoded(lines: Iterable[bytes], name: str) -> Iterator[str]:
    for number, line in enumerate(lines, 1):
        try:
            yield (line.removeprefix(BOM) if number == 1 else line).decode()
        except UnicodeDecodeError as broken:
            raise ValueError(f"Line {number} of {name} is not UTF-8: {broken}.") from None


def _batches(path: str, kind: str) -> Iterator[Any]:
    """Yield the record batches of a Parquet or Arrow file."""
    try:
        import pyarrow
        from pyarrow import ipc, parquet
    except ImportError as missing:
        raise ImportError(
            "Parquet and Arrow files need pyarrow: pip install 'rosenblatt[tables]'"
        ) from missing
    if path == STDIN:
        raise ValueError("Parquet and Arrow are read from files. Got standard input.")
    with open(path, "rb") as file:
        magic = file.read(MAGIC)
    if is_packed(magic):
        raise ValueError(f"Parquet and Arrow files compress their own columns. Got {path}: Decompress it.")
    try:
        if kind == "parquet":
            yield from parquet.ParquetFile(path).iter_batches(batch_size=16_384)
            return
        reader = ipc.open_file(path) if magic.startswith(b"ARROW1") else ipc.open_stream(path)
        count = getattr(reader, "num_record_batches", None)
        yield from reader if count is None else (reader.get_batch(i) for i in range(count))
    except pyarrow.ArrowInvalid as broken:
        raise ValueError(f"{path} cannot be read as {kind}: {broken!s:.200}") from None
