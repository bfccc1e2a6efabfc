from pathlib import Path
from typing import Any

from simlab.check.readers import read

from .files import lines, only, roles

Record = dict[str, Any]


def item(**payload: Any) -> Record:
    return {"timestamp": "2026-04-02T07:00:01.000Z", "type": "response_item", "payload": payload}


def event(kind: str, at: str = "2026-04-02T07:00:02.000Z", **payload: Any) -> Record:
    return {"timestamp": at, "type": "event_msg", "payload": {"type": kind, **payload}}


def user(text: str) -> Record:
    return item(type="message", role="user", content=[{"type": "input_text", "text": text}])


SAID = item(type="message", role="assistant", content=[{"type": "output_text", "text": "done"}])
CALL = item(type="function_call", name="f", arguments="{}", call_id="c1")
OUTPUT = item(type="function_call_output", call_id="c1", output="x")


def test_a_rollback_drops_the_last_turns_from_what_was_typed(tmp_path: Path) -> None:
    conversation = only(
        lines(
            tmp_path,
            user("<environment_context> x"),
            user("one"),
            SAID,
            user("two"),
            CALL,
            user("three"),
            SAID,
            event("thread_rolled_back", num_turns=2),
            user("four"),
        )
    )

    assert [message["content"][0]["text"] for message in conversation.messages] == [
        "<environment_context> x",
        "one",
        "done",
        "four",
    ]
    assert conversation.places[-1] == "line 9"


def test_injected_user_items_are_no_turns_to_roll_back(tmp_path: Path) -> None:
    conversation = only(
        lines(tmp_path, user("one"), user("<turn_aborted> x"), event("thread_rolled_back", num_turns=1), user("two"))
    )

    assert roles(conversation) == "u"


def test_unknown_records_and_ghost_snapshots_are_skipped(tmp_path: Path) -> None:
    conversation = only(
        lines(tmp_path, user("one"), item(type="ghost_snapshot"), {"type": "world_state", "payload": {"a": 1}}, SAID)
    )

    assert roles(conversation) == "u a"


def test_executions_and_aborts_are_events_from_the_first_record_on(tmp_path: Path) -> None:
    conversation = only(
        lines(
            tmp_path,
            CALL,
            event("exec_command_begin", "2026-04-02T07:00:02.000Z", call_id="c1"),
            event("exec_command_end", "2026-04-02T07:00:03.000Z", call_id="c1", exit_code=1),
            event("turn_aborted", "2026-04-02T07:00:04.000Z", reason="interrupted"),
            OUTPUT,
        )
    )

    assert conversation.events == [
        {"t": 1000.0, "kind": "exec_start", "call": "c1"},
        {"t": 2000.0, "kind": "exec_end", "call": "c1", "status": "error"},
        {"t": 3000.0, "kind": "interrupt", "reason": "interrupted"},
    ]
    assert [(note.rule, note.index) for note in conversation.notes] == [("aborted_turn", 0)]


def test_a_file_of_events_only_is_what_was_said(tmp_path: Path) -> None:
    conversation = only(lines(tmp_path, event("user_message", message="hi"), event("agent_message", message="yes")))

    assert roles(conversation) == "u a"


def test_bare_items_of_an_early_version_are_read(tmp_path: Path) -> None:
    head = {"id": "s1", "timestamp": "2025-05-01T00:00:00Z", "instructions": None}
    conversation = only(lines(tmp_path, head, user("hi")["payload"], {"record_type": "state"}, SAID["payload"]))

    assert conversation.format == "codex_rollout"
    assert roles(conversation) == "u a"


def test_a_malformed_line_is_noted_and_skipped(tmp_path: Path) -> None:
    path = lines(tmp_path, user("one"), SAID)
    path.write_text(path.read_text().replace("\n", "\n{oops\n", 1))

    (conversation,) = read(path)

    assert roles(conversation) == "u a"
    assert [note.rule for note in conversation.notes] == ["unreadable_line"]
