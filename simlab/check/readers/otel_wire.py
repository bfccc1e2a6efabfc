"""OpenTelemetry carriers: OTLP/JSON, its one-object-a-line files, and what the Python console exporter prints.

Source: open-telemetry/opentelemetry-proto examples; opentelemetry-sdk ``ReadableSpan.to_json``.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from simlab.check.readers.values import instant_ms, object_of, objects_of


@dataclass(frozen=True, kw_only=True, slots=True)
class Span:
    """One span; times in milliseconds since 1970."""

    trace: str
    id: str
    parent: str
    start_ms: float
    end_ms: float
    failed: bool
    attributes: dict[str, Any]
    events: list["Event"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Event:
    """One log record, or one event of a span; ``body`` holds what the event says."""

    trace: str
    span: str
    name: str
    at_ms: float
    body: dict[str, Any]
    attributes: dict[str, Any]


def looks_like(value: Any) -> bool:
    """Whether a value is a telemetry envelope, a span or a log record."""
    if not isinstance(value, dict):
        return False
    if any(_either(value, name) is not None for name in ("resourceSpans", "resourceLogs")):
        return True
    if not isinstance(value.get("attributes"), dict | list):
        return False
    return "trace_id" in object_of(value.get("context")) or "trace_id" in value or "traceId" in value


def telemetry(value: dict[str, Any]) -> Iterator[Span | Event]:
    """Every span and log record of one JSON value."""
    bare = True
    for outer, inner, leaf in (
        ("resourceSpans", "scopeSpans", "spans"),
        ("resourceLogs", "scopeLogs", "logRecords"),
    ):
        for resource in objects_of(_either(value, outer)):
            bare = False
            for scope in objects_of(_either(resource, inner)):
                for item in objects_of(_either(scope, leaf)):
                    yield _span(item) if leaf == "spans" else _log(item)
    if bare and ("context" in value or "spanId" in value or "start_time" in value):
        yield _span(value)
    elif bare and "body" in value:
        yield _log(value)


def _either(item: dict[str, Any], camel: str) -> Any:
    """A field under its camelCase name, or the snake_case one that some encoders write."""
    if camel in item:
        return item[camel]
    return item.get("".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in camel))


def _span(item: dict[str, Any]) -> Span:
    context = object_of(item.get("context"))
    trace = str(_either(item, "traceId") or context.get("trace_id") or "")
    span = str(_either(item, "spanId") or context.get("span_id") or "")
    status = object_of(item.get("status"))
    return Span(
        trace=trace,
        id=span,
        parent=str(_either(item, "parentSpanId") or item.get("parent_id") or ""),
        start_ms=_time(item, "startTimeUnixNano", "start_time"),
        end_ms=_time(item, "endTimeUnixNano", "end_time"),
        failed=str(status.get("code", status.get("status_code"))).upper().endswith(("2", "ERROR")),
        attributes=_attributes(item.get("attributes")),
        events=[_span_event(event, trace, span) for event in objects_of(item.get("events"))],
    )


def _time(item: dict[str, Any], nanoseconds: str, plain: str) -> float:
    value = _either(item, nanoseconds)
    return instant_ms(item.get(plain) if value is None else value)


def _span_event(item: dict[str, Any], trace: str, span: str) -> Event:
    attributes = _attributes(item.get("attributes"))
    return Event(
        trace=trace,
        span=span,
        name=str(item.get("name")),
        at_ms=_time(item, "timeUnixNano", "timestamp"),
        body=attributes,
        attributes=attributes,
    )


def _log(item: dict[str, Any]) -> Event:
    attributes = _attributes(item.get("attributes"))
    name = _either(item, "eventName") or attributes.get("event.name")
    observed = _time(item, "observedTimeUnixNano", "observed_timestamp")
    return Event(
        trace=str(_either(item, "traceId") or ""),
        span=str(_either(item, "spanId") or ""),
        name=str(name),
        at_ms=_time(item, "timeUnixNano", "timestamp") or observed,
        body=object_of(plain(item.get("body"))),
        attributes=attributes,
    )


def _attributes(value: Any) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    return {str(item.get("key")): plain(item.get("value")) for item in objects_of(value)}


def plain(value: Any) -> Any:
    """Undo the typed values of OTLP; a value that is plain already comes back as it is."""
    if not isinstance(value, dict) or len(value) != 1:
        return value
    ((kind, inner),) = value.items()
    match kind:
        case "stringValue" | "string_value" | "boolValue" | "bool_value" | "doubleValue" | "double_value":
            return inner
        case "intValue" | "int_value":
            return int(inner) if isinstance(inner, str) and inner.lstrip("-").isdigit() and len(inner) < 25 else inner
        case "arrayValue" | "array_value":
            return [plain(item) for item in objects_of(object_of(inner).get("values"))]
        case "kvlistValue" | "kvlist_value":
            return _attributes(objects_of(object_of(inner).get("values")))
    return value
