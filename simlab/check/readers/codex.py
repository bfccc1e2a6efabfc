"""Codex rollouts: the ``response_item`` records are Responses items; the events beside them are what happened.

Source: openai/codex, codex-rs/protocol/src/models.rs and codex-rs/core/src/context_manager/normalize.rs; samples of
uw-syfi/TraceLab and daaain/claude-code-log.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from simlab.check.readers.faults import Faults, note
from simlab.check.readers.openai import counts_as_unit, is_item
from simlab.check.readers.saved import SavedConversation, each_object
from simlab.check.readers.source import Source
from simlab.check.readers.values import instant_ms, joined_text, object_of, text_or_none, word
from simlab.core.errors import SimlabError
from simlab.dialects.findings import Finding

FORMAT = "codex_rollout"

_RECORD_TYPES = {"session_meta", "turn_context", "response_item", "event_msg", "compacted"}
_NOT_SENT = {"ghost_snapshot", "other"}
_INJECTED = (
    "# AGENTS.md instructions",
    "<environment_context>",
    "<user_instructions>",
    "<turn_aborted>",
    "<skill>",
    "<subagent_notification>",
)
_EXECUTIONS = {
    "exec_command_begin": "exec_start",
    "exec_command_end": "exec_end",
    "mcp_tool_call_begin": "exec_start",
    "mcp_tool_call_end": "exec_end",
    "patch_apply_begin": "exec_start",
    "patch_apply_end": "exec_end",
}


def looks_like(value: Any) -> bool:
    """Whether a value is a record of a rollout, or a line of one written before records had a payload."""
    if not isinstance(value, dict):
        return False
    if word(value, "type") in _RECORD_TYPES:
        return isinstance(value.get("payload"), dict)
    return "record_type" in value or ("instructions" in value and "timestamp" in value and "id" in value)


@dataclass(slots=True)
class _Rollout:
    items: list[Any] = field(default_factory=list)
    places: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    spoken: list[tuple[str, str, str]] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)
    notes: list[Finding] = field(default_factory=list)
    session: dict[str, Any] = field(default_factory=dict)
    started_ms: float = 0.0

    def take(self, line: int, record: dict[str, Any]) -> None:
        """Take one record of the file."""
        payload = record.get("payload")
        kind = record.get("type")
        if not isinstance(payload, dict):
            if is_item(record) or (kind == "message" and "role" in record):
                self._item(line, record)
            return
        at_ms = instant_ms(record.get("timestamp"))
        self.started_ms = self.started_ms or at_ms
        if kind == "response_item":
            self._item(line, payload)
        elif kind == "event_msg":
            self._event(line, payload, max(0.0, at_ms - self.started_ms))
        elif kind == "session_meta" and not self.session:
            self.session = payload
        elif kind == "compacted":
            self.events.append({"t": max(0.0, at_ms - self.started_ms), "kind": "compact"})

    def _item(self, line: int, item: dict[str, Any]) -> None:
        if word(item, "type") not in _NOT_SENT:
            if _is_typed(item):
                self.starts.append(len(self.items))
            self.items.append(item)
            self.places.append(f"line {line}")

    def _event(self, line: int, event: dict[str, Any], at_ms: float) -> None:
        match event.get("type"):
            case "user_message" | "agent_message" as kind:
                role = "user" if kind == "user_message" else "assistant"
                self.spoken.append((role, str(event.get("message", "")), f"line {line}"))
            case "turn_aborted":
                self.events.append({"t": at_ms, "kind": "interrupt", "reason": event.get("reason")})
                self.notes.append(_aborted(line, event, len(self.items) - 1))
            case "thread_rolled_back":
                self._roll_back(event.get("num_turns"))
            case str() as kind if kind in _EXECUTIONS:
                self.events.append(_execution(_EXECUTIONS[kind], event, at_ms))

    def _roll_back(self, turns: Any) -> None:
        """Drop the last turns, each from the message that a person typed on."""
        if not isinstance(turns, int) or turns < 1 or not self.starts:
            return
        first = max(0, len(self.starts) - turns)
        cut = self.starts[first]
        del self.starts[first:], self.items[cut:], self.places[cut:]


def _is_typed(item: dict[str, Any]) -> bool:
    if item.get("type") != "message" or item.get("role") != "user":
        return False
    return not joined_text(item.get("content")).lstrip().startswith(_INJECTED)


def _aborted(line: int, event: dict[str, Any], index: int) -> Finding:
    reason = text_or_none(event.get("reason")) or "no reason given"
    text = f"line {line}: the log says that the turn was aborted ({reason})"
    return note("aborted_turn", "info", text, "Nothing to do: an abort is allowed.", max(index, 0))


def _execution(kind: str, event: dict[str, Any], at_ms: float) -> dict[str, Any]:
    found: dict[str, Any] = {"t": at_ms, "kind": kind, "call": event.get("call_id")}
    if kind == "exec_end":
        failed = event.get("exit_code", 0) not in (0, None) or event.get("success") is False
        found["status"] = "error" if failed else "ok"
    return found


def read(source: Source) -> Iterator[SavedConversation]:
    """Yield the one conversation of the rollout, rollbacks carried out."""
    faults = Faults()
    rollout = _Rollout()
    for line, record in each_object(source, faults):
        rollout.take(line, record)
    if not rollout.items:
        _from_events(rollout)
    if not rollout.items:
        raise SimlabError(f"{source.path}: holds no response_item and no message event of a Codex rollout")
    meta = rollout.session
    instructions = meta.get("instructions") or object_of(meta.get("base_instructions")).get("text")
    yield SavedConversation(
        format=FORMAT,
        dialect="openai_responses",
        messages=rollout.items,
        request={"instructions": instructions} if isinstance(instructions, str) else {},
        events=rollout.events,
        baseline=None,
        notes=rollout.notes + faults.notes(end=True),
        id=text_or_none(meta.get("id")),
        units=sum(counts_as_unit(item) for item in rollout.items),
        places=rollout.places,
    )


def _from_events(rollout: _Rollout) -> None:
    """Very old and foreign files hold what was said only as events."""
    for role, text, place in rollout.spoken:
        kind = "input_text" if role == "user" else "output_text"
        rollout.items.append({"type": "message", "role": role, "content": [{"type": kind, "text": text}]})
        rollout.places.append(place)
