"""Files of lines, compressed or not."""

from __future__ import annotations

import gzip
import lzma
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import BufferedReader
from os import PathLike, fspath
from typing import Any

Source = str | PathLike[str] | Iterable[str]

BOM = b"\xef\xbb\xbf"
"""What some programs begin a text in UTF-8 with."""


@contextmanager
def lines_of(source: Source) -> Iterator[Iterable[bytes]]:
    """The lines of a file, or those given."""
    if not isinstance(source, str | PathLike):
        yield (line.encode() if isinstance(line, str) else line for line in source)
        return
    with open(source, "rb") as raw:
        magic = raw.read(6)
        raw.seek(0)
        unpacked: Any = raw
        if magic.startswith(b"\x1f\x8b"):
            unpacked = BufferedReader(gzip.GzipFile(fileobj=raw))
        elif magic == b"\xfd7zXZ\x00":
            unpacked = BufferedReader(lzma.LZMAFile(raw))  # noqa: SIM115
        try:
            yield unpacked
        except (EOFError, lzma.LZMAError, gzip.BadGzipFile, zlib.error) as broken:
            raise ValueError(f"{name_of(source)} is compressed and broken: {broken}.") from broken


def name_of(source: Source) -> str:
    """What to call it in an error."""
    return fspath(source) if isinstance(source, str | PathLike) else "lines"


def write_text(target: str | PathLike[str], text: str) -> None:
    """Write a text; a path that ends in .gz or .xz is compressed."""
    name = fspath(target)
    opener: Any = gzip.open if name.endswith(".gz") else lzma.open if name.endswith(".xz") else open
    with opener(target, "wt", encoding="utf-8") as file:
        file.write(text)
