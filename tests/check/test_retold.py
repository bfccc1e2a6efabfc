"""A case is told again as a run: in which order, and that the catalogue judges it."""

from typing import Any

from simlab.check.evidence import Evidence
from simlab.check.record import Record
from simlab.check.retold import retell
from simlab.check.truth import JUDGED_BY, RULES, check_truth
from simlab.core.commands import Append, CallModel, CancelModel, StartTool
from simlab.core.inputs import EventArrived, ToolCancelled, ToolEnded
from simlab.core.messages import notation
from simlab.invariants import CATALOGUE
from tests.check.made import conversation
from tests.dialects.planted import call, calls, says, tool, user
from tests.timing import least_cpu_seconds

CHAT = [user("Go."), calls(call("c1"), call("c2")), tool("c1", "12 rows"), tool("c2", "[cancelled]"), user("Stop")]
EVENTS = [
    {"t": 0, "kind": "inbox", "id": "u1", "message": 0},
    {"t": 1, "kind": "exec_start", "call": "c1"},
    {"t": 2, "kind": "inbox", "id": "u2", "message": 4},
    {"t": 3, "kind": "exec_end", "call": "c1", "status": "ok", "output": "12 rows"},
    {"t": 4, "kind": "exec_start", "call": "c2"},
    {"t": 5, "kind": "exec_killed", "call": "c2"},
]


def test_a_case_reads_as_the_trajectory_that_it_records() -> None:
    told = retell(Record(conversation("openai_chat", CHAT, events=EVENTS)))
    kinds = [type(item).__name__ for _, item in told.record.trace.records]
    assert notation(told.record.trace.trajectory()) == ("u1 A[c1,c2] R(c1) P(c2 cancelled before it took effect) u2")
    assert kinds == [
        *("EventArrived", "Routed", "EventArrived", "Routed"),
        *("Append", "ModelFinished", "Append", "StartTool", "ToolEnded", "StartTool"),
        *("Append", "ToolCancelled", "Append", "Append", "Sleep"),
    ]
    assert told.breaches() == {}


def order(messages: list[Any], events: list[Any]) -> list[str]:
    told = retell(Record(conversation("openai_chat", messages, events=events)))
    shown = (Append, CallModel, CancelModel, StartTool, ToolEnded, ToolCancelled)
    return [type(item).__name__ for _, item in told.record.trace.records if isinstance(item, shown)]


def test_what_the_log_says_of_a_call_comes_before_the_message_that_closes_it() -> None:
    late = [{"t": 9, "kind": "exec_end", "call": "c1"}, {"t": 1, "kind": "exec_start", "call": "c2"}]
    assert order(CHAT, [*late, {"t": 0, "kind": "exec_start", "call": "c1"}]) == [
        *("Append", "StartTool", "StartTool", "ToolEnded", "Append", "ToolCancelled", "Append")
    ]


def test_where_the_log_is_silent_the_record_is_believed() -> None:
    assert order([user(), calls(call("c1")), tool("c1", "12 rows")], []) == ["Append", "ToolEnded", "Append"]


def test_a_message_that_comes_in_after_the_cancel_begins_a_new_run() -> None:
    messages = [user(), calls(call("c1")), tool("c1"), user(), calls(call("c2")), tool("c2")]
    events: list[Any] = [
        {"t": 1, "kind": "cancel", "scope": "run"},
        {"t": 2, "kind": "inbox", "id": "m2", "message": 3},
        {"t": 3, "kind": "exec_start", "call": "c2"},
    ]
    kinds = order(messages, events)
    assert kinds.index("CancelModel") < kinds.index("CallModel") < kinds.index("StartTool")


def test_every_message_arrives_in_the_order_of_the_inbox() -> None:
    told = retell(Record(conversation("openai_chat", CHAT, events=list(reversed(EVENTS)))))
    arrived = [item.event.id for _, item in told.record.trace.records if isinstance(item, EventArrived)]
    assert arrived == ["u1", "u2"]


def test_every_rule_that_an_invariant_judges_names_one_of_the_catalogue() -> None:
    known = {entry.name for entry in CATALOGUE}
    assert set(JUDGED_BY) < set(RULES)
    assert {name for names in JUDGED_BY.values() for name in names} <= known


def test_a_rule_of_its_own_is_one_that_no_simulated_run_can_break() -> None:
    assert set(RULES) - set(JUDGED_BY) == {
        "unmarked_placeholder",
        "claim_without_call",
        "claim_without_result",
        "claim_contradicts_result",
        "duplicated_reply",
        "undelivered_text_kept",
        "delivered_text_missing",
    }


def test_the_evidence_is_what_the_invariants_say() -> None:
    swapped = [*CHAT[:2], tool("c1", "13 rows"), *CHAT[3:]]
    evidence = Evidence(conversation("openai_chat", swapped, events=EVENTS))
    (breach,) = evidence.breaches("no_result_before_its_tool_finished")
    assert breach.call_id == "c1"
    assert evidence.told.where[breach.at_ms].index == 2


def test_a_long_log_takes_time_in_proportion() -> None:
    def seconds(size: int) -> float:
        messages = [user()]
        events: list[Any] = []
        for number in range(size):
            messages += [calls(call(f"c{number}")), tool(f"c{number}", "ok"), says(), user()]
            events += [{"kind": "exec_start", "call": f"c{number}"}, {"kind": "exec_end", "call": f"c{number}"}] * 2

        def judge() -> None:
            assert len(check_truth(conversation("openai_chat", messages, events=events))) == size

        return least_cpu_seconds(judge)

    seconds(50)
    assert seconds(2_400) < 16 * seconds(300)
