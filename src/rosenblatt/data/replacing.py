"""Files that are replaced as a whole: whatever happens, there is the old one or the new one, never a part."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from os import PathLike, fspath
from pathlib import Path
from tempfile import mkstemp

PART = ".part"
"""How files end that are being written."""


def replace_file(target: str | PathLike[str], data: bytes) -> None:
    """Write a file beside the target, see it safely stored, and let it take the target's place.

    A full disk, a kill or a power cut leaves the old file as it was. A new file has the rights of any other
    new one, a replaced file keeps its own. Where the target is a link, what it points to is replaced.
    """
    path = Path(os.path.realpath(fspath(target)))
    if path.is_dir():
        raise IsADirectoryError(f"A model is written to a file. Got the folder {path}.")
    start = f".{path.name[:100]}."
    handle, beside = mkstemp(prefix=start, suffix=f".{os.getpid()}{PART}", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            os.fchmod(handle, _rights(path))
            file.write(data)
            file.flush()
            os.fsync(handle)
        os.replace(beside, path)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(beside)
        raise
    _sync_folder(path.parent)
    _sweep(path.parent, start)


def _sweep(folder: Path, start: str) -> None:
    """Remove what writers that were killed have left of the same file."""
    for beside in folder.iterdir():
        writer = beside.name.removesuffix(PART).rpartition(".")[2]
        if beside.name.startswith(start) and beside.name.endswith(PART) and writer.isdecimal():
            try:
                os.kill(int(writer), 0)
            except ProcessLookupError:
                beside.unlink(missing_ok=True)
            except (OSError, OverflowError):  # somebody else's, who is alive
                continue


def _rights(path: Path) -> int:
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask


def _sync_folder(folder: Path) -> None:
    """Have the new name stored, too."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
