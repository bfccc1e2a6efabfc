"""Single moves of the agent: holding back, joining, launching, what a late result says."""

from typing import Any

import pytest

from simlab.core import commands as c
from simlab.core.decisions import (
    NOTHING,
    Cancel,
    Discard,
    DropReason,
    Interrupt,
    Keep,
    LatePolicy,
    LeaveOpen,
    Moment,
    Pending,
    Queue,
    Refuse,
    Run,
    SafePoint,
    Shield,
    Skip,
    Take,
    Then,
)
from simlab.core.events import Event, EventType
from simlab.core.messages import (
    EventMessage,
    LateResultMessage,
    Mark,
    ToolResult,
)
from simlab.core.phases import Phase
from simlab.core.state import CallStatus
from simlab.core.view import View
from simlab.strategies.habits import FLUSH_POINTS, take_all
from tests.core.scripted import BEGIN, TOOL, URGENT, commands, go_on, play, said

# --- holding back, joining, marking -----------------------------------------------------------------------------------


def once_free(view: View, _point: SafePoint) -> Take:
    return NOTHING if view.held else take_all(view)


def test_the_end_of_a_hold_back_window_wakes_an_idle_agent() -> None:
    text = BEGIN + "+5 model says\nU2 arrives user.interrupt from user\nU2 is-routed queue\ninstant settles"
    stage = play(text, how=Queue(hold_ms=1), takes=once_free)
    assert commands(stage, c.SetTimer) == [c.SetTimer(timer_id="hold:U2", delay_ms=1)]
    assert said(stage) == "U1 A"
    go_on(stage, "+1 hold:U2 fires\ninstant settles")
    assert said(stage) == "U1 A U2"


def test_the_end_of_the_window_of_a_late_result_wakes_an_idle_agent_too() -> None:
    """Its event's id has a colon, as the timers' ids have."""

    def decide(_view: View, event: Event) -> Any:
        return Queue(hold_ms=3) if event.type is EventType.TOOL_RESULT else Interrupt() if event.urgent else Queue()

    text = BEGIN + TOOL + URGENT + "instant settles\nmodel says\ninstant settles\nc1 ends\nlate:c1 is-routed queue\n"
    stage = play(text + "instant settles", decide=decide, closings=lambda *_: Keep(), takes=once_free)
    assert said(stage) == "U1 A[c1] P(c1 still running) U2 A"
    go_on(stage, "+3 hold:late:c1 fires\ninstant settles")
    assert said(stage) == "U1 A[c1] P(c1 still running) U2 A L(c1)"


def test_an_event_that_was_given_back_may_come_again() -> None:
    stage = play(BEGIN + URGENT + "+300 expire:U2 fires", how=Queue(expires_ms=300))
    go_on(stage, "U2 arrives user.input from user\nU2 is-routed queue")
    assert stage.agent.view.backlog_ids == ("U2",)


@pytest.mark.parametrize("hold_ms", [70, 1])
def test_an_interrupt_that_waited_may_open_a_window(hold_ms: int) -> None:
    how = Interrupt(after_ms=10, hold_ms=hold_ms, backlog=Pending.KEEP)
    stage = play(BEGIN + URGENT + "+10 interrupt:U2 fires", how=how)
    assert commands(stage, c.SetTimer)[-1] == c.SetTimer(timer_id="hold:U2", delay_ms=hold_ms)


TWO = (
    "U2 arrives user.interrupt from user\nU2 is-routed queue\nU3 arrives user.interrupt from user\nU3 is-routed queue\n"
)


def joined(view: View, _point: SafePoint) -> Take:
    return Take(append=view.backlog_ids, joined=True, mark=Mark.REMINDER, reminds=True)


def test_joined_events_are_one_message() -> None:
    stage = play(BEGIN + TWO + "model says\ninstant settles", how=Queue(), takes=joined)
    assert said(stage) == "U1 A U2+U3"
    message = stage.agent.state.trajectory[-1]
    assert isinstance(message, EventMessage)
    assert [event.id for event in message.events] == ["U2", "U3"]
    assert (message.mark, message.position, message.batch_size, message.reminds) == (Mark.REMINDER, 1, 2, True)


def marked(view: View, _point: SafePoint) -> Take:
    return Take(append=view.backlog_ids, mark=Mark.NUMBERED, reminds=True)


