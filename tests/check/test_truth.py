"""Each rule that needs the ground truth is broken by a planted record and kept by its truthful twin."""

from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simlab.check.truth import REPAIRS, RULES, check_truth
from tests.check.made import conversation
from tests.dialects.generators import ANYTHING, NEARLY_MESSAGES
from tests.dialects.planted import by_model, by_user, call, calls, says, tool, use, user

CHAT = [user("Go."), calls(call("c1"), call("c2")), tool("c1", "12 rows"), tool("c2", "ok"), says("Done.")]
ENDED = [
    {"t": 1, "kind": "exec_end", "call": "c1", "status": "ok", "output": "12 rows"},
    {"t": 2, "kind": "exec_end", "call": "c2", "status": "ok", "output": "ok"},
]


def cut(text: str) -> list[Any]:
    """A call whose result is the placeholder ``text``."""
    return [user(), calls(call("c1")), tool("c1", text), says()]


def marked(text: str, error: bool) -> list[Any]:
    block: dict[str, Any] = {"type": "tool_result", "tool_use_id": "c1", "content": text}
    return [user(), by_model(use("c1")), by_user({**block, "is_error": True} if error else block), says()]


@dataclass(frozen=True, kw_only=True)
class Twin:
    """A record that breaks a rule at ``at``, and the events (or messages) under which it does not."""

    rule: str
    messages: list[Any]
    events: list[Any]
    at: list[int | None]
    kept: list[Any] | None = None
    kept_events: list[Any] | None = None
    dialect: str = "openai_chat"


KILLED = [{"t": 1, "kind": "exec_start", "call": "c1"}, {"t": 2, "kind": "exec_killed", "call": "c1"}]
NOT_RUN = [{"t": 1, "kind": "not_executed", "call": "c1"}]
BY_TIMEOUT = [*KILLED, {"t": 2, "kind": "cancel", "call": "c1", "by": "timeout"}]

