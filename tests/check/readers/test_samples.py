import json
from pathlib import Path
from typing import Any

import pytest

from simlab.check.readers import FORMATS, counts, detect, read

from . import judge

SAMPLES = Path(__file__).parent / "samples"
VERDICTS = sorted(SAMPLES.glob("*.expect.json"))
each_sample = pytest.mark.parametrize("verdict", VERDICTS, ids=lambda path: path.name.removesuffix(".expect.json"))


def expected(verdict: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(verdict.read_text())
    return found


def sample(verdict: Path) -> Path:
    stem = verdict.name.removesuffix(".expect.json")
    return next(path for suffix in ("json", "jsonl") if (path := SAMPLES / f"{stem}.{suffix}").exists())


def test_there_is_a_sample_of_every_format_that_people_save() -> None:
    bodies = {"case", "bedrock_converse"}

    assert {expected(verdict)["format"] for verdict in VERDICTS} == FORMATS.keys() - bodies


@each_sample
def test_a_sample_is_detected(verdict: Path) -> None:
    assert detect(sample(verdict)) == expected(verdict)["format"]


@each_sample
def test_a_sample_is_counted(verdict: Path) -> None:
    want = expected(verdict)
    found = [counts(conversation) for conversation in read(sample(verdict))]

    for name in ("messages", "messages_expanded", "calls", "results"):
        assert sum(getattr(count, name) for count in found) == want[name], name


@each_sample
def test_a_sample_gets_its_verdict(verdict: Path) -> None:
    want = expected(verdict)
    conversations = list(read(sample(verdict)))

    assert sorted(set().union(*map(judge.rules, conversations))) == sorted(want["rules"])
    assert all(map(judge.valid, conversations)) == want["valid"]


@each_sample
def test_every_conversation_of_a_sample_gets_its_own_verdict(verdict: Path) -> None:
    want = expected(verdict)
    conversations = list(read(sample(verdict)))

    if "conversations" not in want:
        assert len(conversations) == 1
        return
    found = [{"id": item.id, "valid": judge.valid(item), "rules": sorted(judge.rules(item))} for item in conversations]
    assert found == [
        {"id": f"line {item['line']}", "valid": item["valid"], "rules": sorted(item["rules"])}
        for item in want["conversations"]
    ]


@each_sample
def test_naming_the_format_gives_what_detecting_it_gives(verdict: Path) -> None:
    path = sample(verdict)

    assert list(read(path, expected(verdict)["format"])) == list(read(path))


@each_sample
def test_every_message_of_a_sample_has_a_place_in_its_file(verdict: Path) -> None:
    for conversation in read(sample(verdict)):
        assert len(conversation.places) in (0, len(conversation.messages))
