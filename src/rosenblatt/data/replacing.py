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
    new = Replacement(path, _rights(path))
    try:
        new.file.write(data)
        new.commit()
    except BaseException:
        new.discard()
        raise


class Replacement:
    """A file beside its target, which takes the target's place once it is complete, or never was.

    Parameters
    ----------
    target
        Where it goes. If this is a link, the link is replaced.
    rights
        Who may read and write it; by default only its owner.

    Attributes
    ----------
    file
        What to write into.
    """

    def __init__(self, target: Path, rights: int = 0o600) -> None:
        if target.is_dir():
            raise IsADirectoryError(f"Only files are replaced. Got the folder {target}.")
        self._target, self._rights = target, rights
        handle, self._beside = mkstemp(
            prefix=_start(target), suffix=f".{os.getpid()}{PART}", dir=target.parent
        )
        self.file = os.fdopen(handle, "wb")

    def commit(self) -> None:
        """See it safely stored, and let it take the target's place."""
        with self.file as file:
            os.fchmod(file.fileno(), self._rights)
            file.flush()
            os.fsync(file.fileno())
        os.replace(self._beside, self._target)
        _sync_folder(self._target.parent)
        sweep(self._target)

    def discard(self) -> None:
        """Leave everything as it was."""
        with suppress(OSError):  # what could not be written need not be
            self.file.close()
        with suppress(FileNotFoundError):
            os.unlink(self._beside)


def sweep(target: Path) -> None:
    """Remove what writers that were killed have left beside a file."""
    start = _start(target)
    for beside in target.parent.iterdir():
        writer = beside.name.removesuffix(PART).rpartition(".")[2]
        if beside.name.startswith(start) and beside.name.endswith(PART) and writer.isdecimal():
            try:
                os.kill(int(writer), 0)
            except ProcessLookupError:
                beside.unlink(missing_ok=True)
            except (OSError, OverflowError):  # somebody else's, who is alive
                continue


def _start(target: Path) -> str:
    """How the names of files begin that are to take this one's place."""
    return f".{target.name[:100]}."


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