def test_marked_events_are_numbered_and_the_last_of_them_reminds() -> None:
    stage = play(BEGIN + TWO + "model says\ninstant settles", how=Queue(), takes=marked)
    told = [each for each in stage.agent.state.trajectory[2:] if isinstance(each, EventMessage)]
    assert [(each.position, each.batch_size, each.mark, each.reminds) for each in told] == [
        (1, 2, Mark.NUMBERED, False),
        (2, 2, Mark.NUMBERED, True),
    ]


def test_an_interrupt_marks_its_whole_batch() -> None:
    text = BEGIN + "U2 arrives user.input from user\nU2 is-routed queue\nU3 arrives user.interrupt from user\n"
    stage = play(
        text + "U3 is-routed cancel\nmodel stops\ninstant settles", how=Interrupt(mark=Mark.NUMBERED, reminds=True)
    )
    told = [each for each in stage.agent.state.trajectory[1:] if isinstance(each, EventMessage)]
    assert [(each.events[0].id, each.position, each.batch_size, each.mark, each.reminds) for each in told] == [
        ("U2", 1, 2, Mark.NUMBERED, False),
        ("U3", 2, 2, Mark.NUMBERED, True),
    ]


def test_what_was_taken_in_this_instant_is_known_and_forgotten_in_the_next() -> None:
    seen: list[tuple[int, tuple[str, ...]]] = []

    def takes(view: View, _point: SafePoint) -> Take:
        seen.append((view.now_ms, tuple(view.taken_now)))
        return Take(append=view.backlog_ids[:1])

    play(BEGIN + TWO + "+4 model says\ninstant settles\n+2 model says\ninstant settles", how=Queue(), takes=takes)
    assert seen[:3] == [(0, ()), (0, ("U1",)), (4, ())]
    assert seen[3:5] == [(4, ("U2",)), (6, ())]


# --- tools ------------------------------------------------------------------------------------------------------------

BETWEEN = FLUSH_POINTS | {SafePoint.TOOL_CLOSED}


def test_what_is_taken_when_one_tool_has_ended_closes_the_others_first() -> None:
    text = BEGIN + "model says look burn\ninstant settles\nU2 arrives user.interrupt from user\nU2 is-routed queue\n"
    stage = play(text + "c1 ends\ninstant settles", how=Queue(), closings=lambda *_: Keep(), points=BETWEEN)
    assert said(stage) == "U1 A[c1,c2] R(c1) P(c2 still running) U2"
    assert stage.agent.state.phase is Phase.THINKING


def test_what_is_only_dropped_between_tools_closes_nothing() -> None:
    def drops(view: View, point: SafePoint) -> Take:
        return Take(drop=view.backlog_ids) if point is SafePoint.TOOL_CLOSED else take_all(view)

    text = BEGIN + "model says look burn\ninstant settles\nU2 arrives user.interrupt from user\nU2 is-routed queue\n"
    stage = play(text + "c1 ends\ninstant settles", how=Queue(), takes=drops, points=BETWEEN)
    assert commands(stage, c.Drop) == [c.Drop(event_ids=("U2",), reason=DropReason.OVERFLOW)]
    assert said(stage) == "U1 A[c1,c2] R(c1)"
    assert stage.agent.state.phase is Phase.ACTING


@pytest.mark.parametrize(
    ("tools", "closing", "under_way"),
    [
        ("look look look", None, ["c1"]),
        ("pack look", None, ["c1"]),
        ("look look", Keep(), ["c1", "c2"]),
        ("look look", Skip(), []),
    ],
)
def test_tools_in_sequence_start_one_after_the_other(tools: str, closing: Any, under_way: list[str]) -> None:
    def closings(_call: Any, _moment: Moment) -> Any:
        return closing

    moments = frozenset({Moment.LAUNCH}) if closing is not None else frozenset[Moment]()
    stage = play(
        BEGIN + f"model says {tools}\ninstant settles",
        closings=closings,
        moments=moments,
        points=BETWEEN,
        sequential=True,
    )
    assert list(stage.tools) == under_way


def test_tools_in_sequence_that_are_all_skipped_at_their_launch_close_the_round() -> None:
    stage = play(
        BEGIN + "model says look look\ninstant settles",
        closings=lambda *_: Skip(),
        moments=frozenset({Moment.LAUNCH}),
        sequential=True,
    )
    assert said(stage) == "U1 A[c1,c2] P(c1 not started) P(c2 not started)"
    assert stage.agent.state.phase is Phase.THINKING


