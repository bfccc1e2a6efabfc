"""Whatever stands in a scenario file, it is read, or refused in one line that names the file."""

import json
import tomllib
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from simlab.experiment.scenario import ScenarioError, read_scenario
from tests.experiment.test_scenario import EVERYTHING

Place = tuple[Any, str | int]

JUNK = st.one_of(
    st.integers(-3, 3),
    st.integers(min_value=-(2**63), max_value=2**63 - 1),
    st.floats(),
    st.booleans(),
    st.sampled_from(["", "U1", "p", "post", "job:begin", "@latest", "start", "light", "\n", "steps"]),
    st.sampled_from([[], {}, [{}], [[1]], {"law": "constant"}, {"law": 3}, {"law": "exponential", "mean_s": 0}]),
)


def places(node: Any) -> Iterator[Place]:
    """Return every place of a document that holds a value."""
    keys: Any = node.keys() if isinstance(node, dict) else range(len(node))
    for key in keys:
        yield node, key
        if isinstance(node[key], dict | list):
            yield from places(node[key])


def toml(value: Any) -> str:
    """Write a value in TOML, tables inline."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{toml(key)} = {toml(each)}" for key, each in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return repr(value) if isinstance(value, float) else json.dumps(value)


def read(document: dict[str, Any]) -> str | None:
    """Read a document from a file; return what is said of it (None: it is accepted)."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "mine.toml"
        path.write_text("".join(f"{toml(key)} = {toml(each)}\n" for key, each in document.items()), "utf-8")
        try:
            read_scenario(path)
        except ScenarioError as error:
            return str(error).removeprefix(f"{path}: ") if str(error).startswith(f"{path}: ") else f"NO FILE: {error}"
    return None


def test_the_example_survives_being_written() -> None:
    assert read(tomllib.loads(EVERYTHING)) is None


@given(st.data())
def test_junk_in_any_place_is_read_or_told_in_one_line_with_its_key(data: st.DataObject) -> None:
    document = deepcopy(tomllib.loads(EVERYTHING))
    node, key = data.draw(st.sampled_from(list(places(document))))
    if data.draw(st.booleans()):
        node[key] = data.draw(JUNK)
    else:
        del node[key]
    told = read(document)
    if told is not None:
        assert "\n" not in told
        assert not told.startswith("NO FILE")
        assert told.partition(":")[0].partition(".")[0].partition("[")[0] in {*tomllib.loads(EVERYTHING), "sources"}


@given(st.sampled_from(["tools", "model", "plans", "events", "streams"]), st.text(min_size=1, max_size=5))
def test_an_unknown_key_is_refused(section: str, name: str) -> None:
    document = tomllib.loads(EVERYTHING)
    table = {
        "tools": document["tools"]["post"],
        "model": document["model"],
        "plans": document["plans"]["p"],
        "events": document["events"][0],
        "streams": document["streams"][0],
    }[section]
    name = f"no {name}"
    table[name] = 1
    told = read(document)
    assert told is not None
    assert "unknown key; allowed: " in told
    assert len(told.splitlines()) == 1
