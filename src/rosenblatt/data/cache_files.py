"""The file of a cache: written while its blocks are in use, and read again block by block.

It begins with MAGIC. Then come the blocks (`packing`), the header, a JSON text, and last where the header
is, a checksum of it, and MAGIC again. The header says of which file, by which options and by which version
the cache was made, what was found out about the columns, and of every block where it is and its checksum.
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

FORMAT = 2
"""Which version of caches this program writes and reads."""

MAGIC = b"rosenblatt-cache"

END = struct.Struct("<QQII")
"""Where the header begins, how long it is, its checksum, and a zero."""

SPARE = 2**28
"""Bytes that a cache leaves free on the disk, for what the run is there for."""

Header = dict[str, Any]


class Unusable(Exception):  # noqa: N818
    """Why there is no cache, or none that can be used."""


class CacheWriter:
    """Writes a cache, each block in a thread while the blocks are in use, and tells in `fault` if it cannot.

    Nothing is written before there are two blocks, and nothing is left if it does not come to `finish`.
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
        """Write a block while the caller goes on."""
        if self.fault is not None:
            return
        if self._first is None and self._new is None:
            self._first = block
        else:
            self._try(lambda: self._add(block))

    def finish(self, contents: Header) -> bool:
        """There are no more blocks: write the header, and let it be the cache; says whether it is."""
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
        arrays, sheet = packed(block)
        begin, checksum = self._at, 0
        parts: list[Any] = [*arrays, sheet]
        for part in parts:
            checksum = zlib.crc32(part, checksum)
            self._put(part)
        self._entries.append(_Entry(begin, self._at - begin, len(sheet), checksum))

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
    """Where a block is in a cache, how long it is, how much of that is its sheet, and its checksum."""

    begin: int
    size: int
    sheet: int
    checksum: int


def opened(path: Path) -> BufferedReader:
    """The file of a cache, if it is a file, and one of this user's."""
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    status = os.fstat(handle)
    if stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid():
        return os.fdopen(handle, "rb")
    os.close(handle)
    raise Unusable("it is no file of this user's")


def header_of(file: BufferedReader) -> Header:
    """The header of a cache."""
    size = os.fstat(file.fileno()).st_size
    tail = END.size + len(MAGIC)
    if size < len(MAGIC) + tail or file.read(len(MAGIC)) != MAGIC:
        raise Unusable("it is no cache")
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
    """The blocks of a cache."""
    for entry in map(_Entry._make, entries):
        raw, body = np.empty(entry.size, np.uint8), entry.size - entry.sheet
        file.seek(entry.begin)
        if file.readinto(raw.data) != entry.size or zlib.crc32(raw.data) != entry.checksum:
            raise Unusable("the checksum of a block is wrong")
        yield unpacked(raw[:body], raw[body:].tobytes())
