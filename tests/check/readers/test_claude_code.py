from pathlib import Path
from typing import Any

from simlab.check.readers import read

from . import judge
from .files import lines, only, roles

Record = dict[str, Any]


def user(name: str, parent: str | None, content: Any, **more: Any) -> Record:
    message = {"role": "user", "content": content}
    return {"type": "user", "uuid": name, "parentUuid": parent, "message": message, "isSidechain": False, **more}


def says(name: str, parent: str | None, message_id: str, *blocks: Record, **more: Any) -> Record:
    message = {"role": "assistant", "id": message_id, "content": list(blocks)}
    return {"type": "assistant", "uuid": name, "parentUuid": parent, "message": message, "isSidechain": False, **more}


def use(call_id: str) -> Record:
    return {"type": "tool_use", "id": call_id, "name": "Bash", "input": {}}


def result(call_id: str) -> list[Record]:
    return [{"type": "tool_result", "tool_use_id": call_id, "content": "ok"}]


TEXT = {"type": "text", "text": "done"}


def test_blocks_of_one_message_are_merged_and_side_results_found(tmp_path: Path) -> None:
    conversation = only(
        lines(
            tmp_path,
            user("1", None, "go"),
            says("2", "1", "m1", use("a")),
            user("3", "2", result("a")),
            says("4", "2", "m1", use("b")),
            user("5", "4", result("b")),
            says("6", "5", "m2", TEXT),
        )
    )

    assert roles(conversation) == "u a2 t t a"
    assert judge.rules(conversation) == set()
    assert conversation.places == ["line 1", "line 2", "line 3", "line 6"]


def test_an_abandoned_branch_is_no_finding(tmp_path: Path) -> None:
    conversation = only(
        lines(
            tmp_path,
            user("1", None, "first try"),
            says("2", "1", "m1", use("a")),
            user("3", None, "edited"),
            says("4", "3", "m2", TEXT),
        )
    )

    assert [message["content"] for message in conversation.messages] == ["edited", [TEXT]]


def test_a_result_on_an_abandoned_branch_is_not_a_duplicate(tmp_path: Path) -> None:
    conversation = only(
        lines(
            tmp_path,
            user("1", None, "go"),
            says("2", "1", "m1", use("a")),
            user("3", "2", result("a")),
            user("4", "2", result("a")),
            says("5", "4", "m2", TEXT),
        )
    )

    assert roles(conversation) == "u a1 t a"


def test_a_result_whose_call_was_never_written_is_an_orphan(tmp_path: Path) -> None:
    conversation = only(
        lines(tmp_path, user("1", None, "go"), user("2", "lost", result("a")), says("3", "2", "m1", TEXT))
    )

    assert judge.rules(conversation) == {"orphan_tool_result", "missing_parent"}
    assert len(conversation.messages) == 3


def test_the_walk_goes_on_over_a_compaction(tmp_path: Path) -> None:
    boundary = {"type": "system", "subtype": "compact_boundary", "uuid": "2", "parentUuid": None}
    conversation = only(
        lines(
            tmp_path,
            user("1", None, "go"),
            {**boundary, "logicalParentUuid": "1"},
            user("3", "2", "summary so far", isCompactSummary=True),
            says("4", "3", "m1", TEXT),
        )
    )

    assert roles(conversation) == "u u a"


def test_a_side_chain_is_a_conversation_of_its_own(tmp_path: Path) -> None:
    path = lines(
        tmp_path,
        user("1", None, "go"),
        says("2", "1", "m1", use("a")),
        user("s1", None, "sub task", isSidechain=True),
        says("s2", "s1", "m2", use("b"), isSidechain=True),
        user("s3", "s2", result("b"), isSidechain=True),
        user("a1", None, "other agent", isSidechain=True, agentId="x"),
        user("3", "2", result("a")),
    )

    assert [(item.id, roles(item)) for item in read(path)] == [
        (None, "u a1 t"),
        ("s1", "u a1 t"),
        ("x", "u"),
    ]


