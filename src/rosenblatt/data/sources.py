"""Files of rows in any format, told by what is in them, read in blocks whenever they are gone through."""

from __future__ import annotations

import csv
import hashlib
import os
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt.data.blocks import Block
from rosenblatt.data.encoding import Schema
from rosenblatt.data.files import BOM, GZIP, XZ, ZSTANDARD, lines_of
from rosenblatt.data.svmlight import Svmlight, svmlight_blocks
from rosenblatt.data.tables import arrow_blocks, csv_blocks, json_blocks

FORMATS = ("svmlight", "csv", "tsv", "jsonl", "parquet", "arrow", "conll")

STDIN = "-"
"""The name of what comes in by standard input."""

PEEKED = 2**16
"""Bytes that are looked at to tell a format."""

SVMLIGHT = re.compile(rb"\s*[-+]?[\d.][\d.eE+-]*(,[-+]?\d[\d.]*)*(\s+(qid|\d+):\S+)+\s*(#.*)?$")


def name_of(path: str) -> str:
    """What to call it in an error."""
    return "standard input" if path == STDIN else path


def file_of(path: str) -> Any:
    """The file, or standard input."""
    return sys.stdin.buffer if path == STDIN else path


def format_of(path: str) -> str:
    """Which of FORMATS a file is in, by its first lines."""
    head = _head(path)
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith((b"ARROW1", b"\xff\xff\xff\xff")):
        return "arrow"
    text = head.removeprefix(BOM).replace(b"\r", b"").rstrip(b"\n")
    content = [line for line in text.split(b"\n") if line.strip() and not line.lstrip().startswith(b"#")]
    if not content:
        raise ValueError(f"There is nothing in {name_of(path)} to learn from or to answer.")
    first = content[0]
    if first.lstrip().startswith(b"{"):
        return "jsonl"
    if any(SVMLIGHT.match(_whole(line, len(head))) for line in content[:5]):
        return "svmlight"
    apart = b"\n\n" in text
    for separator, name in ((b"\t", "tsv"), (b",", "csv"), (b";", "csv")):
        if separator in first and all(separator in line for line in content[1:3]):
            return "conll" if apart and name == "tsv" else name
    if len(content) > 1 and (apart or len(set(map(_cells, content[:-1]))) == 1):
        return "conll"
    raise ValueError(
        f"The format of {name_of(path)} cannot be told from its first line, "
        f"{first[:60].decode(errors='replace')!r}. Say it with --format, one of {', '.join(FORMATS)}."
    )


def _whole(line: bytes, seen: int) -> bytes:
    """A line without its last cell if that may be cut off, because no more of it was looked at."""
    return line if len(line) < seen - 1 or b" " not in line else line[: line.rindex(b" ")]


def _cells(line: bytes) -> int:
    return len(line.split())


def _head(path: str) -> bytes:
    if path == STDIN:
        return bytes(sys.stdin.buffer.peek(PEEKED)[:PEEKED])  # type: ignore[union-attr]
    with lines_of(path) as lines:
        return bytes(lines.read(PEEKED))  # type: ignore[attr-defined]


