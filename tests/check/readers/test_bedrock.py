from pathlib import Path
from typing import Any

import pytest

from simlab.check.readers import counts, detect

from . import judge
from .files import document, only, roles

MESSAGES: list[dict[str, Any]] = [
    {"role": "user", "content": [{"text": "hi"}]},
    {"role": "assistant", "content": [{"text": "so"}, {"toolUse": {"toolUseId": "a", "name": "f", "input": {}}}]},
    {"role": "user", "content": [{"toolResult": {"toolUseId": "a", "content": [{"text": "x"}]}}, {"text": "and"}]},
]


@pytest.mark.parametrize("value", [MESSAGES, {"modelId": "m", "messages": MESSAGES}, {"body": {"messages": MESSAGES}}])
def test_a_body_is_told_from_those_of_other_providers(tmp_path: Path, value: Any) -> None:
    path = document(tmp_path, value)

    assert detect(path) == "bedrock_converse"
    assert only(path).dialect == "bedrock"


def test_calls_and_results_are_found_in_their_blocks(tmp_path: Path) -> None:
    conversation = only(document(tmp_path, MESSAGES))

    assert roles(conversation) == "u a1 t u"
    assert (counts(conversation).calls, counts(conversation).results) == (1, 1)
    assert judge.rules(conversation) == set()
