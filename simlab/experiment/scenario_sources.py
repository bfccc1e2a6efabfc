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
Path = tuple[str, ...]


def resolve(document: Any, path: str) -> bool:
    """Whether a key path (``tools.search.run_ms``, ``events[0].at_ms``, ``events.U1.at_ms``) leads to a value."""
    node = document
    for part in _PARTS.findall(path):
        node = _child(node, part)
        if node is None:
            return False
    return True


def _child(node: Any, part: str) -> Any:
    if isinstance(node, Mapping):
        return node.get(part)
    if isinstance(node, list):
        if part.isdigit():
            return node[int(part)] if int(part) < len(node) else None
        return next((each for each in node if isinstance(each, Mapping) and part in _called(each)), None)
    return None


def _called(table: Mapping[str, Any]) -> tuple[Any, Any]:
    return table.get("id"), table.get("name")


def check_sources(file: ScenarioFile, document: Mapping[str, Any]) -> Complaints:
    """Complain of sources of values that are not there."""
    for path in file.sources:
        if not resolve(document, path):
            yield f'sources."{path}": leads to no value of this file'


def unsourced(document: Mapping[str, Any]) -> list[str]:
    """Return the key paths of all numbers and laws of a file that no entry of its ``sources`` covers."""
    covered = {tuple(_PARTS.findall(path)) for path in document.get("sources", {})}
    return [".".join(path) for path in _numbers(document, ()) if not _is_covered(path, covered)]


def _numbers(node: Any, path: Path) -> Iterator[Path]:
    if isinstance(node, bool | str):
        return
    if isinstance(node, int | float):
        yield path
    elif isinstance(node, Mapping):
        if "law" in node:
            yield path
            return
        for key, value in node.items():
            yield from _numbers(value, (*path, key))
    else:
        for index, value in enumerate(node):
            name = next((each for each in _called(value) if each), None) if isinstance(value, Mapping) else None
            yield from _numbers(value, (*path, name or str(index)))


def _is_covered(path: Path, covered: set[Path]) -> bool:
    return any(path[:length] in covered for length in range(1, len(path) + 1))
