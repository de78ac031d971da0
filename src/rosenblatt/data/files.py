"""Files of lines, compressed or not."""

from __future__ import annotations

import gzip
import lzma
import mmap
import os
import stat
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import BufferedIOBase, BufferedReader, RawIOBase
from os import PathLike, fspath
from typing import Any, NamedTuple

from rosenblatt.data.replacing import replace_file

Source = str | PathLike[str] | Iterable[str] | Iterable[bytes]

BOM = b"\xef\xbb\xbf"
"""What some programs begin a text in UTF-8 with."""

GZIP, XZ, ZSTANDARD = b"\x1f\x8b", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd"
"""What compressed files begin with."""

PADDING = 8
"""Bytes that can be read behind every text, for compiled loops read eight at once."""


class Text(NamedTuple):
    """Whole lines, from `begin` to `end` of these bytes."""

    raw: bytes | mmap.mmap
    begin: int
    end: int


@contextmanager
def lines_of(source: Source) -> Iterator[Iterable[bytes]]:
    """The lines of a file, or those given."""
    if not isinstance(source, str | PathLike):
        yield (line.encode() if isinstance(line, str) else line for line in source)
        return
    with open(source, "rb") as raw:
        unpacked = _unpacked(raw)
        try:
            yield unpacked
        except (EOFError, lzma.LZMAError, gzip.BadGzipFile, zlib.error) as broken:
            raise ValueError(f"{name_of(source)} is compressed and broken: {broken}.") from broken


def _unpacked(raw: BufferedReader) -> Any:
    """The file, or what is compressed in it."""
    magic = raw.peek(6)
    if magic.startswith(GZIP):
        return BufferedReader(gzip.GzipFile(fileobj=raw))
    if magic.startswith(XZ):
        return BufferedReader(lzma.LZMAFile(raw))
    if magic.startswith(ZSTANDARD):
        return BufferedReader(_Zstandard(raw))
    return raw


class _Zstandard(RawIOBase):
    """What is compressed with Zstandard; the package's own reader does not notice where a file is cut off."""

    def __init__(self, raw: BufferedReader) -> None:
        try:
            import zstandard
        except ImportError as missing:
            raise ImportError("Files in .zst need zstandard: pip install 'rosenblatt[tables]'") from missing
        self._begin, self._fault = zstandard.ZstdDecompressor().decompressobj, zstandard.ZstdError
        self._raw, self._frame, self._rest = raw, self._begin(), b""

    def readable(self) -> bool:
        """Yes."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a part of the buffer, and say how much."""
        while not self._rest and self._unpack():
            pass
        size = min(len(buffer), len(self._rest))
        buffer[:size], self._rest = self._rest[:size], self._rest[size:]
        return size

    def _unpack(self) -> bool:
        """Go on in the file, and say whether it went on."""
        ended = self._frame.eof
        packed = self._frame.unused_data if ended else b""
        packed = packed or self._raw.read(2**14)
        if not packed and not ended:
            raise EOFError("it ends too soon")
        if packed and ended:
            self._frame = self._begin()
        try:
            self._rest = self._frame.decompress(packed) if packed else b""
        except self._fault as broken:
            raise zlib.error(str(broken)) from broken
        return bool(packed)


def texts_of(source: Source, size: int) -> Iterator[Text]:
    """A source as texts of about so many bytes, or more where a line is longer; a plain file is mapped."""
    if isinstance(source, str | PathLike) and _is_plain(source):
        yield from _mapped(source, size)
        return
    with lines_of(source) as lines:
        file = source if isinstance(source, BufferedIOBase) else lines
        if isinstance(file, BufferedIOBase):
            yield from _whole_lines(iter(lambda: file.read(size), b""))
        else:
            yield from _whole_lines(_joined(lines, size))


def _is_plain(path: str | PathLike[str]) -> bool:
    """Whether this is a file on a disk, not empty and not compressed."""
    status = os.stat(path)
    if not stat.S_ISREG(status.st_mode) or status.st_size == 0:  # a pipe can be opened only once
        return False
    with open(path, "rb") as file:
        return not file.peek(6).startswith((GZIP, XZ, ZSTANDARD))


def _mapped(path: str | PathLike[str], size: int) -> Iterator[Text]:
    """Texts of a file; all but the last are read where they are."""
    with open(path, "rb") as file:
        raw = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    begin = 0
    while begin + size < len(raw) - PADDING:
        end = raw.rfind(b"\n", begin, begin + size) + 1 or raw.find(b"\n", begin + size) + 1
        if not 0 < end <= len(raw) - PADDING:
            break
        yield Text(raw, begin, end)
        _forget(raw, begin, end)
        begin = end
    if begin < len(raw):
        yield _padded(raw[begin:])


def _forget(raw: mmap.mmap, begin: int, end: int) -> None:
    """Let go of the memory in which a part of a mapped file was read."""
    if hasattr(mmap, "MADV_DONTNEED"):
        first, last = begin // mmap.PAGESIZE * mmap.PAGESIZE, end // mmap.PAGESIZE * mmap.PAGESIZE
        if first < last:
            raw.madvise(mmap.MADV_DONTNEED, first, last - first)


def _joined(lines: Iterable[bytes], size: int) -> Iterator[bytes]:
    """Lines, joined until there are so many bytes."""
    some, length = list[bytes](), 0
    for line in lines:
        some.append(line if line.endswith(b"\n") else line + b"\n")
        length += len(some[-1])
        if length >= size:
            yield b"".join(some)
            some, length = [], 0
    yield b"".join(some)


def _whole_lines(pieces: Iterable[bytes]) -> Iterator[Text]:
    """Texts of whole lines from pieces cut anywhere."""
    rest = list[bytes]()
    for piece in pieces:
        end = piece.rfind(b"\n") + 1
        if end:
            yield _padded(b"".join([*rest, piece[:end]]))
            rest = []
        rest.append(piece[end:])
    if any(rest):
        yield _padded(b"".join(rest))


def _padded(lines: bytes) -> Text:
    """With a line end after the last line, and what may be read behind it."""
    return Text(lines + b"\n" * (1 + PADDING), 0, len(lines) + (not lines.endswith(b"\n")))


def name_of(source: Source) -> str:
    """What to call it in an error."""
    return fspath(source) if isinstance(source, str | PathLike) else "lines"


def write_text(target: str | PathLike[str], text: str) -> None:
    """Write a text atomically; a path that ends in .gz or .xz is compressed."""
    name, data = fspath(target), text.encode()
    if name.endswith(".gz"):
        data = gzip.compress(data, mtime=0)
    elif name.endswith(".xz"):
        data = lzma.compress(data)
    replace_file(target, data)
