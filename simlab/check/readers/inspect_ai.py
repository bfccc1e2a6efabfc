"""inspect_ai logs: every sample is a conversation of its own; ``.eval`` is a zip with one file a sample.

Source: UKGovernmentBEIS/inspect_ai, src/inspect_ai/model/_chat_message.py and model/_call_tools.py.
"""

import zipfile
from collections import deque
from collections.abc import Iterator
from typing import Any

from simlab.check.readers.chat import Chat, call
from simlab.check.readers.saved import NotThisFormatError, SavedConversation, each_document
from simlab.check.readers.source import Source, read_record
from simlab.check.readers.values import as_text, instant_ms, list_of, object_of, objects_of
from simlab.core.errors import SimlabError

FORMAT = "inspect_ai"

_LARGEST_MEMBER_BYTES = 1 << 31
_ATTACHMENT = "attachment://"


def looks_like(value: Any) -> bool:
    """Whether a value is an evaluation log."""
    return isinstance(value, dict) and isinstance(value.get("eval"), dict) and "status" in value


def read(source: Source) -> Iterator[SavedConversation]:
    """Yield every sample; of a zip, one sample is in memory at a time."""
    if source.kind == "zip":
        yield from _zipped(source)
    else:
        yield from each_document(source, read_log)


def read_log(value: Any, at: str | None) -> Iterator[SavedConversation]:
    """Read the samples of one log."""
    if not isinstance(value, dict) or not isinstance(value.get("samples"), list):
        raise NotThisFormatError("no list 'samples' (a log written without its samples holds no conversation)")
    for sample in objects_of(value["samples"]):
        yield _sample(sample, at)


def _zipped(source: Source) -> Iterator[SavedConversation]:
    try:
        with zipfile.ZipFile(source.path) as archive:
            members = [item for item in archive.infolist() if _is_sample(item.filename)]
            if not members:
                raise SimlabError(f"{source.path}: is a zip without samples/*.json, so not an .eval log")
            for member in members:
                yield from _member(source, archive, member)
    except (OSError, EOFError, NotImplementedError, RuntimeError, zipfile.BadZipFile, ValueError) as error:
        if isinstance(error, RecursionError):
            raise
        raise SimlabError(f"{source.path}: the zip cannot be read: {error}") from error


def _is_sample(name: str) -> bool:
    return name.startswith("samples/") and name.endswith(".json")


def _member(source: Source, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Iterator[SavedConversation]:
    if member.file_size > _LARGEST_MEMBER_BYTES:
        raise SimlabError(f"{source.path}: {member.filename} unpacks to more than 2 GiB")
    record = read_record(archive.read(member), 1)
    if not record.usable or not isinstance(record.value, dict):
        raise SimlabError(f"{source.path}: {member.filename} is not a JSON object")
    yield _sample(record.value, None)


def _sample(sample: dict[str, Any], at: str | None) -> SavedConversation:
    chat = Chat()
    messages = objects_of(sample.get("messages"))
    attachments = object_of(sample.get("attachments"))
    calls: dict[str, deque[Any]] = {}
    for index, message in enumerate(messages):
        place = f"messages[{index}]"
        content = _content(message.get("content"), attachments)
        if message.get("role") == "assistant":
            made = [_call(item, f"{index}.{n}") for n, item in enumerate(objects_of(message.get("tool_calls")))]
            calls = _by_function(made)
            chat.answer(_text_only(content), made, place)
        elif message.get("role") == "tool":
            chat.result(_answered(message, calls), _output(content, message.get("error")), place)
        else:
            chat.say(str(message.get("role")), content, place)
    chat.events.extend(_executions(sample))
    name = f"{at} " if at else ""
    name += f"sample {as_text(sample.get('id'))} epoch {as_text(sample.get('epoch', 1))}"
    return chat.saved(fmt=FORMAT, units=len(messages), name=name)


def _call(item: dict[str, Any], fallback: str) -> dict[str, Any]:
    """Logs of early versions may lack call ids; a made-up one keeps calls apart."""
    return call(item.get("id", f"call_{fallback}"), item.get("function"), item.get("arguments"))


def _by_function(calls: list[dict[str, Any]]) -> dict[str, deque[Any]]:
    found: dict[str, deque[Any]] = {}
    for item in calls:
        found.setdefault(as_text(item["function"]["name"]), deque()).append(item["id"])
    return found


def _answered(message: dict[str, Any], calls: dict[str, deque[Any]]) -> Any:
    """The id of the call that a tool message answers; without one, that of the next call of its function."""
    if message.get("tool_call_id") is not None:
        return message["tool_call_id"]
    waiting = calls.get(as_text(message.get("function")))
    return waiting.popleft() if waiting else None


def _resolved(text: Any, attachments: dict[str, Any]) -> Any:
    if isinstance(text, str) and text.startswith(_ATTACHMENT):
        return attachments.get(text.removeprefix(_ATTACHMENT), text)
    return text


def _content(content: Any, attachments: dict[str, Any]) -> Any:
    """Text, or parts of which only text and images are kept."""
    if not isinstance(content, list):
        return as_text(_resolved(content, attachments))
    parts: list[dict[str, Any]] = []
    for part in objects_of(content):
        if part.get("type") == "text":
            parts.append({"type": "text", "text": _resolved(part.get("text"), attachments)})
        elif part.get("type") == "image":
            parts.append({"type": "image_url", "image_url": {"url": _resolved(part.get("image"), attachments)}})
    return parts


def _text_only(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in list_of(content) if isinstance(part.get("text"), str))


def _output(content: Any, error: Any) -> Any:
    return as_text(object_of(error).get("message")) if error and not content else content


def _executions(sample: dict[str, Any]) -> Iterator[dict[str, Any]]:
    tools = [event for event in objects_of(sample.get("events")) if event.get("event") == "tool" and "id" in event]
    started_ms = min((instant_ms(event.get("timestamp")) for event in tools), default=0.0)
    for event in tools:
        at_ms = instant_ms(event.get("timestamp")) - started_ms
        yield {"t": at_ms, "kind": "exec_start", "call": event["id"], "name": event.get("function")}
        if not event.get("pending"):
            end_ms = instant_ms(event.get("completed")) - started_ms if event.get("completed") else at_ms
            status = "error" if event.get("error") else "ok"
            yield {"t": max(at_ms, end_ms), "kind": "exec_end", "call": event["id"], "status": status}
