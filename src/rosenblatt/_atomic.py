"""Writing files: a regular file is replaced atomically, a device or a FIFO is written to as it is."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os import PathLike, fspath
from pathlib import Path
from tempfile import mkstemp
from typing import BinaryIO

PART = ".part"
"""The suffix of files that are being written."""


STDOUT = 1
"""The descriptor of standard output."""

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""Errors that only a write can raise."""

LINKS = 40
"""The longest chain of symbolic links that is followed, as in Linux."""


def replace_file(target: str | PathLike[str], data: bytes) -> None:
    """Write these bytes to a target; see `writing`."""
    with writing(target) as file:
        file.write(data)


@contextmanager
def writing(target: str | PathLike[str]) -> Iterator[BinaryIO]:
    """Open a target for writing, and replace it atomically if it is a regular file.

    A regular file, or one that does not exist yet, is written beside the target, synced to the disk, and
    renamed to the target when the block ends without an error: a full disk, a kill or a power cut leaves the
    old file as it was. A new file has the default permissions, a replaced file keeps its own. Symbolic links
    are followed and stay. Devices, FIFOs and open descriptors (/dev/stdout) are written to directly.
    """
    name = fspath(target)
    try:
        with _in_place(name) if written_in_place(name) else _beside(name) as file:
            yield file
    except OSError as fault:
        if fault.errno in FULL and fault.filename is None:
            fault.filename = name
        raise


def written_in_place(target: str) -> bool:
    """Whether a target exists and is neither a regular file nor a folder, or is an open descriptor."""
    if descriptor_of(target) is not None:
        return True
    try:
        mode = os.stat(target).st_mode
    except FileNotFoundError:
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def descriptor_of(target: str) -> int | None:
    """Return the open descriptor that a path such as /dev/stdout or /dev/fd/3 leads to, else None.

    Standard output may be a regular file, which the path leads to as well: it must not be replaced, for
    other programs write to the same descriptor.
    """
    folders = {os.path.realpath("/dev/fd"), os.path.realpath("/proc/self/fd")}
    for _ in range(LINKS):
        folder, name = os.path.split(os.path.abspath(target))
        folder = os.path.realpath(folder)
        if folder in folders and name.isdecimal():
            return int(name)
        path = os.path.join(folder, name)
        if not os.path.islink(path):
            return None
        target = os.path.join(folder, os.readlink(path))
    return None


@contextmanager
def _in_place(target: str) -> Iterator[BinaryIO]:
    """Open the target itself; an open descriptor is duplicated, and keeps its offset."""
    descriptor = descriptor_of(target)
    if descriptor is None:
        handle = os.open(target, os.O_WRONLY | getattr(os, "O_BINARY", 0))
    else:
        if descriptor == STDOUT and sys.stdout is not None:
            sys.stdout.flush()
        try:
            handle = os.dup(descriptor)
        except OSError as fault:
            raise OSError(fault.errno, fault.strerror, target) from None
    with os.fdopen(handle, "wb") as file:
        yield file


@contextmanager
def _beside(target: str) -> Iterator[BinaryIO]:
    """Open a new file beside the target, links followed, that replaces it at the end."""
    path = Path(os.path.realpath(target))
    new = Replacement(path, _rights(path))
    try:
        yield new.file
        new.commit()
    except BaseException:
        new.discard()
        raise


class Replacement:
    """A temporary file beside its target, which replaces the target on `commit`.

    Parameters
    ----------
    target
        The path to replace. If this is a link, the link is replaced.
    rights
        The permissions of the new file; by default only its owner may read and write it.

    Attributes
    ----------
    file
        The open file to write into.
    """

    def __init__(self, target: Path, rights: int = 0o600) -> None:
        _check_regular(target)
        self._target, self._rights = target, rights
        handle, self._beside = mkstemp(
            prefix=_start(target), suffix=f".{os.getpid()}{PART}", dir=target.parent
        )
        self.file = os.fdopen(handle, "wb")

    def commit(self) -> None:
        """Sync the file to the disk and rename it to the target."""
        with self.file as file:
            os.chmod(file.fileno() if os.chmod in os.supports_fd else self._beside, self._rights)
            file.flush()
            os.fsync(file.fileno())
        os.replace(self._beside, self._target)
        _sync_folder(self._target.parent)
        sweep(self._target)

    def discard(self) -> None:
        """Delete the temporary file; the target stays as it was."""
        with suppress(OSError):  # what could not be written is discarded anyway
            self.file.close()
        with suppress(FileNotFoundError):
            os.unlink(self._beside)


def sweep(target: Path) -> None:
    """Delete temporary files that killed processes left beside a file."""
    if sys.platform == "win32":  # there, signal 0 is Ctrl-C, not a test
        return
    start = _start(target)
    for beside in target.parent.iterdir():
        writer = beside.name.removesuffix(PART).rpartition(".")[2]
        if beside.name.startswith(start) and beside.name.endswith(PART) and writer.isdecimal():
            try:
                os.kill(int(writer), 0)
            except ProcessLookupError:
                beside.unlink(missing_ok=True)
            except (OSError, OverflowError):  # the writer is alive, under another user
                continue


def _check_regular(target: Path) -> None:
    """Raise OSError if the target exists and is neither a regular file nor a link."""
    if target.is_dir():
        raise IsADirectoryError(f"Only files are replaced. Got the folder {target}.")
    if target.exists() and not (target.is_file() or target.is_symlink()):
        raise OSError(f"Only regular files are replaced. Got {target}, a device, a FIFO or a socket.")


def _start(target: Path) -> str:
    """Return the prefix of the names of this file's temporary files."""
    return f".{target.name[:100]}."


def _rights(path: Path) -> int:
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask


def _sync_folder(folder: Path) -> None:
    """Sync the folder, so that the rename survives a power cut; not on Windows, where it cannot be opened."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except PermissionError:
        return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
