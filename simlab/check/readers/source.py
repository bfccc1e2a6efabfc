"""Open a file of saved conversations: one JSON document, or a stream of JSON records in flat memory.

A file is a *document* (one JSON value, however it is laid out), *lines* (one value a line, or indented values one
behind the other) or a *zip*. Lines are read in binary one at a time; a line that cannot be read is a fault, not the
end of the file. What the reader is told about is a :class:`Record`.
"""

import gzip
import json
import re
import zipfile
import zlib
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, Literal, NamedTuple, TypeAlias, cast

from simlab.core.errors import SimlabError

Fault: TypeAlias = Literal["unreadable", "too_deep", "invalid_utf8"]
Kind: TypeAlias = Literal["document", "lines", "zip"]

HEAD_RECORDS = 32
HEAD_BYTES = 256 * 1024
_OPENERS = (b"{", b"[")
_VISIBLE = re.compile(r"\S")
_UNSUPPORTED = {
    b"\xff\xfe": "is UTF-16; convert it to UTF-8 first",
    b"\xfe\xff": "is UTF-16; convert it to UTF-8 first",
    b"\x28\xb5\x2f\xfd": "is compressed with zstd; decompress it first",
    b"SQLite format 3": "is an SQLite database; export the conversation as JSON first",
}


class Record(NamedTuple):
    """One JSON value and where it begins; of an unreadable one, the first bytes."""

    value: Any
    line: int
    fault: Fault | None = None
    size_bytes: int = 0

    @property
    def usable(self) -> bool:
        """Whether ``value`` is a JSON value."""
        return self.fault is None or self.fault == "invalid_utf8"


@dataclass(frozen=True, kw_only=True)
class Source:
    """An opened file: its first records, and the rest as a stream that is read once."""

    path: Path
    kind: Kind
    head: list[Record]
    rest: Iterator[Record]

    def records(self) -> Iterator[Record]:
        """Every record of the file, in order; can be called once."""
        return chain(self.head, self.rest)

    def close(self) -> None:
        """Close the file; harmless when it has been read to its end."""
        if isinstance(self.rest, Generator):
            self.rest.close()

    def samples(self) -> list[Any]:
        """The first values, for telling the format."""
        return [record.value for record in self.head if record.usable]


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Turn what the operating system and the decompressor say into the caller's error."""
    try:
        yield
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile) as error:
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise SimlabError(f"{path}: cannot be read: {reason}") from error


def open_source(path: Path) -> Source:
    """Open a file and tell its kind; an empty, foreign or unreadable one raises SimlabError."""
    with _readable(path):
        with path.open("rb") as file:
            magic = file.read(16)
        _refuse_foreign(path, magic)
        if magic.startswith(b"PK\x03\x04"):
            return Source(path=path, kind="zip", head=[], rest=iter(()))
        return _open_text(path)


def _refuse_foreign(path: Path, magic: bytes) -> None:
    if not magic:
        raise SimlabError(f"{path}: is empty; a saved conversation in JSON or JSON Lines is needed")
    for prefix, reason in _UNSUPPORTED.items():
        if magic.startswith(prefix):
            raise SimlabError(f"{path}: {reason}")


def _open_text(path: Path) -> Source:
    rest = _lines(path)
    head = _take(rest)
    if not head:
        raise SimlabError(f"{path}: holds only white space; a saved conversation in JSON or JSON Lines is needed")
    if _are_lines(head):
        return Source(path=path, kind="lines", head=head, rest=rest)
    if head[0].usable:
        return Source(path=path, kind="document", head=head, rest=rest)
    rest.close()
    records = list(_document(path))
    kind: Kind = "document" if len(records) == 1 else "lines"
    return Source(path=path, kind=kind, head=records[:HEAD_RECORDS], rest=iter(records[HEAD_RECORDS:]))


def _take(records: Iterator[Record]) -> list[Record]:
    head: list[Record] = []
    size_bytes = 0
    for record in records:
        head.append(record)
        size_bytes += record.size_bytes
        if len(head) >= HEAD_RECORDS or (size_bytes > HEAD_BYTES and len(head) > 1):
            break
    return head


def _are_lines(head: list[Record]) -> bool:
    first = head[0]
    if first.usable:
        return len(head) > 1
    if first.value.strip() in _OPENERS:
        return False
    return any(record.usable and isinstance(record.value, dict) for record in head[1:4])


def _open_binary(path: Path) -> BinaryIO:
    file = path.open("rb")
    magic = file.read(2)
    file.seek(0)
    if magic != b"\x1f\x8b":
        return file
    file.close()
    return cast(BinaryIO, gzip.open(path, "rb"))


def _lines(path: Path) -> Generator[Record, None, None]:
    """Every non-blank line as a record, one line in memory at a time."""
    with _readable(path), _open_binary(path) as file:
        for number, line in enumerate(file, start=1):
            if not line.isspace():
                yield read_record(line, number)


def read_record(data: bytes, line: int) -> Record:
    """Parse one JSON text; what is wrong with it becomes the record's fault."""
    fault: Fault | None = None
    try:
        text = data.decode("utf-8-sig" if line == 1 else "utf-8")
    except UnicodeDecodeError:
        text, fault = data.decode("utf-8", errors="replace"), "invalid_utf8"
    try:
        return Record(json.loads(text), line, fault, len(data))
    except RecursionError:
        return Record(data[:80], line, "too_deep", len(data))
    except ValueError:
        return Record(data[:80], line, "unreadable", len(data))


def _document(path: Path) -> Iterator[Record]:
    """The one value of a file that is laid out over several lines, or several such values in a row."""
    with _readable(path), _open_binary(path) as file:
        data = file.read()
    record = read_record(data, 1)
    if record.usable:
        yield record
    elif record.fault == "too_deep":
        raise SimlabError(f"{path}: is nested too deeply to read")
    else:
        yield from _in_a_row(path, data.decode("utf-8-sig", errors="replace"))


def _in_a_row(path: Path, text: str) -> Iterator[Record]:
    decoder = json.JSONDecoder()
    position, line, found = 0, 1, False
    while match := _VISIBLE.search(text, position):
        start = match.start()
        line += text.count("\n", position, start)
        try:
            value, position = decoder.raw_decode(text, start)
        except (ValueError, RecursionError) as error:
            if not found:
                raise SimlabError(f"{path}: is not JSON: {_reason(error)}") from error
            yield Record(None, line, "unreadable")
            return
        yield Record(value, line)
        line += text.count("\n", start, position)
        found = True


def _reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg.removesuffix(' at')} at line {error.lineno} column {error.colno}"
    return "nested too deeply" if isinstance(error, RecursionError) else str(error)[:80]
