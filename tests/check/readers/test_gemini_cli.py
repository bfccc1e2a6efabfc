from pathlib import Path
from typing import Any

from . import judge
from .files import document, lines, only, roles

Record = dict[str, Any]
HEAD = {"sessionId": "s", "projectHash": "p"}


def user(name: str, content: Any) -> Record:
    return {"id": name, "type": "user", "content": content}


def model(name: str, *tools: Record, content: Any = "") -> Record:
    return {"id": name, "type": "gemini", "content": content, "toolCalls": list(tools)}


def tool(call_id: str, status: str, result: Any = None) -> Record:
    return {"id": call_id, "name": "f", "args": {}, "status": status, "result": result}


def test_a_rewind_drops_a_message_and_all_after_it(tmp_path: Path) -> None:
    records = [HEAD, user("1", "a"), model("2"), user("3", "b"), {"$rewindTo": "2"}, user("4", "c")]

    assert [item["content"] for item in only(lines(tmp_path, *records)).messages] == ["a", "c"]
    assert [
        item["content"] for item in only(lines(tmp_path, *records[:4], {"$rewindTo": "x"}, records[5])).messages
    ] == ["c"]


def test_setting_the_messages_replaces_the_whole_list(tmp_path: Path) -> None:
    path = lines(tmp_path, HEAD, user("1", "a"), {"$set": {"messages": [user("9", "z")]}}, model("2"))

    assert only(path).places == ["messages[0]", "line 4"]


def test_commands_and_injected_context_are_not_sent(tmp_path: Path) -> None:
    session = {**HEAD, "messages": [user("1", "/help"), user("2", [{"text": "<session_context> x"}]), user("3", "hi")]}

    assert roles(only(document(tmp_path, session))) == "u"


def test_a_call_repeated_in_the_content_counts_once(tmp_path: Path) -> None:
    content = [{"functionCall": {"id": "a", "name": "f"}}, {"text": "thought", "thought": True}, {"text": "said"}]
    response = [{"functionResponse": {"id": "a", "name": "f", "response": {"output": "x"}}}]
    session = {**HEAD, "messages": [model("1", tool("a", "success", response), content=content), user("2", response)]}

    conversation = only(document(tmp_path, session))

    assert roles(conversation) == "a1 t"
    assert conversation.messages[0]["content"] == "said"


def test_responses_in_user_records_answer_calls_of_the_content(tmp_path: Path) -> None:
    content = [{"functionCall": {"id": "a", "name": "f"}}]
    response = [{"functionResponse": {"id": "a", "name": "f", "response": {}}}, {"text": "and more"}]

    assert roles(only(lines(tmp_path, HEAD, model("1", content=content), user("2", response)))) == "a1 t u"


def test_a_tool_that_is_not_over_is_open(tmp_path: Path) -> None:
    tools = [tool("a", "awaiting_approval"), tool("b", "cancelled"), tool("c", "executing", "partial")]

    conversation = only(lines(tmp_path, HEAD, model("1", *tools), user("2", "well?")))

    assert roles(conversation) == "a3 t t u"
    assert judge.rules(conversation) == {"dangling_tool_call"}


def test_a_session_without_messages_is_an_empty_conversation(tmp_path: Path) -> None:
    assert only(document(tmp_path, {**HEAD, "messages": []})).messages == []
