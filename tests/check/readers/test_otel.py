import json
from pathlib import Path
from typing import Any

import pytest

from simlab.check.readers import detect, read

from . import judge
from .files import document, lines, only, roles

Fields = dict[str, Any]

USER = {"role": "user", "parts": [{"type": "text", "content": "hi"}]}
DONE = {"role": "assistant", "parts": [{"type": "text", "content": "done"}]}


def asks(*ids: str) -> Fields:
    return {
        "role": "assistant",
        "parts": [{"type": "tool_call", "id": name, "name": "f", "arguments": {}} for name in ids],
    }


def got(*ids: str) -> Fields:
    return {"role": "tool", "parts": [{"type": "tool_call_response", "id": name, "response": "x"} for name in ids]}


def span(name: str, at: int, trace: str = "t", parent: str | None = None, **attributes: Any) -> Fields:
    flat = {key.replace("__", "."): value for key, value in attributes.items()}
    context = {"trace_id": trace, "span_id": name}
    return {
        "name": name,
        "context": context,
        "parent_id": parent,
        "start_time": at,
        "end_time": at + 1,
        "attributes": flat,
    }


def chat(name: str, at: int, given: list[Fields], *said: Fields, structured: bool = False, **more: Any) -> Fields:
    values = {"gen_ai__input__messages": given, "gen_ai__output__messages": list(said)}
    written = values if structured else {key: json.dumps(value) for key, value in values.items()}
    return span(name, at, **written, **more)


def test_the_last_span_holds_the_conversation_whatever_the_order(tmp_path: Path) -> None:
    early = chat("1", 1, [USER], asks("a"))
    late = chat("2", 2, [USER, asks("a"), got("a")], DONE, structured=True)

    assert roles(only(lines(tmp_path, late, early))) == "u a1 t a"


def test_spans_printed_over_several_lines_are_read(tmp_path: Path) -> None:
    path = tmp_path / "console.json"
    path.write_text("\n".join(json.dumps(chat("1", 1, [USER], asks("a")), indent=4) for _ in range(2)))

    assert detect(path) == "otel_genai"
    assert roles(only(path)) == "u a1"


def test_a_trimmed_history_is_joined_by_call_id(tmp_path: Path) -> None:
    path = lines(
        tmp_path,
        chat("1", 1, [USER, asks("a"), got("a"), USER], asks("b")),
        chat("2", 2, [USER, got("b")], asks("c")),
        chat("3", 3, [got("b"), got("c")], DONE),
    )

    assert roles(only(path)) == "u a1 t u a1 t a1 t a"


def test_traces_and_agents_are_conversations_of_their_own(tmp_path: Path) -> None:
    path = lines(
        tmp_path,
        span("main", 0, gen_ai__agent__name="planner"),
        chat("1", 1, [USER], asks("a"), parent="main"),
        span("sub", 2, parent="main", gen_ai__agent__name="searcher"),
        chat("2", 3, [USER, asks("b"), got("b")], DONE, parent="sub"),
        chat("3", 4, [USER], DONE, trace="other"),
    )

    assert [(item.id, roles(item)) for item in read(path)] == [
        ("t planner", "u a1"),
        ("t searcher", "u a1 t a"),
        ("other", "u a"),
    ]


def test_a_conversation_over_two_traces_is_one(tmp_path: Path) -> None:
    path = lines(
        tmp_path,
        chat("1", 1, [USER], DONE, gen_ai__conversation__id="c"),
        chat("2", 2, [USER, DONE, USER], DONE, trace="u", gen_ai__conversation__id="c"),
    )

    assert [(item.id, roles(item)) for item in read(path)] == [("c", "u a u a")]


def test_tool_spans_are_ground_truth(tmp_path: Path) -> None:
    tool = {"gen_ai__operation__name": "execute_tool", "gen_ai__tool__call__id": "a", "gen_ai__tool__name": "f"}
    failed = {**span("3", 1_770_000_000_500, **tool), "status": {"status_code": "ERROR"}}

    conversation = only(lines(tmp_path, chat("1", 1, [USER], asks("a")), failed))

    assert conversation.events == [
        {"t": 0.0, "kind": "exec_start", "call": "a", "name": "f"},
        {"t": 1.0, "kind": "exec_end", "call": "a", "status": "error"},
    ]


def test_the_details_event_carries_the_messages_too(tmp_path: Path) -> None:
    details = {"gen_ai.input.messages": [USER], "gen_ai.output.messages": [asks("a")]}
    name = "gen_ai.client.inference.operation.details"
    on_span = {**span("1", 1), "events": [{"name": name, "timestamp": 1, "attributes": details}]}
    log = {"body": None, "attributes": details, "event_name": name, "trace_id": "t", "span_id": "1", "timestamp": 1}

    assert roles(only(lines(tmp_path, on_span))) == "u a1"
    assert roles(only(lines(tmp_path, log))) == "u a1"


def test_only_the_agent_span_is_enough(tmp_path: Path) -> None:
    recorded = json.dumps([USER, asks("a"), got("a"), DONE])

    assert roles(only(lines(tmp_path, span("1", 1, pydantic_ai__all_messages=recorded)))) == "u a1 t a"