TWINS = [
    Twin(rule="untruthful_placeholder", messages=cut("[not executed]"), events=KILLED, at=[2], kept_events=NOT_RUN),
    Twin(
        rule="untruthful_placeholder",
        messages=cut("[cancelled while running]"),
        events=NOT_RUN,
        at=[2],
        kept_events=KILLED,
    ),
    Twin(
        rule="untruthful_placeholder",
        messages=cut("[cancelled]"),
        events=[{"t": 1, "kind": "exec_end", "call": "c1", "status": "ok", "output": "12 rows"}],
        at=[2],
        kept=cut("[cancelled, but it had finished: 12 rows]"),
    ),
    Twin(
        rule="untruthful_placeholder",
        messages=cut("[cancelled by the user]"),
        events=BY_TIMEOUT,
        at=[2],
        kept=cut("[timed out]"),
    ),
    Twin(
        rule="unmarked_placeholder",
        dialect="anthropic",
        messages=marked("Cancelled.", error=False),
        events=KILLED,
        at=[2],
        kept=marked("Cancelled.", error=True),
    ),
    Twin(rule="fabricated_result", messages=cut("12 rows"), events=NOT_RUN, at=[2], kept_events=ENDED[:1]),
    Twin(
        rule="misattributed_result",
        messages=[*CHAT[:2], tool("c1", "ok"), tool("c2", "12 rows"), says()],
        events=ENDED,
        at=[2, 3],
        kept=CHAT,
    ),
    Twin(
        rule="claim_without_call",
        messages=[user(), says("Published.")],
        events=[{"kind": "claim", "message": 1, "action": "publish"}],
        at=[1],
        kept=[user(), calls(call("c1", tool="publish")), tool("c1", "ok"), says("Published.")],
    ),
    Twin(
        rule="claim_without_result",
        messages=cut("[not executed]"),
        events=[*NOT_RUN, {"t": 2, "kind": "claim", "message": 3, "call": "c1"}],
        at=[3],
        kept_events=NOT_RUN,
    ),
    Twin(
        rule="claim_contradicts_result",
        messages=CHAT,
        events=[*ENDED, {"t": 3, "kind": "claim", "message": 4, "call": "c1", "output": "no rows"}],
        at=[4],
        kept_events=[*ENDED, {"t": 3, "kind": "claim", "message": 4, "call": "c1", "output": "12 rows"}],
    ),
    Twin(
        rule="claim_contradicts_result",
        messages=CHAT,
        events=[
            {"t": 1, "kind": "exec_end", "call": "c1", "status": "error"},
            {"t": 3, "kind": "claim", "message": 4, "call": "c1", "status": "ok"},
        ],
        at=[4],
        kept_events=[*ENDED, {"t": 3, "kind": "claim", "message": 4, "call": "c1", "status": "ok"}],
    ),
    Twin(
        rule="unrecorded_execution",
        messages=[user(), says("On it. [interrupted]"), user(), *CHAT[1:]],
        events=[{"t": 0, "kind": "exec_end", "call": "lost", "status": "ok"}, *ENDED],
        at=[1],
        kept_events=ENDED,
    ),
    Twin(
        rule="double_execution",
        messages=CHAT,
        events=[*ENDED, {"t": 3, "kind": "exec_end", "call": "c1", "status": "ok", "output": "12 rows"}],
        at=[1],
        kept_events=ENDED,
    ),
    Twin(
        rule="double_execution",
        messages=CHAT,
        events=[
            {"t": 1, "kind": "exec_end", "call": "c1", "once_key": "k"},
            {"t": 2, "kind": "exec_end", "call": "c2", "once_key": "k"},
        ],
        at=[1],
        kept_events=[
            {"t": 1, "kind": "exec_end", "call": "c1", "once_key": "k"},
            {"t": 2, "kind": "exec_end", "call": "c2", "once_key": "l"},
        ],
    ),
    Twin(
        rule="double_execution",
        messages=cut("12 rows"),
        events=[{"t": 1, "kind": "exec_start", "call": "c1"}, {"t": 2, "kind": "exec_start", "call": "c1"}],
        at=[1],
        kept_events=[{"t": 1, "kind": "exec_start", "call": "c1"}, ENDED[0]],
    ),
    Twin(
        rule="execution_after_cancel",
        messages=CHAT,
        events=[{"t": 1, "kind": "cancel", "scope": "run"}, {"t": 2, "kind": "exec_start", "call": "c2"}],
        at=[1],
        kept_events=[
            {"t": 1, "kind": "cancel", "scope": "run"},
            {"t": 2, "kind": "resume"},
            {"t": 3, "kind": "exec_start", "call": "c2"},
        ],
    ),
    Twin(
        rule="lost_message",
        messages=CHAT,
        events=[{"kind": "inbox", "id": "m1", "text": "Keep the old path."}],
        at=[None],
        kept_events=[{"kind": "inbox", "id": "m1", "text": "x"}, {"kind": "drop", "id": "m1"}],
    ),
    Twin(
        rule="lost_message",
        messages=CHAT,
        events=[{"kind": "inbox", "id": "m1", "message": 40}],
        at=[None],
        kept_events=[{"kind": "inbox", "id": "m1", "message": 0}],
    ),
    Twin(
        rule="duplicated_message",
        messages=[user(), says(), user(), says()],
        events=[
            {"t": 0, "kind": "inbox", "id": "m1", "message": 0},
            {"t": 1, "kind": "deliver", "id": "m1", "message": 2},
        ],
        at=[2],
        kept_events=[{"t": 0, "kind": "inbox", "id": "m1"}, {"t": 1, "kind": "deliver", "id": "m1", "message": 2}],
    ),
    Twin(
        rule="reordered_message",
        messages=[user("B"), user("A"), says()],
        events=[{"t": 0, "kind": "inbox", "id": "a", "message": 1}, {"t": 1, "kind": "inbox", "id": "b", "message": 0}],
        at=[0],
        kept_events=[
            {"t": 1, "kind": "inbox", "id": "a", "message": 1},
            {"t": 0, "kind": "inbox", "id": "b", "message": 0},
        ],
    ),
    Twin(
        rule="unanswered_message",
        messages=[user(), user(), says()],
        events=[
            {"t": 0, "kind": "inbox", "id": "a", "message": 0},
            {"t": 1, "kind": "inbox", "id": "b", "message": 1},
            {"t": 2, "kind": "answer", "message": 2, "inbox": ["b"]},
        ],
        at=[0],
        kept_events=[
            {"t": 0, "kind": "inbox", "id": "a", "message": 0},
            {"t": 1, "kind": "inbox", "id": "b", "message": 1},
            {"t": 2, "kind": "answer", "message": 2, "inbox": ["a", "b"]},
        ],
    ),
    Twin(
        rule="duplicated_reply",
        messages=[user(), says("six"), says("six")],
        events=[{"kind": "turn", "id": "r", "message": 1}, {"kind": "turn", "id": "r", "message": 2}],
        at=[2],
        kept_events=[{"kind": "turn", "id": "r", "message": 1}, {"kind": "turn", "id": "s", "message": 2}],
    ),
    Twin(
        rule="duplicated_reply",
        messages=[user(), says("six"), says("Six it is.")],
        events=[{"kind": "answer", "message": 1, "inbox": ["a"]}, {"kind": "answer", "message": 2, "inbox": ["a"]}],
        at=[2],
        kept_events=[{"kind": "answer", "message": 1, "inbox": ["a"]}],
    ),
    Twin(
        rule="overlapping_turns",
        messages=[user(), user(), says(), says()],
        events=[{"kind": "turn_start", "id": "r1", "message": 0}, {"kind": "turn_start", "id": "r2", "message": 1}],
        at=[1],
        kept_events=[
            {"kind": "turn_start", "id": "r1", "message": 0},
            {"kind": "turn_end", "id": "r1"},
            {"kind": "turn_start", "id": "r2", "message": 1, "saw": ["r1"]},
        ],
    ),
    Twin(
        rule="overlapping_turns",
        messages=[user(), user(), says(), says()],
        events=[
            {"kind": "turn_start", "id": "r1"},
            {"kind": "turn_end", "id": "r1"},
            {"kind": "turn_start", "id": "r2", "message": 1, "saw": []},
        ],
        at=[1],
        kept_events=[
            {"kind": "turn_start", "id": "r1", "thread": "a"},
            {"kind": "turn_start", "id": "r2", "message": 1, "thread": "b"},
        ],
    ),
    Twin(
        rule="overlapping_turns",
        messages=[user(), user(), says(), says()],
        events=[{"kind": "turn", "id": "r1", "message": 2}, {"kind": "turn", "id": "r2", "message": 3, "saw": [0, 1]}],
        at=[3],
        kept_events=[
            {"kind": "turn", "id": "r1", "message": 2},
            {"kind": "turn", "id": "r2", "message": 3, "saw": [0, 1, 2]},
        ],
    ),
    Twin(
        rule="execution_after_cancel",
        messages=[user(), calls(call("c1")), tool("c1"), user(), calls(call("c2")), tool("c2"), says()],
        events=[
            {"t": 1, "kind": "cancel", "scope": "run"},
            {"t": 2, "kind": "inbox", "id": "m2", "message": 3},
            {"t": 3, "kind": "exec_start", "call": "c1"},
        ],
        at=[1],
        kept_events=[
            {"t": 1, "kind": "cancel", "scope": "run"},
            {"t": 2, "kind": "inbox", "id": "m2", "message": 3},
            {"t": 3, "kind": "exec_start", "call": "c2"},
        ],
    ),
    Twin(
        rule="undelivered_text_kept",
        messages=[user(), says("We open at nine, except Sundays.")],
        events=[{"kind": "delivered", "message": 1, "text": "We open at nine"}],
        at=[1],
        kept=[user(), says("We open at nine [interrupted: the rest was not heard]")],
    ),
    Twin(
        rule="delivered_text_missing",
        messages=[user(), says("One, two")],
        events=[{"kind": "delivered", "message": 1, "text": "One, two, three"}],
        at=[1],
        kept=[user(), says("One,  two, three")],
    ),
    Twin(
        rule="delivered_text_missing",
        messages=[user(), says("One, two")],
        events=[{"kind": "delivered", "text": "One, two, three"}],
        at=[None],
        kept=[user(), says("One, two, three, four")],
    ),
]


