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
"""The byte order mark of UTF-8."""

GZIP, XZ, ZSTANDARD = b"\x1f\x8b", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd"
BZIP2 = re.compile(rb"BZh[1-9](1AY&SY|\x17rE8P\x90)")
"""The magic bytes of compressed files."""

MAGIC = 10
"""Bytes from which a compression is detected."""

PACKED = (".gz", ".bz2", ".xz", ".zst")
"""Suffixes of compressed files."""

PADDING = 8
"""Readable bytes after every chunk: compiled loops read eight at once."""


class Text(NamedTuple):
    """A chunk of complete lines: bytes `begin` to `end` of `raw`."""

    raw: bytes | mmap.mmap
    begin: int
    end: int


def is_packed(head: bytes) -> bool:
    """Whether a file that begins with these bytes is compressed."""
    return head.startswith((GZIP, XZ, ZSTANDARD)) or BZIP2.match(head) is not None


@contextmanager
def lines_of(source: Source) -> Iterator[Iterable[bytes]]:
    """Open the lines of a path or binary file, decompressed, or pass on an iterable of lines as bytes."""
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
    """Raise ValueError with the file's name for errors of decompression."""
    try:
        yield
    except (EOFError, lzma.LZMAError, gzip.BadGzipFile, zlib.error) as broken:
        raise ValueError(f"{name} is compressed and broken: {broken}.") from broken


def _unpacked(raw: BufferedIOBase) -> Any:
    """Return the file, or a reader of its decompressed content."""
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
    """Return the first bytes of a file without consuming them."""
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
    """A decompressed stream of frames.

    The packages' own readers do not detect a truncated Zstandard file, and report a broken bzip2 file as an
    OSError.

    Parameters
    ----------
    raw
        The compressed file.
    begin
        Makes a decompressor, for every frame.
    fault
        The exception of the decompressor if the file is broken.
    """

    def __init__(self, raw: BufferedIOBase, begin: Callable[[], Any], fault: type[Exception]) -> None:
        self._begin, self._fault = begin, fault
        self._raw, self._frame, self._rest = raw, begin(), memoryview(b"")

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a part of the buffer and return its size."""
        while not self._rest and self._unpack():
            pass
        size = min(len(buffer), len(self._rest))
        buffer[:size], self._rest = self._rest[:size], self._rest[size:]
        return size

    def _unpack(self) -> bool:
        """Decompress the next piece of the file and return whether there was one."""
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
    """A stream whose first bytes can be peeked at."""

    def __init__(self, stream: Any) -> None:
        self._stream, self._head, self._at = stream, b"", 0

    def readable(self) -> bool:
        """Return True."""
        return True

    def head(self, size: int) -> bytes:
        """Wait for the first bytes and return them; after reading has begun, those peeked at before."""
        if not self._at:
            self._head += self._stream.read(max(0, size - len(self._head)))
        return self._head

    def readinto(self, buffer: Any) -> int:
        """Fill a part of the buffer as soon as bytes are available and return its size."""
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
        """Return the first bytes without consuming them."""
        with _reported(name_of(self)):
            return self._ahead.head(size)


def standard_input() -> StandardInput:
    """Return standard input, always the same object, since its bytes can be read only once."""
    return _standard_input(sys.stdin.buffer)


_standard_input = lru_cache(maxsize=1)(StandardInput)


def texts_of(source: Source, size: int) -> Iterator[Text]:
    """Yield a source in chunks of about `size` bytes, more for longer lines; a plain file is mapped."""
    if isinstance(source, str | PathLike) and _is_plain(source):
        yield from _mapped(source, size)
        return
    with lines_of(source) as lines:
        if isinstance(lines, BufferedIOBase):
            yield from _whole_lines(iter(lambda: lines.read(size), b""))
        else:
            yield from _whole_lines(_joined(lines, size))


def _is_plain(path: str | PathLike[str]) -> bool:
    """Whether this is a regular file, not empty and not compressed."""
    status = os.stat(path)
    if not stat.S_ISREG(status.st_mode) or status.st_size == 0:  # a pipe can be opened only once
        return False
    with open(path, "rb") as file:
        return not is_packed(_magic(file))


def _mapped(path: str | PathLike[str], size: int) -> Iterator[Text]:
    """Yield chunks of a memory-mapped file; only the last is copied."""
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
    """Release the memory pages of a part of a mapped file."""
    if hasattr(mmap, "MADV_DONTNEED"):
        first, last = begin // mmap.PAGESIZE * mmap.PAGESIZE, end // mmap.PAGESIZE * mmap.PAGESIZE
        if first < last:
            raw.madvise(mmap.MADV_DONTNEED, first, last - first)


def _joined(lines: Iterable[bytes], size: int) -> Iterator[bytes]:
    """Join lines into pieces of at least `size` bytes."""
    some, length = list[bytes](), 0
    for line in lines:
        some.append(line if line.endswith(b"\n") else line + b"\n")
        length += len(some[-1])
        if length >= size:
            yield b"".join(some)
            some, length = [], 0
    yield b"".join(some)


def _whole_lines(pieces: Iterable[bytes]) -> Iterator[Text]:
    """Yield chunks of complete lines from pieces cut anywhere."""
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
    """Return a chunk with a line end after the last line, and padding."""
    return Text(lines + b"\n" * (1 + PADDING), 0, len(lines) + (not lines.endswith(b"\n")))


def name_of(source: Source) -> str:
    """Return the name of a source for an error."""
    if isinstance(source, StandardInput):
        return "standard input"
    return fspath(source) if isinstance(source, str | PathLike) else "lines"


def write_text(target: str | PathLike[str], text: str) -> None:
    """Write a string to a file atomically; a path with a suffix in PACKED is compressed."""
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
