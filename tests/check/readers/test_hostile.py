"""Whatever a file holds: no crash, no hang, a conversation with findings or one clear line."""

import gzip
import json
import random
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from simlab.check.readers import FORMATS, SavedConversation, counts, detect, read
from simlab.core.errors import SimlabError

from . import judge

SAMPLES = Path(__file__).parent / "samples"
FILES = sorted(path for path in SAMPLES.iterdir() if ".expect." not in path.name)


def values_of(path: Path) -> list[Any]:
    text = path.read_text()
    lines = [text] if path.suffix == ".json" else text.splitlines()
    return [json.loads(line) for line in lines if line.endswith(("}", "]", "}\n", "]\n"))]


VALUES = [value for path in FILES for value in values_of(path)]

quickly = settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def outcome(path: Path, name: str | None = None) -> list[SavedConversation] | str:
    """Read a file to its end; the conversations, or the one line that the caller is told."""
    try:
        conversations = list(read(path, name))
        for conversation in conversations:
            counts(conversation)
            judge.rules(conversation)
    except SimlabError as error:
        line = str(error)
        assert "\n" not in line
        assert line.startswith(str(path))
        return line
    assert conversations
    return conversations


def written(tmp_path: Path, data: bytes, name: str = "log.jsonl") -> Path:
    path = tmp_path / name
    path.write_bytes(data)
    return path


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


scalars = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8), st.just("gen_ai.choice"), st.just([])
)


def keys_of(value: Any) -> list[str]:
    if isinstance(value, dict):
        return list(value) + [key for item in value.values() for key in keys_of(item)]
    return [key for item in value for key in keys_of(item)] if isinstance(value, list) else []