def found(twin: Twin, messages: list[Any], events: list[Any]) -> list[int | None]:
    breaches = check_truth(conversation(twin.dialect, messages, events=events))
    return [one.index for one in breaches if one.rule == twin.rule]


def test_every_rule_has_a_planted_record_and_a_repair() -> None:
    assert {twin.rule for twin in TWINS} | {"append_only"} == set(RULES)
    assert set(REPAIRS) == set(RULES)
    assert all(rule.__doc__ for rule in RULES.values())


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.rule)
def test_a_planted_record_breaks_its_rule_where_it_is_broken(twin: Twin) -> None:
    assert found(twin, twin.messages, twin.events) == twin.at


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.rule)
def test_the_truthful_twin_keeps_the_rule(twin: Twin) -> None:
    assert found(twin, twin.kept or twin.messages, twin.kept_events or twin.events) == []


BEFORE = [user("A"), says("B")]


@pytest.mark.parametrize(
    ("messages", "events", "at"),
    [
        ([*BEFORE, user("C")], [], []),
        ([user("A!"), says("B"), user("C")], [], [0]),
        ([user("A")], [], [None]),
        ([user("[summary]")], [{"kind": "compact"}], []),
        ([user("[summary]")], [{"kind": "rewind"}], []),
    ],
)
def test_a_later_snapshot_extends_an_earlier_one_or_says_why_not(
    messages: list[Any], events: list[Any], at: list[int | None]
) -> None:
    breaches = check_truth(conversation("openai_chat", messages, events=events, baseline=BEFORE))

    assert [one.index for one in breaches if one.rule == "append_only"] == at


