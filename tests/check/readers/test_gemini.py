from pathlib import Path
from typing import Any

import pytest

from simlab.check.readers import counts, detect

from . import judge
from .files import document, only, roles

CONTENTS: list[dict[str, Any]] = [
    {"role": "user", "parts": [{"text": "hi"}]},
    {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}, {"functionCall": {"name": "f"}}]},
    {"role": "function", "parts": [{"functionResponse": {"name": "f", "response": {}}}] * 2},
]


@pytest.mark.parametrize("value", [CONTENTS, {"contents": CONTENTS}, {"history": CONTENTS}])
def test_contents_are_read_bare_in_a_body_and_in_a_checkpoint(tmp_path: Path, value: Any) -> None:
    conversation = only(document(tmp_path, value))

    assert conversation.dialect == "gemini"
    assert conversation.messages == CONTENTS


def test_calls_without_ids_pair_by_name_and_order(tmp_path: Path) -> None:
    conversation = only(document(tmp_path, CONTENTS))

    assert roles(conversation) == "u a2 t t"
    assert judge.rules(conversation) == set()


def test_snake_case_of_python_dumps_becomes_the_wire_form(tmp_path: Path) -> None:
    part = {"function_call": {"name": "f", "args": {}}, "thought_signature": "c2ln"}
    conversation = only(document(tmp_path, [{"role": "model", "parts": [part]}]))

    assert conversation.messages[0]["parts"] == [
        {"functionCall": {"name": "f", "args": {}}, "thoughtSignature": "c2ln"}
    ]
    assert counts(conversation).calls == 1


def test_a_lone_prompt_is_a_content(tmp_path: Path) -> None:
    path = document(tmp_path, {"contents": "hi", "model": "m"})

    assert detect(path) == "gemini_contents"
    assert only(path).messages == [{"role": "user", "parts": [{"text": "hi"}]}]
