"""One text for one run: equal runs give equal bytes, in every process and on every machine."""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import fields, is_dataclass, replace
from enum import Enum

from simlab.core.commands import CallModel, Command
from simlab.core.inputs import Input
from simlab.core.record import RunRecord


def canonical(record: RunRecord) -> bytes:
    """Write a whole run, one record a line: what it was, its trace, its ledger, the truth about its events.

    Mappings keep their order (it is part of what must repeat), sets are sorted. The messages of a command are the
    trajectory, which the appends give already: only the number and the last of those sent are written.
    """
    return "\n".join(_lines(record)).encode()


def line(at_ms: int, item: Input | Command) -> str:
    """Write one record of a trace."""
    return f"{at_ms} {_text(item)}"


def _lines(record: RunRecord) -> Iterator[str]:
    for each in fields(record):
        value = getattr(record, each.name)
        if each.name == "trace":
            for name in ("strategy", "departures", "ended_ms", "complete"):
                yield f"trace.{name} {_text(getattr(value, name))}"
            for at_ms, item in value.records:
                yield line(at_ms, item)
        elif isinstance(value, list):
            for item in value:
                yield f"{each.name} {_text(item)}"
        else:
            yield f"{each.name} {_text(value)}"


def _text(value: object) -> str:
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, CallModel):  # its list goes on growing
        value = replace(value, messages=value.messages[value.length - 1 : value.length])
    if is_dataclass(value) and not isinstance(value, type):
        parts = [f"{each.name}={_text(getattr(value, each.name))}" for each in fields(value)]
        return f"{type(value).__name__}({', '.join(parts)})"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_text(key)}: {_text(each)}" for key, each in value.items()) + "}"
    if isinstance(value, Set):
        return "{" + ", ".join(sorted(_text(each) for each in value)) + "}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "[" + ", ".join(_text(each) for each in value) + "]"
    return repr(value)
