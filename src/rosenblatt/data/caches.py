"""Caches of parsed rows beside their file, so that the next pass need not parse the file again."""

from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from rosenblatt.data import svmlight, tables
from rosenblatt.data.blocks import Block, one_ahead
from rosenblatt.data.cache_files import CacheWriter, Header, Unusable, blocks_of, header_of, opened
from rosenblatt.data.digests import Digest, status_of
from rosenblatt.data.encoding import Schema
from rosenblatt.data.sources import STDIN, RowSource

SUFFIX = ".rosenblatt-cache"
"""The suffix that a cache adds to the name of its file."""

SMALL = 2**26
"""The most bytes of a file whose digest is checked before its cache is used."""


class Cached:
    """The blocks of a source, read from the cache beside it if that is valid, else from the file and cached.

    The cache is written while the first pass yields its blocks, and appears when the pass is complete. A pass
    that is interrupted leaves none, nor does a file of one block. A cache is valid for the user who made it,
    as long as the file has the same size and modification time, and the library and the options are the same.
    That the bytes are the same, too, is checked by a digest, once by every `Cached`: before the first block
    if the file is small or `at_once` is true, else in a thread beside the first pass, which then ends in an
    error if they are not. A cache that is not valid is written again; if none can be written, every pass
    reads the file.

    Parameters
    ----------
    source
        A file of rows to learn from.
    told
        Called with a remark if a cache is not used or not written.
    at_once
        Whether the digest must be checked before the first block, as if checkpoints are written.
    version
        The version of the library: a cache made by another one is not used.
    """

    def __init__(
        self,
        source: RowSource,
        told: Callable[[str], None] = lambda _: None,
        *,
        at_once: bool = False,
        version: str = "",
    ) -> None:
        self.path = Path(f"{source.path}{SUFFIX}")
        self._source = source
        self._told = told
        self._at_once = at_once
        self._given = _kept(source.schema), source.schema.names
        self._options = _options(source, version)
        self._seen = False
        self._can = source.path != STDIN and source.schema.learning and source.width is None

    def __iter__(self) -> Iterator[Block]:
        if not self._can or not stat.S_ISREG(os.stat(self._source.path).st_mode):
            yield from self._source
            return
        done = 0
        try:
            with closing(self._read()) as blocks:
                for block in blocks:
                    yield block
                    done += 1
            return
        except FileNotFoundError:
            pass
        except (Unusable, OSError) as why:
            self._told(f"{self.path} is not used: {_shown(why)}.")
        yield from self._made(done)

    def _read(self) -> Generator[Block, None, None]:
        """Yield the blocks of the cache; raises Unusable if it is not valid for this file."""
        with opened(self.path) as file, Digest(self._source.path) as digest:
            header = header_of(file)
            self._check(header)
            if not self._seen:
                digest.begin()
                if self._at_once or header["source"]["size"] <= SMALL:
                    self._see(digest, header)
            self._fill(header["schema"], header["names"])
            with closing(one_ahead(blocks_of(file, header["blocks"]))) as blocks:
                yield from blocks
            if not self._seen:
                self._see_late(digest, header)

    def _check(self, header: Header) -> None:
        """Raise Unusable if the cache is of another file, or was read with other options."""
        if header["options"] != self._options:
            raise Unusable("it was made with other options, or by another version")
        if {"digest": header["source"]["digest"], **status_of(self._source.path)} != header["source"]:
            raise Unusable(f"{self._source.path} has changed since")

    def _see(self, digest: Digest, header: Header) -> None:
        if digest.value() != header["source"]["digest"]:
            raise Unusable(f"{self._source.path} has changed since, though not its size and time")
        self._seen = True

    def _see_late(self, digest: Digest, header: Header) -> None:
        """Check the digest after blocks were used: raise ValueError, and delete the cache, if it differs."""
        try:
            self._see(digest, header)
        except Unusable:
            self.path.unlink(missing_ok=True)
            raise ValueError(
                f"{self._source.path} has changed, though not its size and time, and its cache was read. "
                f"Restart the run: {self.path} is deleted."
            ) from None

    def _made(self, after: int) -> Iterator[Block]:
        """Yield the blocks of the file after the first `after`, and write all of them to the cache."""
        self._fill(*self._given)
        with CacheWriter(self.path, self._source.path) as writer:
            for index, block in enumerate(self._source):
                writer.add(block)
                if index >= after:
                    yield block
            schema = self._source.schema
            self._seen = writer.finish(
                {"options": self._options, "schema": _kept(schema), "names": schema.names}
            )
        if writer.fault is not None:
            self._can = False
            self._told(f"{self.path} is not written: {_shown(writer.fault)}.")

    def _fill(self, noted: dict[str, Any], names: list[str]) -> None:
        """Set the schema of the source to these notes and names."""
        schema = self._source.schema
        for name in ("columns", "texts", "dense", "kind", "unnamed_query", "remarks"):
            setattr(schema, name, noted[name])
        schema.know(names, noted["of_strings"])


def _kept(schema: Schema) -> dict[str, Any]:
    """Return what a cache keeps of a schema: its notes, and its remarks for the next run."""
    return schema.noted() | {"remarks": schema.remarks}


def _options(source: RowSource, version: str) -> dict[str, Any]:
    """Return all settings that affect how a file is read, as JSON values."""
    options = {
        "version": version,
        "order": sys.byteorder,
        "blocks": [svmlight.BLOCK, tables.ROWS],
        "format": source.format,
        "skip_bad": source.skip_bad,
        "schema": source.schema.noted(),
        "names": source.schema.names,
    }
    return dict(json.loads(json.dumps(options)))


def _shown(why: Exception) -> str:
    return str(getattr(why, "strerror", None) or why)
