from pathlib import Path
from typing import Any

from simlab.check.readers import counts, read

from .files import document, lines, only

CASE: dict[str, Any] = {
    "id": "x1",
    "dialect": "gemini",
    "messages": [{"role": "user", "parts": [{"text": "hi"}]}],
    "request": {"model_family": "gemini-3"},
    "events": [{"t": 1, "kind": "stop"}],
    "baseline": {"responses": [{"output": ["fc_1"]}]},
    "expect": {"valid": True},
}


def test_a_case_hands_over_its_ground_truth(tmp_path: Path) -> None:
    conversation = only(document(tmp_path, CASE))

    assert (conversation.format, conversation.dialect, conversation.id) == ("case", "gemini", "x1")
    assert conversation.messages == CASE["messages"]
    assert conversation.request == CASE["request"]
    assert conversation.events == CASE["events"]
    assert conversation.baseline == [{"output": ["fc_1"]}]


def test_a_case_needs_only_a_dialect_and_messages(tmp_path: Path) -> None:
    bare = {"dialect": "mistral", "messages": []}
    first, second = read(lines(tmp_path, bare, CASE))

    assert (first.request, first.events, first.baseline, first.id) == ({}, [], None, "line 1")
    assert (second.id, counts(second).messages) == ("x1", 1)


def test_a_baseline_may_be_an_earlier_snapshot(tmp_path: Path) -> None:
    assert only(document(tmp_path, {**CASE, "baseline": CASE["messages"]})).baseline == CASE["messages"]
