"""Scenario files: found by path or by name, read, checked, and turned into a world.

The shipped ones lie in the package (``simlab/scenarios``), so that they are found when simlab is installed; the
folder ``scenarios`` of the repository is a link to them.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from hashlib import sha256
from inspect import cleandoc
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from simlab.experiment.scenario_build import build_world
from simlab.experiment.scenario_checks import complaints
from simlab.experiment.scenario_file import LAW, ScenarioFile
from simlab.experiment.toml_file import FileError, one_line, read_toml, validated
from simlab.sim.laws.parsing import UNITS
from simlab.sim.laws.schema import law_schema
from simlab.sim.spec import WorldSpec

if TYPE_CHECKING:
    import ast

SHIPPED: Final = Path(__file__).parents[1] / "scenarios"
ENDING: Final = ".toml"
_NUMBER: Final = re.compile(r"^\d+-")


class ScenarioError(FileError):
    """A scenario file that cannot be found, read or understood. Names file and key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A scenario: its world, and what people should know of it.

    ``sources`` maps key paths to the source of a value or to "assumption"; ``sha256`` is the hash of the file's bytes.
    """

    name: str
    title: str
    description: str
    sources: Mapping[str, str]
    world: WorldSpec
    path: Path
    sha256: str

    @property
    def reference(self) -> str:
        """How to name it on the command line: its name if it is a shipped one, else its path."""
        return self.name if self.path.resolve().is_relative_to(SHIPPED.resolve()) else str(self.path)


# --- finding ----------------------------------------------------------------------------------------------------


def shipped_scenarios() -> list[str]:
    """Return the names of the scenarios that come with simlab, in order."""
    return [_name(path) for path in _inside(SHIPPED)]


def _inside(folder: Path) -> list[Path]:
    return sorted(folder.rglob(f"*{ENDING}"), key=lambda path: path.with_suffix(""))


def _name(path: Path) -> str:
    """Return the name of a scenario: its place in the shipped folder, or the bare name of a file elsewhere."""
    path = path.resolve()
    if path.is_relative_to(SHIPPED.resolve()):
        return path.relative_to(SHIPPED.resolve()).with_suffix("").as_posix()
    return path.stem


def find_scenarios(text: str) -> list[Path]:
    """Return the files that a path or a name stands for; a folder stands for every scenario in it.

    A shipped scenario goes by its whole name (``worked/01-email-weather``), or the last part of it with or without
    its number (``email-weather``). A file in the present folder goes by its name without the ending too.
    """
    for place in (Path(text), SHIPPED / text, SHIPPED / (text + ENDING)):
        if place.is_file():
            return [place]
        if text and place.is_dir() and (inside := _inside(place)):
            return inside
    by_end = [name for name in shipped_scenarios() if text in (end := name.rpartition("/")[2], _NUMBER.sub("", end))]
    if len(by_end) == 1:
        return [SHIPPED / (by_end[0] + ENDING)]
    if not by_end and text and (here := Path(text + ENDING)).is_file():
        return [here]
    raise ScenarioError(f"{text}: {_not_found(text, by_end)}")


def _not_found(text: str, candidates: list[str]) -> str:
    if candidates:
        return f"stands for several scenarios: {', '.join(candidates)}"
    names = shipped_scenarios()
    near = get_close_matches(text, [*names, *(name.rpartition("/")[2] for name in names)], n=1)
    hint = f"; did you mean {near[0]!r}?" if near else "; `simlab list` shows those that ship with simlab"
    return "no such scenario, neither a file nor a name" + hint


# --- reading ----------------------------------------------------------------------------------------------------


def load_scenario(which: str | Path) -> Scenario:
    """Read one scenario by path or by name. Raises ScenarioError, in one line, naming file and key."""
    found = find_scenarios(str(which))
    if len(found) != 1:
        raise ScenarioError(f"{which}: a folder of {len(found)} scenarios; name one of them")
    return read_scenario(found[0])


def load_scenarios(which: Iterable[str]) -> list[Scenario]:
    """Read scenarios by paths, names and folders, in this order, each once."""
    paths = {path.resolve(): path for text in which for path in find_scenarios(text)}
    return [read_scenario(path) for path in paths.values()]


def read_scenario(path: Path) -> Scenario:
    """Read one scenario file. Raises ScenarioError, in one line, naming file and key."""
    content, document = read_toml(path, ScenarioError)
    file = validated(path, document, ScenarioFile, ScenarioError)
    for complaint in complaints(file, document):
        raise ScenarioError(f"{path}: {one_line(complaint)}")
    name = _name(path)
    return Scenario(
        name=name,
        title=file.title,
        description=file.description,
        sources=file.sources,
        world=build_world(name, file),
        path=path,
        sha256=sha256(content).hexdigest(),
    )


def document_of(scenario: Scenario) -> dict[str, Any]:
    """Return the content of a scenario's file, to be changed by the caller."""
    _content, document = read_toml(scenario.path, ScenarioError)
    return dict(document)