@dataclass
class RowSource:
    """The rows of a file, from its beginning whenever they are gone through.

    Parameters
    ----------
    path
        The file, or STDIN.
    format
        One of FORMATS but "conll".
    schema
        Which columns are what; of svmlight files, the kind of labels and how many buckets there are.
    skip_bad
        How many bad lines may be left out.
    width
        How many features the rows of an svmlight file are to have; those beyond are left out and counted.

    Attributes
    ----------
    beyond
        The largest feature that was left out; 0 if none was.
    """

    path: str
    format: str
    schema: Schema
    skip_bad: int = 0
    width: int | None = None
    beyond: int = field(default=0, init=False)

    def __iter__(self) -> Iterator[Block]:
        if self.format == "svmlight":
            for table in svmlight_blocks(file_of(self.path), skip_bad=self.skip_bad):
                yield self._svmlight(table)
        elif self.format in ("parquet", "arrow"):
            yield from arrow_blocks(_batches(self.path, self.format), self.schema, name_of(self.path))
        else:
            yield from self._of_lines()

    def _of_lines(self) -> Iterator[Block]:
        with lines_of(file_of(self.path)) as lines:
            texts = _decoded(lines, name_of(self.path))
            if self.format == "jsonl":
                yield from json_blocks(texts, self.schema, name_of(self.path), skip_bad=self.skip_bad)
                return
            separator = "\t" if self.format == "tsv" else _separator(self.path)
            yield from csv_blocks(
                texts, self.schema, name_of(self.path), separator=separator, skip_bad=self.skip_bad
            )

    def _svmlight(self, table: Svmlight) -> Block:
        schema, X = self.schema, table.X
        if schema.vocabulary.bits is not None:
            X = sp.csr_array(
                (X.data, X.indices % 2**schema.vocabulary.bits, X.indptr),
                (X.shape[0], 2**schema.vocabulary.bits),
            )
            X.sum_duplicates()
        elif self.width is not None:
            self.beyond = max(self.beyond, X.shape[1] if X.shape[1] > self.width else 0)
            X = X[:, : self.width] if X.shape[1] > self.width else X
            X.resize((X.shape[0], self.width))
        exact = bool(((table.y == np.floor(table.y)) & (np.abs(table.y) < 2**53)).all())
        schema.kind = schema.kind or ("int" if exact else "float")
        whole = schema.kind == "int" and exact
        y = table.y.astype(np.int64) if whole else table.y
        ids = table.comments if any(table.comments) else None
        return Block(X, y, table.qid, ids, table.skipped)


def about_rows(path: str, kind: str) -> int | None:
    """About how many rows a file has, by the length of its first lines; None where nobody can tell."""
    if path == STDIN or kind not in ("svmlight", "csv", "tsv", "jsonl"):
        return None
    with open(path, "rb") as file:
        head, size = file.read(PEEKED), os.fstat(file.fileno()).st_size
    lines = head.count(b"\n")
    packed = head.startswith((GZIP, XZ, ZSTANDARD))
    return None if packed or not lines else max(lines, size * lines // len(head))


def fingerprint(path: str) -> dict[str, Any]:
    """What tells a file from another of the same name: its size, and a digest of its bytes."""
    with open(path, "rb") as file:
        digest = hashlib.file_digest(file, "sha256")
        return {"size": file.tell(), "digest": digest.hexdigest()}


def _decoded(lines: Iterable[bytes], name: str) -> Iterator[str]:
    for number, line in enumerate(lines, 1):
        try:
            yield (line.removeprefix(BOM) if number == 1 else line).decode()
        except UnicodeDecodeError as broken:
            raise ValueError(f"Line {number} of {name} is not a text in UTF-8: {broken}.") from None


def _separator(path: str) -> str:
    """What stands between the cells of the first line: a comma, a semicolon or a tab."""
    first = _head(path).splitlines()[0].decode(errors="replace")
    try:
        return csv.Sniffer().sniff(first, ",;\t|").delimiter
    except csv.Error:
        return ","


def _batches(path: str, kind: str) -> Iterator[Any]:
    """The record batches of a Parquet or Arrow file."""
    try:
        import pyarrow
        from pyarrow import ipc, parquet
    except ImportError as missing:
        raise ImportError(
            "Parquet and Arrow files need pyarrow: pip install 'rosenblatt[tables]'"
        ) from missing
    if path == STDIN:
        raise ValueError("Parquet and Arrow are read from files. Got standard input.")
    try:
        if kind == "parquet":
            yield from parquet.ParquetFile(path).iter_batches(batch_size=16_384)
            return
        with open(path, "rb") as file:
            magic = file.read(6)
        reader = ipc.open_file(path) if magic == b"ARROW1" else ipc.open_stream(path)
        count = getattr(reader, "num_record_batches", None)
        yield from reader if count is None else (reader.get_batch(i) for i in range(count))
    except pyarrow.ArrowInvalid as broken:
        raise ValueError(f"{path} cannot be read as {kind}: {broken!s:.200}") from None
