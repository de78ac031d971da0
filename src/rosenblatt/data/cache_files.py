"""The file format of caches: written while the blocks are in use, and read block by block.

It begins with MAGIC. Then come the blocks (`packing`), the header in JSON, the offset and checksum of the
header, and MAGIC again. The header names the source file, the options and the version that made the cache,
the schema of the columns, and the offset and checksum of every block.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
import struct
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from io import BufferedReader
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rosenblatt._atomic import Replacement, sweep
from rosenblatt.data.blocks import Block
from rosenblatt.data.digests import Digest, status_of
from rosenblatt.data.packing import packed, unpacked

FORMAT = 3
"""The version of the cache format that is written and read."""

MAGIC = b"rosenblatt-cache"

END = struct.Struct("<QQII")
"""The offset of the header, its length, its checksum, and a zero."""

SPARE = 2**28
"""Bytes that a cache leaves free on the disk, for the results of the run."""

Header = dict[str, Any]


class Unusable(Exception):  # noqa: N818
    """A cache that is missing or cannot be used, with the reason."""


class CacheWriter:
    """Writes a cache, each block in a background thread; `fault` is the error if that fails.

    Nothing is written before there are two blocks, and nothing is left without a call of `finish`.
    """

    def __init__(self, path: Path, source: str) -> None:
        self.fault: Exception | None = None
        self._path, self._source = path, source
        self._before = status_of(source)
        self._first: Block | None = None
        self._new: Replacement | None = None
        self._entries: list[_Entry] = []
        self._at = 0
        self._pool = ThreadPoolExecutor(1)
        self._writing: list[Future[None]] = []
        self._digest = Digest(source)

    def __enter__(self) -> CacheWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown()
        with self._digest:
            if self._new is not None:
                self._new.discard()

    def add(self, block: Block) -> None:
        """Write a block in the background."""
        if self.fault is not None:
            return
        if self._first is None and self._new is None:
            self._first = block
        else:
            self._try(lambda: self._add(block))

    def finish(self, contents: Header) -> bool:
        """Write the header and commit the cache; returns whether that succeeded."""
        if self.fault is None and self._new is not None:
            self._try(lambda: self._finish(contents))
        return self.fault is None and self._new is not None

    def _try(self, work: Callable[[], None]) -> None:
        try:
            work()
        except (Unusable, OSError) as fault:
            self.fault = fault
            if self._new is not None:
                self._new.discard()

    def _add(self, block: Block) -> None:
        if self._first is not None:
            first, self._first = self._first, None
            sweep(self._path)
            self._new = Replacement(self._path)
            self._digest.begin()
            self._put(MAGIC)
            self._write(first)
        self._settle()
        self._writing = [self._pool.submit(self._write, block)]

    def _settle(self) -> None:
        for writing in self._writing:
            writing.result()
        self._writing = []

    def _write(self, block: Block) -> None:
        arrays, metadata = packed(block)
        begin, checksum = self._at, 0
        parts: list[Any] = [*arrays, metadata]
        for part in parts:
            checksum = zlib.crc32(part, checksum)
            self._put(part)
        self._entries.append(_Entry(begin, self._at - begin, len(metadata), checksum))

    def _put(self, part: Any) -> None:
        assert self._new is not None
        if shutil.disk_usage(self._path.parent).free < SPARE + len(part):
            raise Unusable("the disk is nearly full")
        self._new.file.write(part)
        self._at += len(part)

    def _finish(self, contents: Header) -> None:
        self._settle()
        source = {"digest": self._digest.value(), **self._before}
        if status_of(self._source) != self._before:
            raise Unusable(f"{self._source} has changed while it was read")
        header = {"format": FORMAT, "source": source, **contents, "blocks": self._entries}
        text = json.dumps(header, separators=(",", ":")).encode()
        end = END.pack(self._at, len(text), zlib.crc32(text), 0)
        for part in (text, end, MAGIC):
            self._put(part)
        assert self._new is not None
        self._new.commit()


class _Entry(NamedTuple):
    """The offset of a block in a cache, its size, the size of its metadata, and its checksum."""

    begin: int
    size: int
    metadata: int
    checksum: int


def opened(path: Path) -> BufferedReader:
    """Open a cache; it must be a regular file that this user owns."""
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    status = os.fstat(handle)
    if stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid():
        return os.fdopen(handle, "rb")
    os.close(handle)
    raise Unusable("it is not a regular file that this user owns")


def header_of(file: BufferedReader) -> Header:
    """Read and check the header of a cache."""
    size = os.fstat(file.fileno()).st_size
    tail = END.size + len(MAGIC)
    if size < len(MAGIC) + tail or file.read(len(MAGIC)) != MAGIC:
        raise Unusable("it is not a cache")
    file.seek(size - tail)
    begin, length, checksum, _ = END.unpack(file.read(END.size))
    if file.read() != MAGIC or begin + length + tail != size:
        raise Unusable("it is cut off")
    file.seek(begin)
    text = file.read(length)
    if zlib.crc32(text) != checksum:
        raise Unusable("its checksum is wrong")
    header = json.loads(text)
    if header["format"] != FORMAT:
        raise Unusable(f"it has format {header['format']!r}, and {FORMAT} is read")
    return dict(header)


def blocks_of(file: BufferedReader, entries: list[list[int]]) -> Iterator[Block]:
    """Read and check the blocks of a cache."""
    for entry in map(_Entry._make, entries):
        raw, body = np.empty(entry.size, np.uint8), entry.size - entry.metadata
        file.seek(entry.begin)
        if file.readinto(raw.data) != entry.size or zlib.crc32(raw.data) != entry.checksum:
            raise Unusable("the checksum of a block is wrong")
        yield unpacked(raw[:body], raw[body:].tobytes())