KEYS = sorted({key for value in VALUES for key in keys_of(value)})
WORDS = sorted({word for value in VALUES for word in json.dumps(value).split('"') if word.isidentifier()})
json_like = st.recursive(
    scalars | st.sampled_from(WORDS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
    max_leaves=12,
)


def mutated(value: Any, dice: random.Random, replacement: Any) -> Any:
    """Replace, drop, double or swap one thing somewhere inside a value."""
    if isinstance(value, dict) and value and dice.random() < 0.9:
        key = dice.choice(list(value))
        if dice.random() < 0.1:
            return {name: item for name, item in value.items() if name != key}
        return {**value, key: mutated(value[key], dice, replacement)}
    if isinstance(value, list) and value and dice.random() < 0.9:
        index = dice.randrange(len(value))
        if dice.random() < 0.2:
            return value[:index] + dice.choice([[], [value[index]] * 2, [dice.choice(value)]]) + value[index + 1 :]
        return [*value[:index], mutated(value[index], dice, replacement), *value[index + 1 :]]
    return replacement


@quickly
@given(value=json_like)
def test_any_json_is_read_or_refused(tmp_path: Path, value: Any) -> None:
    outcome(written(tmp_path, json.dumps(value).encode()))


@quickly
@given(value=json_like, name=st.sampled_from(sorted(FORMATS)))
def test_any_json_under_any_format_name_is_read_or_refused(tmp_path: Path, value: Any, name: str) -> None:
    outcome(written(tmp_path, json.dumps(value).encode()), name)


@quickly
@given(path=st.sampled_from(FILES), seed=st.integers(0, 2**32), times=st.integers(1, 4), replacement=json_like)
def test_a_mutated_sample_is_read_or_refused(
    tmp_path: Path, path: Path, seed: int, times: int, replacement: Any
) -> None:
    dice = random.Random(seed)
    lines = [path.read_text()] if path.suffix == ".json" else path.read_text().splitlines()
    for _ in range(times):
        index = dice.randrange(len(lines))
        try:
            lines[index] = json.dumps(mutated(json.loads(lines[index]), dice, replacement))
        except ValueError:
            continue
    outcome(written(tmp_path, "\n".join(lines).encode()))


@quickly
@given(path=st.sampled_from(FILES), seed=st.integers(0, 2**32), junk=st.binary(max_size=12))
def test_damaged_bytes_are_read_or_refused(tmp_path: Path, path: Path, seed: int, junk: bytes) -> None:
    data = path.read_bytes()
    start = random.Random(seed).randrange(len(data))
    outcome(written(tmp_path, data[:start] + junk + data[start + len(junk) :]))


@quickly
@given(path=st.sampled_from(FILES), share=st.floats(0, 1))
def test_a_file_cut_anywhere_is_read_or_refused(tmp_path: Path, path: Path, share: float) -> None:
    data = path.read_bytes()
    outcome(written(tmp_path, data[: int(share * len(data))]))


@quickly
@given(data=st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(tmp_path: Path, data: bytes) -> None:
    outcome(written(tmp_path, data))


@pytest.mark.nightly
@settings(max_examples=20_000, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    seed=st.integers(0, 2**32),
    replacement=json_like,
    name=st.sampled_from([None, *sorted(FORMATS)]),
)
def test_mutated_samples_under_any_name_are_read_or_refused_at_length(
    tmp_path: Path, seed: int, replacement: Any, name: str | None
) -> None:
    dice = random.Random(seed)
    value = mutated(dice.choice(VALUES), dice, replacement)
    outcome(written(tmp_path, json.dumps([value] if dice.random() < 0.1 else value).encode()), name)


@pytest.mark.parametrize("depth", [100, 600, 950, 5_000, 500_000])
def test_deep_nesting_is_read_or_refused(tmp_path: Path, depth: int) -> None:
    content = nested(depth)
    outcome(written(tmp_path, content.encode()))
    outcome(written(tmp_path, f'{{"messages":[{{"role":"user","content":{content}}}]}}'.encode()))


@pytest.mark.parametrize("depth", [400, 900, 2_000])
def test_deeply_nested_telemetry_values_are_read_or_refused(tmp_path: Path, depth: int) -> None:
    value = '{"arrayValue":{"values":[' * depth + '{"stringValue":"x"}' + "]}}" * depth
    attribute = f'{{"key":"gen_ai.input.messages","value":{value}}}'
    span = f'{{"traceId":"a","spanId":"b","attributes":[{attribute}]}}'
    outcome(written(tmp_path, f'{{"resourceSpans":[{{"scopeSpans":[{{"spans":[{span}]}}]}}]}}'.encode()))


def test_a_deep_line_does_not_hide_its_neighbours(tmp_path: Path) -> None:
    good = b'{"messages":[{"role":"user","content":"hi"}]}\n'

    found = outcome(written(tmp_path, good + nested(100_000).encode() + b"\n" + good))

    assert not isinstance(found, str)
    assert [item.id for item in found] == ["line 1", "line 3"]
    assert [note.rule for note in found[0].notes] == ["unreadable_line"]


def test_a_huge_string_is_read(tmp_path: Path) -> None:
    body = {"messages": [{"role": "user", "content": "x" * 20_000_000}]}

    found = outcome(written(tmp_path, json.dumps(body).encode()))

    assert not isinstance(found, str)


def test_a_number_too_long_to_convert_is_refused(tmp_path: Path) -> None:
    assert "not JSON" in outcome(written(tmp_path, b'{"messages": ' + b"9" * 10_000 + b"}"))


def test_broken_utf8_is_replaced_and_noted(tmp_path: Path) -> None:
    line = b'{"messages":[{"role":"user","content":"\xff\xfe caf\xe9"}]}\n'

    found = outcome(written(tmp_path, line * 2))

    assert not isinstance(found, str)
    assert [[note.rule for note in item.notes] for item in found] == [["invalid_utf8"], ["invalid_utf8"]]
    assert found[0].messages[0]["content"] == "\ufffd\ufffd caf\ufffd"


def test_ids_that_are_not_numbers_are_handed_on(tmp_path: Path) -> None:
    call = {"id": float("nan"), "type": "function", "function": {"name": "f", "arguments": "{}"}}
    messages = [{"role": "assistant", "tool_calls": [call]}, {"role": "tool", "tool_call_id": float("nan")}]

    found = outcome(written(tmp_path, json.dumps(messages).encode()))

    assert not isinstance(found, str)
    assert counts(found[0]).calls == 1


def session(parents: dict[str, str | None]) -> bytes:
    records = [
        {"type": "user", "uuid": name, "parentUuid": parent, "message": {"role": "user", "content": name}}
        for name, parent in parents.items()
    ]
    return "\n".join(json.dumps(record) for record in records).encode()


@pytest.mark.parametrize(
    "parents",
    [{"a": "a"}, {"a": "b", "b": "a"}, {"a": None, "b": "d", "c": "b", "d": "c"}],
    ids=["own parent", "two", "three beside a root"],
)
def test_cyclic_parents_end_the_walk_and_are_noted(tmp_path: Path, parents: dict[str, str | None]) -> None:
    found = outcome(written(tmp_path, session(parents)))

    assert not isinstance(found, str)
    assert "cyclic_parents" in judge.rules(found[0])


def test_a_long_chain_of_parents_is_walked_without_recursion(tmp_path: Path) -> None:
    parents = {f"n{i}": f"n{i - 1}" if i else None for i in range(20_000)}

    found = outcome(written(tmp_path, session(parents)))

    assert not isinstance(found, str)
    assert len(found[0].messages) == 20_000


def test_spans_that_are_their_own_parents_do_not_hang(tmp_path: Path) -> None:
    spans = [
        {"name": "chat", "context": {"trace_id": "t", "span_id": one}, "parent_id": other, "attributes": {}}
        for one, other in (("a", "b"), ("b", "a"), ("c", "c"))
    ]
    found = outcome(written(tmp_path, "\n".join(map(json.dumps, spans)).encode()))

    assert not isinstance(found, str)
    assert judge.rules(found[0]) == {"no_content"}


def test_half_a_last_line_is_noted_once(tmp_path: Path) -> None:
    line = b'{"messages":[{"role":"user","content":"hi"}]}\n'

    found = outcome(written(tmp_path, line * 3 + line[:20]))

    assert not isinstance(found, str)
    assert [[note.rule for note in item.notes] for item in found] == [[], [], ["truncated_tail"]]


def test_many_bad_lines_make_one_note(tmp_path: Path) -> None:
    line = b'{"messages":[{"role":"user","content":"hi"}]}\n'

    found = outcome(written(tmp_path, line + b"7\n" * 30_000 + b"{\n" * 30_000 + line))

    assert not isinstance(found, str)
    assert [note.rule for note in found[0].notes] == ["skipped_line", "unreadable_line"]
    assert "29999 more" in found[0].notes[0].message


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b" \n\n ", "white space"),
        (b"hello", "is not JSON"),
        (b'{"a": 1}', "no known conversation format"),
        (b"[]", "no known conversation format"),
        (b'{"messages": [\n', "is not JSON"),
        (b"\xff\xfe{\x00}\x00", "UTF-16"),
        (b"\x28\xb5\x2f\xfd....", "zstd"),
        (b"SQLite format 3\x00....", "SQLite"),
        (b"PK\x03\x04....", "zip"),
        (b"\x1f\x8b\x08....", "cannot be read"),
        (gzip.compress(b'{"messages": []}')[:-6], "cannot be read"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_cannot_be_read_gets_one_clear_line(tmp_path: Path, data: bytes, reason: str) -> None:
    path = written(tmp_path, data)

    with pytest.raises(SimlabError, match=reason):
        list(read(path))
    assert reason in outcome(path)


def test_a_missing_file_and_a_directory_get_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(SimlabError, match="No such file"):
        detect(tmp_path / "missing.json")
    with pytest.raises(SimlabError, match="cannot be read"):
        detect(tmp_path)


def test_an_unknown_format_name_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(SimlabError, match="no format 'openai'; known: case, claude_code"):
        read(tmp_path / "any", "openai")


@pytest.mark.parametrize("member", [b"[]", b"{", b"\x00"])
def test_a_zip_with_foreign_samples_gets_one_clear_line(tmp_path: Path, member: bytes) -> None:
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("samples/1_epoch_1.json", member)

    with pytest.raises(SimlabError, match="not a JSON object"):
        list(read(path))
