"""Read saved conversations: tell the format, stream the file, yield each conversation in its native dialect."""

from collections.abc import Iterator
from pathlib import Path

from simlab.check.readers.counts import Counts, counts
from simlab.check.readers.formats import BY_NAME, FORMATS, Format, recognised
from simlab.check.readers.saved import NotThisFormatError, SavedConversation, gathered
from simlab.check.readers.source import Source, open_source
from simlab.core.errors import SimlabError

__all__ = ["FORMATS", "Counts", "SavedConversation", "counts", "detect", "read"]


def detect(path: str | Path) -> str:
    """Return the name of the format of a file; an unknown or unreadable file raises SimlabError."""
    source = open_source(Path(path))
    try:
        return recognised(source).name
    except RecursionError as error:
        raise _too_deep(source) from error
    finally:
        source.close()


def read(path: str | Path, format: str | None = None) -> Iterator[SavedConversation]:  # noqa: A002
    """Yield every conversation of a file, as :class:`SavedConversation`, one at a time.

    ``format`` is a name out of :data:`FORMATS`; without it the format is detected. A file that cannot be read, or
    holds nothing of its format, raises SimlabError with one line.
    """
    if format is not None and format not in FORMATS:
        raise SimlabError(f"{path}: no format {format!r}; known: {', '.join(FORMATS)}")
    return _conversations(Path(path), format)


def _conversations(path: Path, name: str | None) -> Iterator[SavedConversation]:
    source = open_source(path)
    try:
        fmt = recognised(source) if name is None else BY_NAME[name]
        yield from _read(fmt, source)
    except RecursionError as error:
        raise _too_deep(source) from error
    finally:
        source.close()


def _read(fmt: Format, source: Source) -> Iterator[SavedConversation]:
    found = False
    try:
        for conversation in gathered(source, fmt.read) if fmt.is_spread(source) else fmt.read(source):
            found = True
            yield conversation
    except NotThisFormatError as error:
        raise SimlabError(f"{source.path}: is not {fmt.name}: {error}") from error
    if not found:
        raise SimlabError(f"{source.path}: holds no conversation of format {fmt.name}")


def _too_deep(source: Source) -> SimlabError:
    return SimlabError(f"{source.path}: is nested too deeply to read")
