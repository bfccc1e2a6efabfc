from typing import Any

import pytest

from simlab.check.conversation import Conversation
from simlab.check.readers import Counts, counts

CALL = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
ROUNDS: dict[str, list[Any]] = {
    "openai_chat": [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": "so"},
        {"role": "assistant", "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "c", "content": ""},
        {"role": "user", "content": "and"},
    ],
    "openai_responses": [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": "so"},
        {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": ""},
        {"role": "user", "content": "and"},
    ],
    "anthropic": [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": "so"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "f", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c"}]},
        {"role": "user", "content": "and"},
    ],
    "gemini": [
        {"role": "user", "parts": [{"text": "hi"}]},
        {"role": "model", "parts": [{"text": "so"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "f"}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "f"}}]},
        {"role": "user", "parts": [{"text": "and"}]},
    ],
    "bedrock": [
        {"role": "user", "content": [{"text": "hi"}]},
        {"role": "assistant", "content": [{"text": "so"}]},
        {"role": "assistant", "content": [{"toolUse": {"toolUseId": "c", "name": "f"}}]},
        {"role": "user", "content": [{"toolResult": {"toolUseId": "c"}}]},
        {"role": "user", "content": [{"text": "and"}]},
    ],
}
ROUNDS["mistral"] = ROUNDS["compatible"] = ROUNDS["openai_chat"]


@pytest.mark.parametrize("dialect", ROUNDS)
def test_the_same_round_counts_the_same_in_every_dialect(dialect: str) -> None:
    conversation = Conversation(
        format="x", dialect=dialect, messages=ROUNDS[dialect], request={}, events=[], baseline=None, notes=[], id=None
    )

    assert counts(conversation) == Counts(messages=5, messages_expanded=4, calls=1, results=1)