def build_scenario(scenario: Scenario, document: Mapping[str, Any]) -> WorldSpec:
    """Return the world of a changed document, checked like a file. Raises ScenarioError."""
    file = validated(scenario.path, document, ScenarioFile, ScenarioError)
    for complaint in complaints(file, document):
        raise ScenarioError(f"{scenario.path}: {one_line(complaint)}")
    return build_world(scenario.name, file)


# --- schema -----------------------------------------------------------------------------------------------------


def scenario_schema() -> dict[str, Any]:
    """Return the JSON Schema of scenario files, for editors and other tools."""
    schema: dict[str, Any] = _tidy(_with_descriptions(ScenarioFile.model_json_schema()))
    laws = {f"law_{unit}": law_schema(unit, itself=_law_reference(unit)) for unit in UNITS}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **schema,
        "title": "simlab scenario",
        "$defs": {**schema["$defs"], **laws},
    }


def _with_descriptions(schema: dict[str, Any]) -> dict[str, Any]:
    """Add what stands in the source below each key. The validator could do so too, but takes a second at each start."""
    import ast

    from simlab.experiment import scenario_file

    source = ast.parse(Path(scenario_file.__file__).read_text(encoding="utf-8"))
    told = {node.name: dict(_told_below(node)) for node in source.body if isinstance(node, ast.ClassDef)}
    for name, table in {"ScenarioFile": schema, **schema["$defs"]}.items():
        for base in getattr(scenario_file, name, object).__mro__:
            for key, text in told.get(base.__name__, {}).items():
                described = {"description": cleandoc(text), **table["properties"][key]}
                table["properties"][key] = dict(sorted(described.items()))
    return schema


def _told_below(table: "ast.ClassDef") -> Iterator[tuple[str, str]]:
    """Yield each key of a table with the text that stands below it."""
    import ast

    for key, told in pairwise(table.body):
        if isinstance(key, ast.AnnAssign) and isinstance(key.target, ast.Name) and isinstance(told, ast.Expr):
            yield key.target.id, str(ast.literal_eval(told.value))


def _law_reference(unit: str) -> str:
    return f"#/$defs/law_{unit}"


def _tidy(node: Any) -> Any:
    """Refer to laws by definition; leave out nulls, which TOML lacks; close tables whose keys follow a pattern."""
    if isinstance(node, list):
        return [_tidy(each) for each in node if each != {"type": "null"}]
    if not isinstance(node, dict):
        return node
    kept = {key: _tidy(value) for key, value in node.items() if not (key == "default" and value is None)}
    if "patternProperties" in kept:
        kept["additionalProperties"] = False
    match kept:
        case {"law": str(unit)}:
            kept = {**_without(kept, LAW), "$ref": _law_reference(unit)}
        case {"anyOf": [only]}:
            kept = {**_without(kept, "anyOf"), **only}
    return kept


def _without(table: Mapping[str, Any], key: str) -> dict[str, Any]:
    return {each: value for each, value in table.items() if each != key}


def schema_text() -> str:
    """Return the JSON Schema as it stands in ``docs/scenario.schema.json``."""
    return json.dumps(scenario_schema(), indent=1, ensure_ascii=False) + "\n"
