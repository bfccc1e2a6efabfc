"""Values as JSON: dataclasses and enumerations of simlab, named by where they stand, nested to any depth.

Fields that have their default are left out. Sequences come back as tuples.
"""

from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from importlib import import_module
from typing import Any

from simlab.core.errors import SimlabError

_CLASS = "class"
_ENUM = "enum"
_ITEMS = "items"


def pack(value: object) -> Any:
    """Return a value as JSON holds it. Raises SimlabError for one that cannot be packed."""
    if isinstance(value, Enum):
        return {_ENUM: _place(type(value)), "value": value.value}
    if is_dataclass(value) and not isinstance(value, type):
        given = {each: getattr(value, each.name) for each in fields(value) if each.init}
        kept = {field.name: pack(each) for field, each in given.items() if not _is_default(field, each)}
        return {_CLASS: _place(type(value)), **kept}
    if isinstance(value, Mapping):
        return {_ITEMS: [[pack(key), pack(each)] for key, each in value.items()]}
    if isinstance(value, tuple | list):
        return [pack(each) for each in value]
    if value is None or isinstance(value, str | int | float | bool):
        return value
    raise SimlabError(f"cannot be written to a file: {value!r}")


def _is_default(field: "Field[Any]", value: object) -> bool:
    if field.default is not MISSING:
        return type(value) is type(field.default) and bool(value == field.default)
    return field.default_factory is not MISSING and bool(value == field.default_factory())


def _place(kind: type) -> str:
    return f"{kind.__module__}:{kind.__qualname__}"


def unpack(packed: Any) -> Any:
    """Return the value. Raises SimlabError for a class that is not simlab's."""
    if isinstance(packed, list):
        return tuple(unpack(each) for each in packed)
    if not isinstance(packed, Mapping):
        return packed
    if _ENUM in packed:
        return _find(packed[_ENUM])(packed["value"])
    if _CLASS in packed:
        return _find(packed[_CLASS])(**{key: unpack(each) for key, each in packed.items() if key != _CLASS})
    return {unpack(key): unpack(each) for key, each in packed[_ITEMS]}


def _find(place: str) -> Any:
    module, _, name = place.partition(":")
    if module.partition(".")[0] != "simlab" or not name.isidentifier():
        raise SimlabError(f"no class of simlab: {place!r}")
    found = getattr(import_module(module), name, None)
    if not (isinstance(found, type) and (is_dataclass(found) or issubclass(found, Enum))):
        raise SimlabError(f"no value class: {place!r}")
    return found
