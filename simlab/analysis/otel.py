"""A run as OpenTelemetry spans in OTLP/JSON, by the semantic conventions for generative AI.

One trace a run: an ``invoke_agent`` span around it, a ``chat`` span for each call of the model and each side session
with the messages that it saw and said, an ``execute_tool`` span for each tool run. What has no convention has the
prefix ``simlab.``. Virtual time starts at the Unix epoch. ``simlab check`` reads the file back.

Source: open-telemetry/semantic-conventions-genai (docs/gen-ai/gen-ai-spans.md, gen-ai-agent-spans.md) and
open-telemetry/opentelemetry-proto (OTLP/JSON).
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import Any

from simlab.core.commands import CallModel, StartSide
from simlab.core.inputs import ModelFinished, ModelStopped, SideEnded, ToolEnded
from simlab.core.messages import (
    AssistantMessage,
    Call,
    EventMessage,
    LateResultMessage,
    Message,
    NoticeMessage,
    PlaceholderMessage,
    ResultMessage,
    SideMessage,
)
from simlab.core.record import ModelCall, RunOutcome, RunRecord, ToolRun
from simlab.core.version import VERSION

_PROVIDER = "simlab"
_MODEL = "mocked"
_INTERNAL, _CLIENT = 1, 3
_ERROR = 2
_NANO = 1_000_000
Fields = dict[str, Any]
Value = str | int | float | bool


def resource_spans(records: Sequence[RunRecord]) -> Fields:
    """Return the document: ``json.dumps`` of it is the file."""
    scope = {"name": "simlab", "version": VERSION}
    spans = [span for record in records for span in _Run(record).spans()]
    return {
        "resourceSpans": [
            {
                "resource": {"attributes": _attributes({"service.name": "simlab"})},
                "scopeSpans": [{"scope": scope, "spans": spans}],
            }
        ]
    }


class _Run:
    """The spans of one run."""

    def __init__(self, record: RunRecord) -> None:
        self._record = record
        self._name = f"{record.scenario}/{record.strategy}/{record.router}/{record.seed}/{record.replication}"
        self._trace = _hash(self._name, 32)
        self._root = _hash(f"{self._name}/agent", 16)

    def spans(self) -> Iterator[Fields]:
        record = self._record
        yield self._span(
            f"invoke_agent {record.strategy}",
            (0, record.ended_ms),
            {
                "gen_ai.operation.name": "invoke_agent",
                "gen_ai.agent.name": record.strategy,
                "simlab.scenario": record.scenario,
                "simlab.router": record.router,
                "simlab.seed": record.seed,
                "simlab.replication": record.replication,
            },
            ident=self._root,
        )
        yield from self._chats()
        yield from self._sides()
        results = {item.call_id: item.result for _, item in record.trace.records if isinstance(item, ToolEnded)}
        for number, run in enumerate(record.tool_runs):
            result = results.get(run.call_id) if run.outcome is not RunOutcome.CANCELLED else None
            yield self._tool(run, number, result.content if result else None)

    def _chats(self) -> Iterator[Fields]:
        books = {call.generation: call for call in self._record.model_calls if not call.side}
        begun: dict[int, tuple[int, Sequence[Message]]] = {}
        for at_ms, item in self._record.trace.records:
            match item:
                case CallModel(generation=generation, messages=messages, length=length):
                    begun[generation] = (at_ms, list(messages[:length]))
                case (
                    ModelFinished(generation=generation, message=said)
                    | ModelStopped(generation=generation, partial=said)
                ):
                    yield self._chat(generation, begun.pop(generation), at_ms, books.get(generation), said)
                case _:
                    pass
        for generation, start in begun.items():
            yield self._chat(generation, start, self._record.ended_ms, books.get(generation), None)

    def _sides(self) -> Iterator[Fields]:
        begun: dict[str, tuple[int, StartSide]] = {}
        for at_ms, item in self._record.trace.records:
            if isinstance(item, StartSide):
                begun[item.session_id] = (at_ms, item)
            elif isinstance(item, SideEnded):
                yield self._side(*begun.pop(item.session_id), at_ms, item.answer)
        for start_ms, command in begun.values():
            yield self._side(start_ms, command, self._record.ended_ms, None)

    def _chat(
        self,
        generation: int,
        start: tuple[int, Sequence[Message]],
        end_ms: int,
        book: ModelCall | None,
        said: AssistantMessage | None,
    ) -> Fields:
        about: dict[str, Value] = {"simlab.generation": generation, "simlab.recorded": bool(book and book.kept)}
        if book is not None:
            about |= {
                "gen_ai.usage.input_tokens": book.input_tokens,
                "gen_ai.usage.cache_read.input_tokens": book.cached_tokens,
                "gen_ai.usage.output_tokens": book.output_tokens,
                "simlab.cost_usd": book.cost_usd,
            }
        return self._span(
            f"chat {_MODEL}",
            (start[0], end_ms),
            _inference(start[1], said) | about,
            ident=_hash(f"{self._name}/call/{generation}", 16),
            kind=_CLIENT,
            failed="stopped" if said is None else "",
        )

    def _side(self, start_ms: int, command: StartSide, end_ms: int, answer: AssistantMessage | None) -> Fields:
        given = [*command.messages, EventMessage(events=(command.event,))]
        about: dict[str, Value] = {
            "gen_ai.conversation.id": f"{self._trace}/{command.session_id}",
            "simlab.session": command.session_id,
        }
        return self._span(
            f"chat {_MODEL}",
            (start_ms, end_ms),
            _inference(given, answer) | about,
            ident=_hash(f"{self._name}/side/{command.session_id}", 16),
            kind=_CLIENT,
        )

    def _tool(self, run: ToolRun, number: int, result: str | None) -> Fields:
        ended_ms = self._record.ended_ms if run.stopped_ms is None else run.stopped_ms
        about: dict[str, Value] = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": run.tool,
            "gen_ai.tool.call.id": run.call_id,
            "gen_ai.tool.type": "function",
            "simlab.task": run.task_id,
            "simlab.step": run.step,
            "simlab.outcome": run.outcome.value,
        }
        if result is not None:
            about["gen_ai.tool.call.result"] = result
        if run.committed_ms is not None:
            about["simlab.committed_ms"] = run.committed_ms
        bad = run.outcome not in {RunOutcome.FINISHED, RunOutcome.RUNNING}
        return self._span(
            f"execute_tool {run.tool}",
            (run.started_ms, ended_ms),
            about,
            ident=_hash(f"{self._name}/tool/{number}", 16),
            failed=run.outcome.value if bad else "",
        )

    def _span(
        self,
        name: str,
        times_ms: tuple[int, int],
        attributes: dict[str, Value],
        *,
        ident: str,
        kind: int = _INTERNAL,
        failed: str = "",
    ) -> Fields:
        if failed:
            attributes = attributes | {"error.type": failed.replace(" ", "_")}
        conversation: dict[str, Value] = {"gen_ai.conversation.id": self._trace}
        parent = {} if ident == self._root else {"parentSpanId": self._root}
        return {
            "traceId": self._trace,
            "spanId": ident,
            **parent,
            "name": name,
            "kind": kind,
            "startTimeUnixNano": str(times_ms[0] * _NANO),
            "endTimeUnixNano": str(times_ms[1] * _NANO),
            "attributes": _attributes(conversation | attributes),
            "status": {"code": _ERROR, "message": failed} if failed else {},
        }


def _hash(text: str, digits: int) -> str:
    return sha256(text.encode()).hexdigest()[:digits]


def _attributes(values: dict[str, Value]) -> list[Fields]:
    return [{"key": key, "value": _typed(value)} for key, value in values.items()]


def _typed(value: Value) -> Fields:
    match value:
        case bool():
            return {"boolValue": value}
        case int():
            return {"intValue": str(value)}
        case float():
            return {"doubleValue": value}
        case str():
            return {"stringValue": value}


# --- messages ---------------------------------------------------------------------------------------------------------


def _inference(given: Iterable[Message], said: AssistantMessage | None) -> dict[str, Value]:
    found: dict[str, Value] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": _PROVIDER,
        "gen_ai.request.model": _MODEL,
        "gen_ai.input.messages": json.dumps([_message(message) for message in given], ensure_ascii=False),
    }
    if said is not None:
        output = _message(said) | {"finish_reason": "tool_call" if said.calls else "stop"}
        found["gen_ai.output.messages"] = json.dumps([output], ensure_ascii=False)
    return found


def _message(message: Message) -> Fields:
    match message:
        case EventMessage(events=events):
            return {"role": "user", "parts": [_text(event.content) for event in events]}
        case AssistantMessage(calls=calls):
            text = message.text or ", ".join(message.says)
            return {"role": "assistant", "parts": [*([_text(text)] if text else []), *map(_call, calls)]}
        case ResultMessage(call_id=call_id, result=result):
            return _response(call_id, result.content)
        case PlaceholderMessage(call_id=call_id, state=state):
            return _response(call_id, f"[{state.value}]")
        case LateResultMessage(call_id=call_id, result=result):
            return {"role": "user", "parts": [_text(f"[late result of {call_id}] {result.content}")]}
        case SideMessage(event=event, answer=answer):
            told = f"[ran in parallel with the main task] {event.content}: {answer.text or ', '.join(answer.says)}"
            return {"role": "user", "parts": [_text(told)]}
        case NoticeMessage(call_id=call_id, state=state):
            return {"role": "user", "parts": [_text(f"[{call_id}: {state.value}]")]}


def _text(content: str) -> Fields:
    return {"type": "text", "content": content}


def _call(call: Call) -> Fields:
    return {"type": "tool_call", "id": call.id, "name": call.tool, "arguments": call.arguments}


def _response(call_id: str, content: str) -> Fields:
    return {"role": "tool", "parts": [{"type": "tool_call_response", "id": call_id, "response": content}]}
