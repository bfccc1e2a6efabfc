"""Read saved conversations: tell the format, stream the file, yield each conversation in its native dialect."""

from collections.abc import Iterator
from pathlib import Path

from simlab.check.conversation import Conversation
from simlab.check.readers.counts import Counts, counts
from simlab.check.readers.formats import TABLE, Format
from simlab.check.readers.saved import NotThisFormatError, SavedConversation
from simlab.check.readers.source import Source, open_source
from simlab.core.errors import SimlabError

__all__ = ["FORMATS", "Counts", "SavedConversation", "counts", "detect", "read"]

FORMATS: dict[str, str] = {fmt.name: fmt.about for fmt in TABLE}
"""Every format's name and one line about it."""


def detect(path: str | Path) -> str:
    """Return the name of the format of a file; an unknown or unreadable file raises SimlabError."""
    return _recognised(open_source(Path(path))).name


def read(path: str | Path, format: str | None = None) -> Iterator[Conversation]:  # noqa: A002
    """Yield every conversation of a file, as :class:`SavedConversation`, one at a time.

    ``format`` is a name out of :data:`FORMATS`; without it the format is detected. A file that cannot be read, or
    holds nothing of its format, raises SimlabError with one line.
    """
    if format is not None and format not in FORMATS:
        raise SimlabError(f"{path}: no format {format!r}; known: {', '.join(FORMATS)}")
    return _conversations(Path(path), format)


def _conversations(path: Path, name: str | None) -> Iterator[Conversation]:
    source = open_source(path)
    fmt = _recognised(source) if name is None else next(fmt for fmt in TABLE if fmt.name == name)
    try:
        yield from fmt.read(source)
    except NotThisFormatError as error:
        raise SimlabError(f"{path}: is not {fmt.name}: {error}") from error
    except RecursionError as error:
        raise SimlabError(f"{path}: is nested too deeply to read") from error


def _recognised(source: Source) -> Format:
    samples = source.samples()
    for fmt in TABLE:
        if any(fmt.looks_like(value) for value in samples):
            return fmt
    raise SimlabError(f"{source.path}: no known conversation format; known: {', '.join(FORMATS)}")
