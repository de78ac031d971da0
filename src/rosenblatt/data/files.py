"""Files of lines, compressed or not."""

from __future__ import annotations

import bz2
import gzip
import lzma
import mmap
import os
import re
import stat
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from io import BufferedIOBase, BufferedReader, RawIOBase
from os import PathLike, fspath
from typing import Any, NamedTuple

from rosenblatt._atomic import replace_file

Source = str | PathLike[str] | Iterable[str] | Iterable[bytes]

BOM = b"\xef\xbb\xbf"
"""What some programs begin a text in UTF-8 with."""

GZIP, XZ, ZSTANDARD = b"\x1f\x8b", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd"
BZIP2 = re.compile(rb"BZh[1-9](1AY&SY|\x17rE8P\x90)")
"""What compressed files begin with."""

MAGIC = 10
"""Bytes from which a compression is detected."""

PACKED = (".gz", ".bz2", ".xz", ".zst")
"""Suffixes of compressed files."""

PADDING = 8
"""Bytes that can be read behind every text, for compiled loops read eight at once."""


class Text(NamedTuple):
    """Whole lines, from `begin` to `end` of these bytes."""

    raw: bytes | mmap.mmap
    begin: int
    end: int


def is_packed(head: bytes) -> bool:
    """Whether a file that begins with these bytes is compressed."""
    return head.startswith((GZIP, XZ, ZSTANDARD)) or BZIP2.match(head) is not None


@contextmanager
def lines_of(source: Source) -> Iterator[Iterable[bytes]]:
    """The lines of a file, or those given; files are decompressed, paths and open binary files alike."""
    with _reported(name_of(source)):
        if isinstance(source, str | PathLike):
            with open(source, "rb") as raw:
                yield _unpacked(raw)
        elif isinstance(source, BufferedIOBase):
            yield source if isinstance(source, StandardInput) else _unpacked(source)
        else:
            yield (line.encode() if isinstance(line, str) else line for line in source)


@contextmanager
def _reported(name: str) -> Iterator[None]:
    """Report a fault of a compressed file with its name."""
    try:
        yield
    except (EOFError, lzma.LZMAError, gzip.BadGzipFile, zlib.error) as broken:
        raise ValueError(f"{name} is compressed and broken: {broken}.") from broken


def _unpacked(raw: BufferedIOBase) -> Any:
    """The file, or what is compressed in it."""
    magic = _magic(raw)
    if not is_packed(magic):
        return raw
    file: Any = raw
    if magic.startswith(GZIP):
        return BufferedReader(gzip.GzipFile(fileobj=file))
    if magic.startswith(XZ):
        return BufferedReader(lzma.LZMAFile(file))
    if magic.startswith(ZSTANDARD):
        zstandard = _zstandard()
        return BufferedReader(_Frames(raw, zstandard.ZstdDecompressor().decompressobj, zstandard.ZstdError))
    return BufferedReader(_Frames(raw, bz2.BZ2Decompressor, OSError))


def _magic(raw: BufferedIOBase) -> bytes:
    """The first bytes of a file, which stay to be read."""
    if hasattr(raw, "peek"):
        return bytes(raw.peek(MAGIC)[:MAGIC])
    if not raw.seekable():
        return b""
    at = raw.tell()
    magic = raw.read(MAGIC)
    raw.seek(at)
    return magic


def _zstandard() -> Any:
    try:
        import zstandard
    except ImportError as missing:
        raise ImportError("Files in .zst need zstandard: pip install 'rosenblatt[tables]'") from missing
    return zstandard


