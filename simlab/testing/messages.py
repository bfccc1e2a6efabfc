"""The one place where the storm asks whether a provider would accept what it was sent."""

from collections.abc import Sequence
from dataclasses import dataclass

from simlab.testing.contract import Message


@dataclass(frozen=True, slots=True)
class Malformed:
    """One breach of the provider's rules: in which request, at which message, which rule, for which call."""

    request: int
    message: int
    rule: str
    call_id: str


def judge_messages(requests: Sequence[Sequence[Message]]) -> list[Malformed]:
    """Check OpenAI Chat requests: every call is answered directly behind its message, once."""
    found = []
    for number, messages in enumerate(requests):
        open_ids: dict[str, int] = {}
        answered: set[str] = set()
        for index, message in enumerate(messages):
            if message["role"] == "tool":
                call_id = str(message.get("tool_call_id"))
                if call_id in open_ids:
                    answered.add(call_id)
                    del open_ids[call_id]
                else:
                    rule = "duplicate_tool_result" if call_id in answered else "orphan_tool_result"
                    found.append(Malformed(number, index, rule, call_id))
                continue
            found += [Malformed(number, at, "dangling_tool_call", call_id) for call_id, at in open_ids.items()]
            calls = [str(call["id"]) for call in message.get("tool_calls") or []]
            open_ids, answered = dict.fromkeys(calls, index), set()
        found += [Malformed(number, at, "dangling_tool_call", call_id) for call_id, at in open_ids.items()]
    return found
