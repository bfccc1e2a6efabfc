import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from simlab.check.readers import detect, read
from simlab.core.errors import SimlabError

from . import judge
from .files import document, only, roles

Message = dict[str, Any]
USER = {"role": "user", "content": "hi"}


def log(*samples: Any) -> Message:
    return {"version": 2, "status": "success", "eval": {"task": "t"}, "samples": list(samples)}


def sample(*messages: Message, name: Any = 1, **more: Any) -> Message:
    return {"id": name, "epoch": 1, "messages": list(messages), **more}


def asks(*ids: str | None) -> Message:
    calls = [{"function": "f", "arguments": {}} | ({"id": call_id} if call_id else {}) for call_id in ids]
    return {"role": "assistant", "content": "", "tool_calls": calls}


def test_every_sample_is_a_conversation_of_its_own(tmp_path: Path) -> None:
    path = document(tmp_path, log(sample(USER, asks("a")), sample(USER, asks("a"), name="x")))

    assert [(item.id, roles(item)) for item in read(path)] == [
        ("sample 1 epoch 1", "u a1"),
        ("sample x epoch 1", "u a1"),
    ]


def test_samples_are_read_out_of_an_eval_file(tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps(log()))
        archive.writestr("samples/1_epoch_1.json", json.dumps(sample(USER, asks("a"))))
        archive.writestr("samples/2_epoch_1.json", json.dumps(sample(USER, name=2)))

    assert detect(path) == "inspect_ai"
    assert [roles(item) for item in read(path)] == ["u a1", "u"]


def test_a_zip_without_samples_gets_one_clear_line(tmp_path: Path) -> None:
    path = tmp_path / "any.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.txt", "x")

    with pytest.raises(SimlabError, match=r"without samples/\*\.json"):
        list(read(path))


def test_a_log_without_samples_gets_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(SimlabError, match="written without its samples"):
        list(read(document(tmp_path, {**log(), "samples": None})))


def test_old_logs_without_ids_pair_by_function_and_order(tmp_path: Path) -> None:
    result = {"role": "tool", "content": "x", "function": "f"}

    conversation = only(document(tmp_path, log(sample(USER, asks(None, None), result, result))))

    assert judge.rules(conversation) == set()


def test_a_user_message_with_call_ids_is_no_result(tmp_path: Path) -> None:
    image = {"role": "user", "content": [{"type": "image", "image": "attachment://h"}], "tool_call_id": ["a"]}
    tool = {"role": "tool", "tool_call_id": "a", "content": "attachment://h", "error": None}

    conversation = only(document(tmp_path, log(sample(USER, asks("a"), tool, image, attachments={"h": "data:x"}))))

    assert roles(conversation) == "u a1 t u"
    assert conversation.messages[2]["content"] == "data:x"
    assert conversation.messages[3]["content"] == [{"type": "image_url", "image_url": {"url": "data:x"}}]


def test_tool_events_are_ground_truth(tmp_path: Path) -> None:
    event = {"event": "tool", "function": "f", "timestamp": "2026-01-05T10:00:01+00:00"}
    ended = {**event, "id": "a", "completed": "2026-01-05T10:00:01.250000+00:00", "error": {"type": "timeout"}}
    pending = {**event, "id": "b", "pending": True}

    conversation = only(
        document(tmp_path, log(sample(USER, asks("a", "b"), events=[{"event": "model"}, ended, pending])))
    )

    assert conversation.events == [
        {"t": 0.0, "kind": "exec_start", "call": "a", "name": "f"},
        {"t": 250.0, "kind": "exec_end", "call": "a", "status": "error"},
        {"t": 0.0, "kind": "exec_start", "call": "b", "name": "f"},
    ]