def test_a_record_without_truth_breaks_nothing() -> None:
    assert check_truth(conversation("openai_chat", cut("[not executed]"))) == []


def test_events_count_by_time_not_by_place() -> None:
    late = [{"t": 2, "kind": "exec_start", "call": "c2"}, {"t": 1, "kind": "cancel", "scope": "run"}]

    assert [one.rule for one in check_truth(conversation("openai_chat", CHAT, events=late))] == [
        "execution_after_cancel"
    ]


KINDS = [
    "exec_start", "exec_end", "exec_killed", "effect", "cancel", "resume", "not_executed", "claim", "inbox", "deliver",
    "answer", "turn", "turn_start", "turn_end", "delivered", "drop", "compact",
]  # fmt: skip
EVENTS = st.lists(
    st.one_of(
        ANYTHING,
        st.fixed_dictionaries(
            {"kind": st.sampled_from(KINDS)},
            optional={
                "t": ANYTHING,
                "call": st.one_of(ANYTHING, st.sampled_from(["c1", "call_1"])),
                "id": st.one_of(ANYTHING, st.just("m1")),
                "message": st.one_of(ANYTHING, st.integers(-1, 9)),
                "text": ANYTHING,
                "inbox": ANYTHING,
                "output": ANYTHING,
                "name": ANYTHING,
                "args": ANYTHING,
                "saw": ANYTHING,
                "status": ANYTHING,
            },
        ),
    ),
    max_size=8,
)


@given(NEARLY_MESSAGES, EVENTS, st.one_of(st.none(), st.lists(ANYTHING, max_size=3)))
def test_any_events_give_breaches_never_an_exception(messages: list[Any], events: list[Any], baseline: Any) -> None:
    for dialect in ("openai_chat", "openai_responses", "anthropic", "gemini", "bedrock", "mistral"):
        for one in check_truth(conversation(dialect, messages, events=events, baseline=baseline)):
            assert one.rule in RULES
