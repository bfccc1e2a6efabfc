"""A lock on a folder of results: one process writes there at a time.

The operating system holds the lock for as long as the process lives, so one that was killed leaves none behind. The
file says who holds it, for people; nothing else depends on what it says.
"""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from simlab.core.errors import SimlabError

LOCK = "lock"


class FolderInUseError(SimlabError):
    """Another process writes into the folder."""


@contextmanager
def hold(folder: Path, *, name: str = LOCK, shared: bool = False) -> Iterator[None]:
    """Hold the lock of a folder. Raises FolderInUseError at once if another process does, SimlabError if none can.

    Several processes can hold a ``shared`` lock together, but none beside one that is not.
    """
    path = folder / name
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise SimlabError(f"{folder}: cannot be written: {error.strerror}") from None
    try:
        if not _grab(file, shared=shared):
            raise FolderInUseError(f"{folder}: in use by {_holder(path)}; wait for it, or write to another folder")
        if not shared:
            _sign(file)
        yield
    finally:
        os.close(file)


def _grab(file: int, *, shared: bool) -> bool:
    try:
        import fcntl
    except ImportError:  # not POSIX
        return _grab_on_windows(file)
    try:
        fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _grab_on_windows(file: int) -> bool:
    """Lock one byte far beyond the text; a shared lock is an exclusive one here."""
    import msvcrt

    windows: Any = msvcrt
    try:
        os.lseek(file, 1 << 20, os.SEEK_SET)
        windows.locking(file, windows.LK_NBLCK, 1)
    except OSError:
        return False
    return True


def _sign(file: int) -> None:
    os.lseek(file, 0, os.SEEK_SET)
    os.ftruncate(file, 0)
    os.write(file, f"process {os.getpid()} on {socket.gethostname()}\n".encode())


def _holder(path: Path) -> str:
    try:
        told = path.read_text(encoding="utf-8").strip()
    except OSError:
        told = ""
    return told or "another process"
