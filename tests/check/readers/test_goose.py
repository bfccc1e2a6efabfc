from pathlib import Path
from typing import Any

from . import judge
from .files import document, lines, only, roles

Block = dict[str, Any]


def asked(call_id: str) -> Block:
    return {"type": "toolRequest", "id": call_id, "toolCall": {"status": "success", "value": {"name": "f"}}}


def got(call_id: str, result: Block) -> Block:
    return {"type": "toolResponse", "id": call_id, "toolResult": result}


def message(role: str, *blocks: Block, **metadata: Any) -> Block:
    return {"role": role, "created": 1, "content": list(blocks), "metadata": metadata}


HI = message("user", {"type": "text", "text": "hi"})


def test_a_session_of_json_lines_is_one_conversation(tmp_path: Path) -> None:
    header = {"working_dir": "/srv", "description": "x", "message_count": 2}

    conversation = only(lines(tmp_path, header, HI, message("assistant", asked("a"))))

    assert conversation.format == "goose"
    assert roles(conversation) == "u a1"
    assert conversation.places == ["line 2", "line 3"]


def test_results_of_every_shape_are_results(tmp_path: Path) -> None:
    results = [
        got("a", {"status": "success", "value": [{"type": "text", "text": "old"}]}),
        got("b", {"status": "error", "error": "no"}),
        got("c", {"status": "success"}),
        {"type": "text", "text": "and this"},
    ]
    conversation = only(
        lines(tmp_path, HI, message("assistant", asked("a"), asked("b"), asked("c")), message("user", *results))
    )

    assert roles(conversation) == "u a3 t t t u"
    assert [item["content"] for item in conversation.messages[2:5]] == ["old", "no", ""]
    assert judge.rules(conversation) == set()


def test_a_call_that_could_not_be_parsed_is_a_call(tmp_path: Path) -> None:
    broken = {"type": "toolRequest", "id": "a", "toolCall": {"status": "error", "error": "bad json"}}

    assert roles(only(lines(tmp_path, HI, message("assistant", broken)))) == "u a1"


def test_what_was_compacted_away_is_no_part_of_the_conversation(tmp_path: Path) -> None:
    export = {
        "working_dir": "/srv",
        "id": "1",
        "conversation": [message("assistant", asked("a"), agentVisible=False), HI],
    }

    conversation = only(document(tmp_path, export))

    assert roles(conversation) == "u"
    assert conversation.units == 1