def test_the_next_tool_in_sequence_starts_when_the_one_before_has_ended() -> None:
    stage = play(
        BEGIN + "model says look look\ninstant settles\nc1 ends\ninstant settles", points=BETWEEN, sequential=True
    )
    assert list(stage.tools) == ["c2"]


def test_a_late_result_is_an_event_that_names_its_call() -> None:
    text = BEGIN + TOOL + URGENT + "instant settles\nc1 ends"
    stage = play(text, closings=lambda *_: Keep())
    assert stage.routing == {
        "late:c1": Event(
            id="late:c1",
            type=EventType.TOOL_RESULT,
            source="look",
            channel="tool",
            content="c1: done",
            context="c1",
        )
    }
    go_on(stage, "late:c1 is-routed queue\nmodel says\ninstant settles")
    message = stage.agent.state.trajectory[-1]
    assert isinstance(message, LateResultMessage)
    assert (message.call_id, message.result) == ("c1", ToolResult(content="c1: done"))


def test_the_end_of_a_call_without_a_result_is_an_event_that_says_how_it_ended() -> None:
    text = BEGIN + TOOL + URGENT + "+9 grace:c1 fires\ninstant settles\nc1 acknowledges after"
    stage = play(text, closings=lambda *_: Cancel(grace_ms=9))
    assert stage.routing["late:c1"].content == "cancelled after it took effect"


def test_a_late_result_can_be_written_where_its_placeholder_stands() -> None:
    text = BEGIN + TOOL + URGENT + "instant settles\nc1 ends\nlate:c1 is-routed queue\nmodel says\ninstant settles"
    stage = play(text, closings=lambda *_: Keep(late=LatePolicy.REPLACE))
    assert said(stage) == "U1 A[c1] L(c1) U2 A"
    assert isinstance(stage.agent.state.trajectory[2], LateResultMessage)


def test_a_call_that_is_over_is_told_so() -> None:
    skipped = play(
        BEGIN + "model says look\nU2 arrives user.interrupt from user\nU2 is-routed cancel\ninstant settles",
        closings=lambda *_: LeaveOpen(),
    )
    acknowledged = play(BEGIN + TOOL + URGENT + "c1 acknowledges before")
    assert skipped.agent.state.calls["c1"].status is CallStatus.ENDED
    assert acknowledged.agent.state.calls["c1"].status is CallStatus.ENDED


def test_a_strategy_is_asked_about_calls_with_its_view() -> None:
    seen: list[int] = []

    class Looks:
        def __call__(self, call: Any, _moment: Moment) -> Any:
            seen.append(call.started_ms)
            return Keep()

    stage = play(BEGIN + TOOL + URGENT, closings=Looks())
    assert seen == [0]
    assert stage.agent.view.is_stopping


# --- history ----------------------------------------------------------------------------------------------------------


def test_two_rewinds_count_twice_and_forget_what_they_cut() -> None:
    rewinds = iter([Queue(), Interrupt(), Interrupt(rewind_to=2), Interrupt(rewind_to=2)])
    made = play("", decide=lambda _view, _event: next(rewinds), closings=lambda *_: Keep())
    go_on(made, BEGIN + TOOL + URGENT + "instant settles")
    assert made.agent.state.calls["c1"].placeholder_index == 2
    go_on(made, "+1 U3 arrives user.interrupt from user\nU3 is-routed cancel\nmodel stops\ninstant settles")
    assert said(made) == "U1 A[c1] U3"
    assert made.agent.state.calls["c1"].placeholder_index is None
    go_on(made, "+1 U4 arrives user.interrupt from user\nU4 is-routed cancel\nmodel stops\ninstant settles")
    assert said(made) == "U1 A[c1] U4"
    assert made.agent.state.epoch == 2


def test_only_a_person_ends_the_wait_for_one() -> None:
    text = BEGIN + URGENT + "model stops\ninstant settles\nU3 arrives user.input from user\nU3 is-routed queue\n"
    stage = play(text + "instant settles", how=Interrupt(then=Then.WAIT_USER))
    assert said(stage) == "U1 U2 U3"
    assert stage.agent.state.phase is Phase.THINKING


def test_a_wait_for_a_person_lasts_when_the_person_s_word_is_withdrawn_at_once() -> None:
    def again(view: View, event: Event) -> Any:
        if event.type is EventType.TIMER_TRIGGER:
            return (Queue(), Discard(event_ids=("U3",), reason=DropReason.WITHDRAWN))
        return Interrupt(then=Then.WAIT_USER) if event.urgent and not view.is_idle else Queue()

    stage = play(BEGIN, decide=again)
    go_on(stage, URGENT + "model stops\ninstant settles\nU3 arrives user.input from user\nU3 is-routed queue\n")
    go_on(stage, "U4 arrives timer.trigger from clock\nU4 is-routed queue\ninstant settles")
    assert stage.agent.state.phase is Phase.WAITING_USER
    assert stage.agent.view.backlog_ids == ("U4",)


