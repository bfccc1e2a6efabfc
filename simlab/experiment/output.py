"""Writing results: all files of a set or none, and never half of a file."""

import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import mkdtemp

from simlab.core.errors import SimlabError

UNFINISHED = ".tmp-"


class StorageError(SimlabError):
    """A folder of results that cannot be written."""


def check_writable(folder: Path) -> None:
    """Raise SimlabError unless files can be written to a folder, or the folder be made. Changes nothing."""
    place = folder
    while not place.exists() and place != place.parent:
        place = place.parent
    if not place.is_dir():
        raise SimlabError(f"{folder}: cannot be written: {place} is not a folder")
    if not os.access(place, os.W_OK | os.X_OK):
        raise SimlabError(f"{folder}: cannot be written: no permission for {place}")


def write_set(folder: Path, writers: Mapping[str, Callable[[Path], object]]) -> list[Path]:
    """Write files by name, each by a function of its path; put them in place only when all are complete.

    Returns their paths. Raises SimlabError where the folder cannot be written; what stood there before stays.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        part = Path(mkdtemp(prefix=".part-", dir=folder))
    except OSError as error:
        raise SimlabError(f"{folder}: cannot be written: {error.strerror}") from None
    try:
        for name, write in writers.items():
            write(part / name)
        for name in writers:
            os.replace(part / name, folder / name)
    except OSError as error:
        raise SimlabError(f"{folder}: cannot be written: {error.strerror}") from None
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return [folder / name for name in writers]


def write_whole(path: Path, content: bytes) -> None:
    """Write a file beside its place, then rename it. Raises StorageError; what stood there before stays."""
    beside = path.with_name(f"{path.name}{UNFINISHED}{os.getpid()}")
    try:
        with beside.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise unwritable(path.parent, error) from None


def unwritable(folder: Path, error: OSError) -> StorageError:
    """Return the error of work that is continued where it stopped."""
    return StorageError(
        f"{folder}: cannot be written: {error.strerror}; "
        "what is complete stays, and the same command goes on from there"
    )
