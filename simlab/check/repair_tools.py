"""Requests whose history uses tools must define them: add definitions for those that the history names."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from simlab.check.conversation import Conversation
from simlab.check.neutral import Entry
from simlab.check.repair_plan import Plan
from simlab.check.shapes import read
from simlab.dialects.registry import check


def with_tools(conversation: Conversation, target: str, plan: Plan) -> Conversation:
    """Return the conversation with tool definitions in its request where the target misses them."""
    own = conversation.dialect
    if target != own or target not in ("anthropic", "bedrock"):
        return conversation
    found = check(target, conversation.messages, request={**conversation.request, "mode": "serving"})
    if not any(one.rule == "tools_required" for one in found):
        return conversation
    names = sorted({_name(entry) for entry in read(own, conversation.messages) if entry.kind == "call"}) or ["tool"]
    belief = "it has these tools, whose parameters are not described"
    plan.add("rewrite", None, f"the request defines {', '.join(names)} with empty schemas", belief)
    return replace(conversation, request={**conversation.request, **_definitions(target, names)})


def _name(entry: Entry) -> str:
    return entry.name[:64] or "tool"


def _definitions(target: str, names: Sequence[str]) -> dict[str, Any]:
    if target == "anthropic":
        return {"tools": [{"name": name, "input_schema": {"type": "object"}} for name in names]}
    tools = [{"toolSpec": {"name": name, "inputSchema": {"json": {"type": "object"}}}} for name in names]
    return {"toolConfig": {"tools": tools}}
