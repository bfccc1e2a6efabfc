from pathlib import Path
from typing import Any

import pytest

from simlab.check import readers
from simlab.check.readers import SavedConversation, langchain, openai
from simlab.check.readers.saved import each_document, gathered
from simlab.check.readers.source import Record, Source
from simlab.core.errors import SimlabError

from .files import lines, only

BODY = {"messages": [{"role": "user", "content": "hi"}]}


def source(*records: Record, kind: Any = "lines") -> Source:
    return Source(path=Path("log"), kind=kind, head=list(records), rest=iter(()))


def rules(conversations: list[SavedConversation]) -> list[list[str]]:
    return [[note.rule for note in conversation.notes] for conversation in conversations]


def test_a_fault_belongs_to_the_conversation_before_it_or_else_to_the_first() -> None:
    bad = Record(b"", 1, "unreadable")

    found = list(each_document(source(bad, Record(BODY, 2), bad, Record(BODY, 4), Record(BODY, 5)), openai.read_chat))

    assert rules(found) == [["unreadable_line"], [], []]
    assert [item.id for item in found] == ["line 2", "line 4", "line 5"]
    assert "(and 1 more)" in found[0].notes[0].message


def test_replaced_bytes_belong_to_the_conversation_that_held_them() -> None:
    found = list(
        each_document(source(Record(BODY, 1), Record(BODY, 2, "invalid_utf8"), Record(BODY, 3)), openai.read_chat)
    )

    assert rules(found) == [[], ["invalid_utf8"], []]


def test_replaced_bytes_of_a_document_are_noted() -> None:
    record = Record(BODY, 1, "invalid_utf8")

    assert rules(list(each_document(source(record, kind="document"), openai.read_chat))) == [["invalid_utf8"]]


def deep_state() -> dict[str, Any]:
    """A tool result that no parser here would have made: newer ones read deeper than Python can walk."""
    content: list[Any] = []
    for _ in range(100_000):
        content = [content]
    return {"messages": [{"type": "tool", "tool_call_id": "a", "content": content}]}


def test_a_line_deeper_than_python_can_walk_is_a_fault() -> None:
    records = [Record({"messages": [{"type": "human", "content": "hi"}]}, 1), Record(deep_state(), 2)]

    assert rules(list(each_document(source(*records), langchain.read_state))) == [["unreadable_line"]]


def test_a_document_deeper_than_python_can_walk_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    deep = source(Record(deep_state(), 1), kind="document")
    monkeypatch.setattr(readers, "open_source", lambda _: deep)

    with pytest.raises(SimlabError, match="log: is nested too deeply to read"):
        list(readers.read("log", "langgraph"))


def test_one_message_a_line_keeps_what_was_wrong_with_the_file() -> None:
    records = [Record(message, 1) for message in BODY["messages"]] + [Record(b"", 2, "unreadable")]

    def read(whole: Source) -> Any:
        return each_document(whole, openai.read_chat)

    assert rules(list(gathered(source(*records), read))) == [["truncated_tail"]]


def test_a_named_format_refuses_what_is_not_of_it(tmp_path: Path) -> None:
    with pytest.raises(SimlabError, match="holds no conversation of format gemini_contents"):
        only(lines(tmp_path, {"a": 1}, {"b": 2}), "gemini_contents")
    with pytest.raises(SimlabError, match="is not gemini_contents: no list 'contents'"):
        only(lines(tmp_path, {"a": 1}), "gemini_contents")


def test_conversations_are_handed_out_while_the_file_is_still_being_read(tmp_path: Path) -> None:
    path = lines(tmp_path, *[BODY] * 1000)
    reading = readers.read(path)

    assert next(reading).id == "line 1"
    reading.close()  # type: ignore[attr-defined]
