"""Where the values of a scenario come from: key paths and their sources.

A key path walks the file by keys; a list of tables is entered by index or by the id (or name) of a table:
``tools.search.run_ms``, ``events[0].at_ms``, ``events.U1.at_ms``.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from simlab.experiment.scenario_complaints import Complaints
from simlab.experiment.scenario_file import ScenarioFile

_PARTS: Final = re.compile(r"[^.\[\]]+")
Place = tuple[int, str | int]
"""A place in a file: the identity of a table or list, and the key or index in it."""


def _place(document: Mapping[str, Any], path: str) -> Place | None:
    """Return where a key path leads (None: nowhere)."""
    node: Any = document
    place = None
    for part in _PARTS.findall(path):
        key = _key(node, part)
        if key is None:
            return None
        place = (id(node), key)
        node = node[key]
    return place


def _key(node: Any, part: str) -> str | int | None:
    if isinstance(node, Mapping):
        return part if part in node else None
    if not isinstance(node, list):
        return None
    if part.isdigit():
        return int(part) if int(part) < len(node) else None
    return next((index for index, each in enumerate(node) if _called(each) == part), None)


def _called(table: Any) -> Any:
    return table.get("id", table.get("name")) if isinstance(table, Mapping) else None


def check_sources(file: ScenarioFile, document: Mapping[str, Any]) -> Complaints:
    """Complain of sources of values that are not there."""
    for path in file.sources:
        if _place(document, path) is None:
            yield f'sources."{path}": leads to no value of this file'


def unsourced(document: Mapping[str, Any]) -> list[str]:
    """Return the key paths of all numbers and laws of a file that no entry of its ``sources`` covers."""
    covered = {_place(document, path) for path in document.get("sources", {})}
    return [path.removeprefix(".") for path in _numbers(document, "", covered)]


def _numbers(node: Any, path: str, covered: set[Place | None]) -> Iterator[str]:
    if isinstance(node, Mapping) and "law" not in node:
        for key, value in node.items():
            if (id(node), key) not in covered:
                yield from _numbers(value, f"{path}.{key}", covered)
    elif isinstance(node, list):
        for index, value in enumerate(node):
            if (id(node), index) not in covered:
                yield from _numbers(value, f"{path}.{_called(value) or index}", covered)
    elif not isinstance(node, bool | str):
        yield path