class _Frames(RawIOBase):
    """What is compressed in frames, one after the other.

    Readers of the packages do not notice where a Zstandard file is cut off, and report a broken bzip2 file as
    any other fault of a disk.

    Parameters
    ----------
    raw
        The compressed file.
    begin
        Called for a decompressor whenever a frame begins.
    fault
        What it raises where the file is broken.
    """

    def __init__(self, raw: BufferedIOBase, begin: Callable[[], Any], fault: type[Exception]) -> None:
        self._begin, self._fault = begin, fault
        self._raw, self._frame, self._rest = raw, begin(), memoryview(b"")

    def readable(self) -> bool:
        """Yes."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a part of the buffer, and return how much."""
        while not self._rest and self._unpack():
            pass
        size = min(len(buffer), len(self._rest))
        buffer[:size], self._rest = self._rest[:size], self._rest[size:]
        return size

    def _unpack(self) -> bool:
        """Decompress the next piece of the file, and return whether there was one."""
        ended = self._frame.eof
        packed = self._frame.unused_data if ended else b""
        packed = packed or self._raw.read(2**14)
        if not packed and not ended:
            raise EOFError("it ends too soon")
        if packed and ended:
            self._frame = self._begin()
        try:
            self._rest = memoryview(self._frame.decompress(packed) if packed else b"")
        except self._fault as broken:
            raise zlib.error(str(broken)) from broken
        return bool(packed)


class _Ahead(RawIOBase):
    """A stream whose first bytes can be looked at before they are read."""

    def __init__(self, stream: Any) -> None:
        self._stream, self._head, self._at = stream, b"", 0

    def readable(self) -> bool:
        """Yes."""
        return True

    def head(self, size: int) -> bytes:
        """The first bytes, waited for; once reading has begun, those that were looked at before."""
        if not self._at:
            self._head += self._stream.read(max(0, size - len(self._head)))
        return self._head

    def readinto(self, buffer: Any) -> int:
        """Fill a part of the buffer as soon as there is something, and return how much."""
        some = self._head[self._at : self._at + len(buffer)] or self._stream.read1(len(buffer))
        self._at += len(some)
        buffer[: len(some)] = some
        return len(some)


class StandardInput(BufferedReader):
    """Standard input, decompressed."""

    def __init__(self, stream: BufferedIOBase) -> None:
        with _reported(name_of(self)):
            self._ahead = _Ahead(_unpacked(stream))
        super().__init__(self._ahead)

    def head(self, size: int) -> bytes:
        """The first bytes, which stay to be read."""
        with _reported(name_of(self)):
            return self._ahead.head(size)


def standard_input() -> StandardInput:
    """Return standard input: the same object whenever it is asked for, since bytes come only once."""
    return _standard_input(sys.stdin.buffer)


_standard_input = lru_cache(maxsize=1)(StandardInput)


def texts_of(source: Source, size: int) -> Iterator[Text]:
    """A source as texts of about so many bytes, or more where a line is longer; a plain file is mapped."""
    if isinstance(source, str | PathLike) and _is_plain(source):
        yield from _mapped(source, size)
        return
    with lines_of(source) as lines:
        if isinstance(lines, BufferedIOBase):
            yield from _whole_lines(iter(lambda: lines.read(size), b""))
        else:
            yield from _whole_lines(_joined(lines, size))


def _is_plain(path: str | PathLike[str]) -> bool:
    """Whether this is a file on a disk, not empty and not compressed."""
    status = os.stat(path)
    if not stat.S_ISREG(status.st_mode) or status.st_size == 0:  # a pipe can be opened only once
        return False
    with open(path, "rb") as file:
        return not is_packed(_magic(file))


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
    if isinstance(source, StandardInput):
        return "standard input"
    return fspath(source) if isinstance(source, str | PathLike) else "lines"


def write_text(target: str | PathLike[str], text: str) -> None:
    """Write a text atomically; a path with a suffix of PACKED is compressed."""
    name, data = fspath(target), text.encode()
    if name.endswith(".gz"):
        data = gzip.compress(data, mtime=0)
    elif name.endswith(".bz2"):
        data = bz2.compress(data)
    elif name.endswith(".xz"):
        data = lzma.compress(data)
    elif name.endswith(".zst"):
        data = _zstandard().compress(data)
    replace_file(target, data)
