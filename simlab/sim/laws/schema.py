"""The JSON Schema of a law as it stands in a TOML file, from the same forms by which it is read."""

from typing import Any, Final

from simlab.sim.laws.parsing import _FORMS, _LISTS, _SUFFIXES, Unit, _Form

_NUMBER: Final[dict[str, Any]] = {"type": "number", "minimum": 0}
_LIST: Final[dict[str, Any]] = {"type": "array", "items": _NUMBER}
_TEXT: Final[dict[str, Any]] = {"type": "string"}


def law_schema(unit: Unit, *, itself: str) -> dict[str, Any]:
    """Return the schema of a law whose bare number has that unit; ``itself`` is the reference to this schema."""
    tables = [_table(name, form, unit, itself) for name, form in _FORMS.items()]
    return {"description": f"a number ({unit}) or a law", "anyOf": [_NUMBER, *tables]}


def _table(name: str, form: _Form, unit: Unit, itself: str) -> dict[str, Any]:
    """Return the schema of one law. That a key comes in just one of its units is left to the reader."""
    suffixes = list(_SUFFIXES[unit])
    properties: dict[str, Any] = {"law": {"const": name}}
    for field in (*form.scaled, "cap"):
        properties.update({field + suffix: _LIST if field in _LISTS else _NUMBER for suffix in suffixes})
    properties.update({field: _LIST if field in _LISTS else _NUMBER for field in form.plain})
    properties.update({field: {"$ref": itself} if field == "body" else _TEXT for field in form.other})
    required = ["law", *(field for field in (*form.plain, *form.other) if field not in form.optional)]
    if len(suffixes) == 1:
        required += [field + suffixes[0] for field in form.scaled if field not in form.optional]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