def test_a_person_s_word_that_is_not_taken_at_once_ends_the_wait_for_one_all_the_same() -> None:
    def decide(view: View, event: Event) -> Any:
        if event.id == "U3":
            return Queue(hold_ms=5)
        return Interrupt(then=Then.WAIT_USER) if event.urgent and not view.is_idle else Queue()

    stage = play(BEGIN + URGENT + "model stops\ninstant settles", decide=decide, takes=once_free)
    go_on(stage, "U3 arrives user.input from user\nU3 is-routed queue\ninstant settles")
    assert stage.agent.state.phase is Phase.IDLE
    go_on(stage, "+5 hold:U3 fires\ninstant settles")
    assert said(stage) == "U1 U2 U3"


def test_a_signalled_background_call_that_ends_by_itself_is_told_as_a_late_result() -> None:
    def closing(call: Any, _moment: Moment) -> Any:
        return Cancel() if call.status is CallStatus.BACKGROUND else Keep()

    text = BEGIN + TOOL + URGENT + "instant settles\n+1 U3 arrives user.interrupt from user\nU3 is-routed cancel\n"
    stage = play(text + "model stops\nc1 ends\ninstant settles", closings=closing)
    assert said(stage) == "U1 A[c1] P(c1 still running) U2 U3"
    assert list(stage.routing) == ["late:c1"]


def test_an_end_without_a_result_can_be_written_where_the_placeholder_stands() -> None:
    def closing(call: Any, _moment: Moment) -> Any:
        return Cancel(grace_ms=5) if call.status is CallStatus.BACKGROUND else Keep(late=LatePolicy.REPLACE)

    text = BEGIN + TOOL + URGENT + "instant settles\n+1 U3 arrives user.interrupt from user\nU3 is-routed cancel\n"
    text += "model stops\n+5 grace:c1 fires\ninstant settles\nc1 acknowledges after\nlate:c1 is-routed queue\n"
    stage = play(text + "model says\ninstant settles", closings=closing)
    assert "A[c1] N(c1 cancelled after it took effect) U2" in said(stage)
    stage._watch = False
    assert stage.rest() == []


def test_a_strategy_that_asks_for_no_moment_leaves_its_calls_open() -> None:
    stage = play(BEGIN + TOOL + URGENT + "instant settles", moments=frozenset())
    assert said(stage) == "U1 A[c1] U2"


# --- small print ------------------------------------------------------------------------------------------------------


def late_and_new(view: View, point: SafePoint) -> Take:
    return marked(view, point) if point is SafePoint.TURN_CLOSED or not view.turn else NOTHING


def test_the_reminder_goes_to_the_last_event_and_not_to_a_report_behind_it() -> None:
    text = BEGIN + TOOL + URGENT + "instant settles\nU3 arrives user.input from user\nU3 is-routed queue\nc1 ends\n"
    text += "late:c1 is-routed queue\nmodel says\ninstant settles"
    stage = play(text, closings=lambda *_: Keep(), takes=late_and_new)
    told = [
        each for each in stage.agent.state.trajectory if isinstance(each, EventMessage) and each.events[0].id == "U3"
    ]
    assert [(each.position, each.batch_size, each.reminds) for each in told] == [(1, 2, True)]
    assert said(stage) == "U1 A[c1] P(c1 still running) U2 A U3 L(c1)"


@pytest.mark.parametrize(("mark", "reminds"), [(Mark.DEVELOPER, False), (Mark.PLAIN, True)])
def test_an_interrupt_may_mark_or_remind_or_both(mark: Mark, reminds: bool) -> None:
    stage = play(BEGIN + URGENT + "model stops\ninstant settles", how=Interrupt(mark=mark, reminds=reminds))
    message = stage.agent.state.trajectory[-1]
    assert isinstance(message, EventMessage)
    assert (message.mark, message.reminds) == (mark, reminds)


def test_a_window_of_a_millisecond_is_a_window() -> None:
    stage = play(BEGIN + URGENT, how=Interrupt(queue=True, hold_ms=1))
    assert commands(stage, c.SetTimer) == [c.SetTimer(timer_id="hold:U2", delay_ms=1)]


