from pathlib import Path
from typing import Any

from simlab.check.readers import detect

from . import judge
from .files import document, only, roles

Entry = dict[str, Any]


def entry(role: str, name: str, created: int, *parts: Entry, **info: Any) -> Entry:
    return {"info": {"role": role, "id": name, "time": {"created": created}, **info}, "parts": list(parts)}


def text(name: str, words: str, **more: Any) -> Entry:
    return {"type": "text", "id": name, "text": words, **more}


def tool(name: str, call_id: str, **state: Any) -> Entry:
    return {"type": "tool", "id": name, "callID": call_id, "tool": "f", "state": {"input": {}, **state}}


USER = entry("user", "m1", 1_770_000_000_000, text("p1", "hi"))


def test_messages_and_parts_are_put_in_order(tmp_path: Path) -> None:
    late = entry("assistant", "m3", 1_770_000_000_900, text("p9", "second"), text("p8", "first"))
    early = entry("assistant", "m2", 1_770_000_000_500, tool("p2", "a", status="completed", output="x"))

    conversation = only(document(tmp_path, {"info": {"id": "ses"}, "messages": [late, early, USER]}))

    assert roles(conversation) == "u a1 t a"
    assert conversation.messages[-1]["content"] == "first\nsecond"
    assert conversation.places == ["messages[2]", "messages[1]", "messages[1]", "messages[0]"]
    assert conversation.id == "ses"


def test_a_running_tool_has_no_result_and_a_failed_one_has(tmp_path: Path) -> None:
    states = [
        tool("p2", "a", status="running"),
        tool("p3", "b", status="error", error="no"),
        tool("p4", "c", status="pending"),
    ]
    after = entry("user", "m3", 1_770_000_000_900, text("p5", "well?"))

    conversation = only(document(tmp_path, [USER, entry("assistant", "m2", 1_770_000_000_500, *states), after]))

    assert roles(conversation) == "u a3 t u"
    assert judge.rules(conversation) == {"dangling_tool_call"}


def test_an_aborted_message_is_noted(tmp_path: Path) -> None:
    aborted = entry("assistant", "m2", 1_770_000_000_500, text("p2", "I"), error={"name": "MessageAbortedError"})

    assert judge.rules(only(document(tmp_path, [USER, aborted]))) == {"aborted_turn"}


def test_times_of_tools_are_ground_truth(tmp_path: Path) -> None:
    ran = tool("p2", "a", status="completed", output="x", time={"start": 1_770_000_000_600, "end": 1_770_000_000_850})

    conversation = only(document(tmp_path, [USER, entry("assistant", "m2", 1_770_000_000_500, ran)]))

    assert conversation.events == [
        {"t": 0, "kind": "exec_start", "call": "a"},
        {"t": 250, "kind": "exec_end", "call": "a", "status": "ok"},
    ]


def test_ignored_text_is_not_what_the_user_said(tmp_path: Path) -> None:
    path = document(tmp_path, [entry("user", "m1", 1, text("p1", "shown", ignored=True), text("p2", "sent"))])

    assert detect(path) == "opencode"
    assert only(path).messages[0]["content"] == "sent"