def test_telemetry_without_content_is_no_error(tmp_path: Path) -> None:
    conversation = only(lines(tmp_path, span("1", 1, gen_ai__operation__name="chat")))

    assert [(note.rule, note.severity) for note in conversation.notes] == [("no_content", "info")]


def old(name: str, at: int, span_id: str | None = "1", **body: Any) -> Fields:
    event = {"event_name": f"gen_ai.{name}", "trace_id": "t", "timestamp": at, "attributes": {}, "body": body}
    return event if span_id is None else {**event, "span_id": span_id}


CALLS = [{"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}]


@pytest.mark.parametrize("spans", [("1", "2"), (None, None)], ids=["span ids", "no span ids"])
def test_the_last_group_of_older_events_is_the_conversation(
    tmp_path: Path, spans: tuple[str | None, str | None]
) -> None:
    first, second = spans
    path = lines(
        tmp_path,
        old("user.message", 1, first, content="hi"),
        old("choice", 2, first, index=0, message={"tool_calls": CALLS}),
        old("choice", 2, first, index=1, message={"content": "other"}),
        old("user.message", 3, second, content="hi"),
        old("assistant.message", 4, second, tool_calls=CALLS),
        old("tool.message", 5, second, id="a", content="x"),
        old("choice", 6, second, index=0, message={"content": "done"}),
    )

    conversation = only(path)

    assert roles(conversation) == "u a1 t a"
    assert judge.rules(conversation) == set()


def test_older_events_on_a_span_hold_json_text(tmp_path: Path) -> None:
    events = [
        {"name": "gen_ai.user.message", "timestamp": 1, "attributes": {"content": "hi"}},
        {"name": "gen_ai.choice", "timestamp": 2, "attributes": {"message": json.dumps({"tool_calls": CALLS})}},
    ]

    assert roles(only(lines(tmp_path, {**span("1", 1), "events": events}))) == "u a1"


OPENLLMETRY = {
    "gen_ai.prompt.0.role": "user",
    "gen_ai.prompt.0.content": "hi",
    "gen_ai.prompt.1.role": "assistant",
    "gen_ai.prompt.1.tool_calls.0.id": "a",
    "gen_ai.prompt.1.tool_calls.0.name": "f",
    "gen_ai.prompt.1.tool_calls.0.arguments": "{}",
    "gen_ai.prompt.2.role": "tool",
    "gen_ai.prompt.2.tool_call_id": "a",
    "gen_ai.prompt.2.content": "x",
    "gen_ai.completion.0.role": "assistant",
    "gen_ai.completion.0.content": "done",
}
OPENINFERENCE = {
    "llm.input_messages.0.message.role": "user",
    "llm.input_messages.0.message.content": "hi",
    "llm.input_messages.1.message.role": "assistant",
    "llm.input_messages.1.message.tool_calls.0.tool_call.id": "a",
    "llm.input_messages.1.message.tool_calls.0.tool_call.function.name": "f",
    "llm.input_messages.1.message.tool_calls.0.tool_call.function.arguments": "{}",
    "llm.input_messages.2.message.role": "tool",
    "llm.input_messages.2.message.tool_call_id": "a",
    "llm.input_messages.2.message.content": "x",
    "llm.output_messages.0.message.role": "assistant",
    "llm.output_messages.0.message.content": "done",
}


@pytest.mark.parametrize("attributes", [OPENLLMETRY, OPENINFERENCE], ids=["OpenLLMetry", "OpenInference"])
def test_flat_attributes_of_older_instrumentations_are_read(tmp_path: Path, attributes: Fields) -> None:
    conversation = only(lines(tmp_path, span("1", 1, **attributes)))

    assert roles(conversation) == "u a1 t a"
    assert conversation.messages[1]["tool_calls"][0] == CALLS[0]
    assert judge.rules(conversation) == set()


def otlp(value: Any) -> Any:
    """Encode a plain value as OTLP does."""
    match value:
        case bool():
            return {"boolValue": value}
        case int():
            return {"intValue": str(value)}
        case list():
            return {"arrayValue": {"values": [otlp(item) for item in value]}}
        case dict():
            return {"kvlistValue": {"values": [{"key": key, "value": otlp(item)} for key, item in value.items()]}}
    return {"stringValue": value}


def test_structured_values_of_otlp_are_decoded_under_either_spelling(tmp_path: Path) -> None:
    attributes = [{"key": "gen_ai.input.messages", "value": otlp([USER, asks("a")])}]
    camel = {"traceId": "dA==", "spanId": "cw==", "startTimeUnixNano": "1770000000001000000", "attributes": attributes}
    snake = {
        "trace_id": "dA==",
        "span_id": "cw==",
        "start_time_unix_nano": 1770000000001000000,
        "attributes": attributes,
    }

    first = {"resourceSpans": [{"scopeSpans": [{"spans": [camel]}]}]}
    second = {"resource_spans": [{"scope_spans": [{"spans": [snake]}]}]}

    assert [roles(only(document(tmp_path, value))) for value in (first, second)] == ["u a1", "u a1"]