def test_a_second_interrupt_may_give_up_waiting_for_a_shielded_tool() -> None:
    closings = iter([Shield(), Keep()])
    text = BEGIN + TOOL + URGENT + "U3 arrives user.interrupt from user\nU3 is-routed cancel\ninstant settles"
    stage = play(text, closings=lambda *_: next(closings))
    assert said(stage) == "U1 A[c1] P(c1 still running) U2 U3"


def test_a_call_that_ended_or_was_skipped_is_over() -> None:
    ended = play(BEGIN + TOOL + "c1 ends")
    skipped = play(BEGIN + "model says look\nU2 arrives user.interrupt from user\nU2 is-routed cancel\ninstant settles")
    refused = play(BEGIN + TOOL, closings=lambda *_: Skip(), moments=frozenset({Moment.LAUNCH}))
    assert refused.agent.state.calls["c1"].status is CallStatus.ENDED
    assert ended.agent.state.calls["c1"].status is CallStatus.ENDED
    assert skipped.agent.state.calls["c1"].status is CallStatus.ENDED


def test_a_result_in_its_placeholder_s_place_counts_as_one_change_of_history() -> None:
    text = BEGIN + TOOL + URGENT + "instant settles\nc1 ends\nlate:c1 is-routed queue\nmodel says\ninstant settles"
    assert play(text, closings=lambda *_: Keep(late=LatePolicy.REPLACE)).agent.state.epoch == 1


def test_an_event_that_is_refused_is_told_why_and_may_come_again() -> None:
    stage = play(BEGIN + URGENT, how=Refuse(reason="not now"))
    assert commands(stage, c.Refuse) == [c.Refuse(event_id="U2", reason="not now")]
    go_on(stage, "U2 arrives user.interrupt from user")
    assert list(stage.routing) == ["U2"]


def test_an_event_that_is_dropped_at_its_arrival_is_told_why() -> None:
    stage = play(BEGIN + URGENT, how=Discard(event_ids=("U2",), reason=DropReason.FILTERED))
    assert commands(stage, c.Drop) == [c.Drop(event_ids=("U2",), reason=DropReason.FILTERED)]


def test_the_end_of_one_of_two_tools_is_no_safe_point_for_who_did_not_ask() -> None:
    stage = play(BEGIN + "model says look look\ninstant settles\nc1 ends")
    assert not stage.unsettled


def test_a_turn_ends_with_a_sleep_that_says_whether_it_waits_for_a_person() -> None:
    assert commands(play(BEGIN + "model says\ninstant settles"), c.Sleep) == [c.Sleep(waits_for_user=False)]
    waits = play(BEGIN + URGENT + "model stops\ninstant settles", how=Interrupt(then=Then.WAIT_USER))
    assert commands(waits, c.Sleep) == [c.Sleep(waits_for_user=True)]


def test_a_skipped_call_does_not_hold_up_a_sequence() -> None:
    def closing(call: Any, _moment: Moment) -> Any:
        return Skip() if call.call.id == "c1" else Run()

    stage = play(
        BEGIN + "model says look look look\ninstant settles",
        closings=closing,
        moments=frozenset({Moment.OPENED}),
        points=BETWEEN,
        sequential=True,
    )
    assert list(stage.tools) == ["c2"]


def test_an_agent_that_has_done_nothing_yet_says_so() -> None:
    view = play("").agent.view
    assert (view.call_in_turn, view.turn, view.turn_start_index, view.taken_now, view.is_idle) == (0, 0, 0, (), True)


def test_an_instant_is_asked_to_settle_once_however_much_happens_in_it() -> None:
    stage = play("".join(f"U{n} arrives user.input from user\nU{n} is-routed queue\n" for n in (1, 2, 3)))
    assert len(commands(stage, c.Settle)) == 1
    go_on(stage, "instant settles\n+1 U4 arrives user.interrupt from user\nU4 is-routed cancel")
    assert len(commands(stage, c.Settle)) == 2


def test_turns_are_numbered_and_so_are_the_calls_of_each() -> None:
    text = BEGIN + TOOL + "c1 ends\ninstant settles\nmodel says\ninstant settles\n"
    stage = play(text + "U2 arrives user.input from user\nU2 is-routed queue\ninstant settles")
    calls = commands(stage, c.CallModel)
    assert [(call.generation, call.turn, call.call_in_turn) for call in calls] == [(1, 1, 1), (2, 1, 2), (3, 2, 1)]
