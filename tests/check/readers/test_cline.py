from pathlib import Path
from typing import Any

from simlab.check.readers import counts

from . import judge
from .files import document, only, roles

Message = dict[str, Any]


def text(words: str) -> Message:
    return {"type": "text", "text": words}


def use(call_id: str, name: str = "read_file") -> Message:
    return {"type": "tool_use", "id": call_id, "name": name, "input": {}}


def task(*after: Message) -> list[Message]:
    return [{"role": "user", "content": [text("<task>\nx\n</task>")]}, *after]


def says(*blocks: Message) -> Message:
    return {"role": "assistant", "content": list(blocks)}


def user(*blocks: Message) -> Message:
    return {"role": "user", "content": list(blocks)}


def test_text_results_answer_calls_of_their_tool_in_order(tmp_path: Path) -> None:
    conversation = only(
        document(
            tmp_path,
            task(
                says(use("a"), use("b", "list_files"), use("c")),
                user(
                    text("[read_file for 'x'] Result:\n1"),
                    text("[read_file for 'y'] Result:\n2"),
                    text("[list_files] Result:\n3"),
                    text("[read_file for 'z'] Result:\nnobody asked"),
                ),
            ),
        )
    )

    results = conversation.messages[2]["content"]
    assert [(block.get("tool_use_id"), block.get("content")) for block in results[:3]] == [
        ("a", "1"),
        ("c", "2"),
        ("b", "3"),
    ]
    assert results[3]["type"] == "text"
    assert judge.rules(conversation) == set()


def test_a_call_without_any_result_stays_dangling(tmp_path: Path) -> None:
    conversation = only(
        document(
            tmp_path, task(says(use("a"), use("b")), user(text("[read_file for 'x'] Result:\n1")), says(text("ok")))
        )
    )

    assert judge.rules(conversation) == {"dangling_tool_call"}


def test_text_that_only_looks_like_a_result_stays_text(tmp_path: Path) -> None:
    conversation = only(
        document(tmp_path, task(says(use("a")), user(text("[write_file] Result:\n"), text("[read_files] Result:"))))
    )

    assert roles(conversation) == "u a1 u"


def test_a_session_of_the_newer_core_has_one_message_a_result(tmp_path: Path) -> None:
    result = {
        "type": "tool_result",
        "tool_use_id": "a",
        "name": "f",
        "content": [{"query": "q", "result": "r", "success": True}],
    }
    messages = [user(text("hi")), says(use("a"), use("b")), user(result), user({**result, "tool_use_id": "b"})]
    session = {"version": 1, "sessionId": "s", "messages": messages, "system_prompt": "be brief"}

    conversation = only(document(tmp_path, session))

    assert conversation.format == "cline"
    assert conversation.request == {"system": "be brief"}
    assert judge.rules(conversation) == set()
    assert counts(conversation).messages == 4
    assert conversation.messages[2]["content"][0]["content"][0]["type"] == "text"


def test_a_trailing_resumption_is_a_normal_end(tmp_path: Path) -> None:
    conversation = only(
        document(tmp_path, task(says(text("ok")), user(text("[TASK RESUMPTION] a"), text("[TASK RESUMPTION] b"))))
    )

    assert roles(conversation) == "u a u"