def test_meta_records_do_not_count_and_explicit_nulls_do_not_hide(tmp_path: Path) -> None:
    conversation = only(
        lines(
            tmp_path,
            user("1", None, "go", isMeta=None),
            user("2", "1", "caveat", isMeta=True),
            says("3", "2", "m", TEXT),
        )
    )

    assert roles(conversation) == "u a"


def test_a_message_typed_meanwhile_is_a_user_message(tmp_path: Path) -> None:
    def queued(name: str, parent: str, prompt: str, origin: Any) -> Record:
        attachment = {"type": "queued_command", "prompt": prompt, "origin": origin}
        return {"type": "attachment", "uuid": name, "parentUuid": parent, "attachment": attachment}

    conversation = only(
        lines(
            tmp_path,
            user("1", None, "go"),
            queued("2", "1", "hurry", {"kind": "human"}),
            queued("3", "2", "and this", None),
            queued("4", "3", "<task-notification> x", None),
            queued("5", "4", "by a program", {"kind": "coordinator"}),
        )
    )

    assert [message["content"] for message in conversation.messages] == ["go", "hurry", "and this"]


def test_an_interruption_is_an_event_with_its_time(tmp_path: Path) -> None:
    conversation = only(
        lines(
            tmp_path,
            user("1", None, "go", timestamp="2026-05-04T09:00:01.000Z"),
            user("2", "1", "[Request interrupted by user]", timestamp="2026-05-04T09:00:03.500Z"),
        )
    )

    assert conversation.events == [{"t": 2500.0, "kind": "interrupt"}]


def test_a_record_written_twice_counts_once(tmp_path: Path) -> None:
    assert roles(only(lines(tmp_path, user("1", None, "go"), user("1", None, "go")))) == "u"


def queued(operation: str, content: str | None = None) -> Record:
    found: Record = {"type": "queue-operation", "operation": operation, "timestamp": "2026-05-04T09:00:02Z"}
    return found if content is None else {**found, "content": content}


def inbox(path: Path) -> list[tuple[str, str]]:
    return [(event["kind"], event["id"]) for event in only(path).events]


FIRST = user("1", None, "go", timestamp="2026-05-04T09:00:01Z")


def test_a_queued_message_is_ground_truth_of_the_inbox(tmp_path: Path) -> None:
    conversation = only(lines(tmp_path, FIRST, queued("enqueue", "hurry"), queued("dequeue"), user("2", "1", "hurry")))

    assert conversation.events == [{"t": 1000.0, "kind": "inbox", "id": "q1", "text": "hurry"}]


def test_a_message_that_left_the_queue_and_was_said_was_not_dropped(tmp_path: Path) -> None:
    attachment = {"type": "queued_command", "prompt": "hurry"}
    sent = {"type": "attachment", "uuid": "2", "parentUuid": "1", "attachment": attachment}

    assert inbox(lines(tmp_path, FIRST, queued("enqueue", "hurry"), queued("remove", "hurry"), sent)) == [
        ("inbox", "q1")
    ]


def test_a_message_that_its_writer_took_back_was_dropped(tmp_path: Path) -> None:
    both = [queued("enqueue", "a"), queued("enqueue", "b")]

    assert inbox(lines(tmp_path, FIRST, *both, queued("popAll"))) == [
        ("inbox", "q1"),
        ("inbox", "q2"),
        ("drop", "q1"),
        ("drop", "q2"),
    ]
    assert inbox(lines(tmp_path, FIRST, *both, queued("remove", "b")))[-1] == ("drop", "q2")


def test_a_message_on_an_abandoned_branch_was_dropped(tmp_path: Path) -> None:
    path = lines(tmp_path, FIRST, queued("enqueue", "a"), user("2", "1", "a"), user("3", "1", "instead"))

    assert inbox(path) == [("inbox", "q1"), ("drop", "q1")]


def test_commands_and_notifications_are_no_messages_of_the_inbox(tmp_path: Path) -> None:
    records = [queued("enqueue", text) for text in ("/compact", "<task-notification> x", "!ls")] + [queued("enqueue")]

    assert inbox(lines(tmp_path, FIRST, *records, queued("dequeue"))) == []
