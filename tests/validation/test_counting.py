"""Counting arguments and plain waits: V9, V13, oracles II and III of docs/validation.md."""

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simlab.core.decisions import Cancel, Closing, Decision, Departure, Interrupt, Moment
from simlab.core.events import Event, Verdict
from simlab.core.plugins import Traits
from simlab.core.record import IntentKind, RunRecord
from simlab.core.state import OpenCall
from simlab.core.view import View
from simlab.sim.spec import CancelPoints, ModelSpec, Step, WorldSpec
from simlab.strategies.cancel import Cancel as CancelAll
from tests.validation.building import constant, event, request, run, tool, world

CALL_MS, TOOL_MS = 2_000, 3_000


def chain(length: int, kind: IntentKind | None = None, at_ms: int = 0) -> WorldSpec:
    """A chain of tools one after another, and perhaps an event at some instant."""
    steps = tuple(Step(id=f"s{at}", tool="t", needs=(f"s{at - 1}",) if at else ()) for at in range(length))
    events = (request(),) if kind is None else (request(), event("U2", at_ms, kind, task="U1"))
    model = ModelSpec(call_ms=constant(CALL_MS))
    return world(tools=(tool("t", TOOL_MS),), steps=steps, events=events, model=model)


# --- V13: extra calls ---------------------------------------------------------------------------------------------
# A queued event that arrives while a tool runs: 0 extra calls; in the final call: 1; in an earlier call: 0. An
# interrupt in a call: +1 started, +0 kept; in tools: +1 kept (the call that answers asks again for what was cancelled),
# unless the event voids the task. One turn for a message: 1 each.


def counts(record: RunRecord) -> tuple[int, int]:
    calls = record.model_calls
    return len(calls), sum(call.kept for call in calls)


def place(length: int, at_ms: int) -> str:
    """Where an instant falls. A message and a result are recorded before an event of the same instant arrives."""
    cycle, into_ms = divmod(at_ms, CALL_MS + TOOL_MS)
    if cycle > length or (cycle == length and into_ms >= CALL_MS):
        return "after"
    if into_ms == 0:
        return "between"
    return ("final call" if cycle == length else "call") if into_ms < CALL_MS else "tool"


EXTRA = {
    "queue": {"between": (0, 0), "call": (0, 0), "final call": (1, 1), "tool": (0, 0), "after": (1, 1)},
    "queue-turn": dict.fromkeys(("between", "call", "final call", "tool", "after"), (1, 1)),
    "cancel": {"between": (0, 0), "call": (1, 0), "final call": (1, 0), "tool": (1, 1), "after": (1, 1)},
    "cancel-background": {"between": (0, 0), "call": (1, 0), "final call": (1, 0), "tool": (1, 1), "after": (1, 1)},
    "parallel": dict.fromkeys(("between", "call", "final call", "tool"), (0, 0)),
}
"""Extra main calls (started, kept) by the place of arrival. A side session is not one of them."""


@pytest.mark.parametrize("strategy", EXTRA)
@settings(max_examples=80, deadline=None)
@given(st.integers(1, 5), st.data())
def test_a_light_question_costs_the_calls_that_counting_says(strategy: str, length: int, data: st.DataObject) -> None:
    ends_ms = length * (CALL_MS + TOOL_MS) + CALL_MS
    at_ms = data.draw(st.integers(1, ends_ms - 1) if strategy == "parallel" else st.integers(0, ends_ms + 3_000))
    plain = counts(run(chain(length), strategy))
    record = run(chain(length, IntentKind.LIGHT, at_ms), strategy)
    started, kept = counts(record)
    if strategy == "parallel":
        sides = sum(call.side for call in record.model_calls)
        assert sides == 1
        started, kept = started - sides, kept - sides
    extra = EXTRA[strategy][place(length, at_ms)] if at_ms or strategy == "queue-turn" else (0, 0)
    assert plain == (length + 1, length + 1)
    assert (started - plain[0], kept - plain[1]) == extra


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 5), st.data())
def test_a_correction_saves_what_was_still_to_come(length: int, data: st.DataObject) -> None:
    """In the tool of cycle k: k + 1 calls so far, and one that acknowledges; nothing is asked for again."""
    cycle = data.draw(st.integers(0, length - 1))
    into_ms = data.draw(st.integers(CALL_MS, CALL_MS + TOOL_MS - 1))
    record = run(chain(length, IntentKind.CORRECT, cycle * (CALL_MS + TOOL_MS) + into_ms), "cancel")
    assert counts(record) == (cycle + 2, cycle + 2)


# --- V9: restart against rollback ---------------------------------------------------------------------------------
# A conflict with step c is found when k steps are done: a restart wastes k steps, a rollback k - c. About ten times
# fewer (arXiv 2604.23283, second-hand; shape only): exactly where c >= 0.9 k.


class Rewinder(CancelAll):
    """Cuts the trajectory when an event comes: to the request, or to the step in conflict."""

    name = "rewinder"
    traits = Traits(points=CancelAll.traits.points, departures=frozenset({Departure.REWINDS}))

    def __init__(self, kept_steps: int) -> None:
        self._length = 1 + 2 * kept_steps

    def on_event(self, view: View, _event: Event, _verdict: Verdict) -> Decision:
        return Interrupt(rewind_to=self._length if len(view.trajectory) > self._length else None)


def wasted_steps(total: int, done: int, kept: int) -> int:
    at_ms = done * (CALL_MS + TOOL_MS) + 1
    record = run(chain(total, IntentKind.LIGHT, at_ms), Rewinder(kept))
    assert record.tasks["U1"].finished_ms is not None
    return len(record.tool_runs) - total


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 12), st.data())
def test_a_restart_wastes_all_that_was_done_and_a_rollback_what_came_after_the_conflict(
    total: int, data: st.DataObject
) -> None:
    done = data.draw(st.integers(1, total))
    conflict = data.draw(st.integers(0, done))
    assert wasted_steps(total, done, 0) == done
    assert wasted_steps(total, done, conflict) == done - conflict


def test_ten_times_fewer_wasted_steps_is_the_last_tenth_of_the_work() -> None:
    done = 20
    region = [
        conflict for conflict in range(done) if wasted_steps(done, done, 0) >= 10 * wasted_steps(done, done, conflict)
    ]
    assert region == [18, 19]
    assert min(region) == 0.9 * done


# --- oracles II and III -------------------------------------------------------------------------------------------


class Graceful(CancelAll):
    """Gives a cancelled tool a grace, and then goes on without knowing."""

    name = "graceful"

    def __init__(self, grace_ms: int) -> None:
        self._grace_ms = grace_ms

    def on_open_calls(self, _view: View, calls: Sequence[OpenCall], _moment: Moment) -> Mapping[str, Closing]:
        return {each.call.id: Cancel(grace_ms=self._grace_ms) for each in calls}


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 5_000), st.integers(1, 3_000), st.integers(1, 3_000), st.integers(1, 30_000))
def test_an_interrupt_waits_for_its_grace_and_its_reply(
    grace_ms: int, ttft_ms: int, reply_ms: int, into_ms: int
) -> None:
    """Oracle II: wait = grace + time to first token + reply, for a tool that never answers."""
    model = ModelSpec(
        ttft_ms=constant(ttft_ms),
        decode_tok_s=constant(1_000),
        step_tokens=constant(1),
        answer_tokens=constant(reply_ms),
        final_tokens=constant(1),
    )
    starts_ms = ttft_ms + 1
    deaf = tool("t", 40_000, cancel_points=CancelPoints.NONE)
    events = (request(), event("U2", starts_ms + into_ms, IntentKind.LIGHT))
    spec = world(tools=(deaf,), steps=(Step(id="a", tool="t"),), events=events, model=model)
    record = run(spec, Graceful(grace_ms))
    assert record.events["U2"].consumed_ms == starts_ms + into_ms + grace_ms
    call = next(each for each in record.model_calls if each.started_ms == starts_ms + into_ms + grace_ms)
    answered_ms = record.events["U2"].first_answer_ms
    assert answered_ms == call.ended_ms
    extra_ms = 1 if call.output_tokens > reply_ms else 0  # the tool is asked for again in the same message
    assert answered_ms == starts_ms + into_ms + grace_ms + ttft_ms + reply_ms + extra_ms


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 3_000), st.integers(1, 3_000), st.integers(4_000, 400_000), st.integers(1, 3_999))
def test_a_side_session_waits_for_its_own_time_whatever_the_tool_takes(
    ttft_ms: int, reply_ms: int, tool_ms: int, into_ms: int
) -> None:
    """Oracle III: wait = time to first token on the copy + reply, independent of the tool."""
    model = ModelSpec(
        ttft_ms=constant(ttft_ms),
        decode_tok_s=constant(1_000),
        step_tokens=constant(1),
        answer_tokens=constant(reply_ms),
        final_tokens=constant(1),
    )
    at_ms = ttft_ms + 1 + into_ms
    events = (request(), event("U2", at_ms, IntentKind.LIGHT))
    spec = world(tools=(tool("t", tool_ms),), steps=(Step(id="a", tool="t"),), events=events, model=model)
    assert run(spec, "parallel").events["U2"].first_answer_ms == at_ms + ttft_ms + reply_ms


# --- the waits with tools, pathwise -------------------------------------------------------------------------------


@pytest.mark.parametrize("length", [1, 3])
def test_with_tools_a_flush_waits_for_the_cycle_and_a_cancel_for_nothing(length: int) -> None:
    """Every instant of a short turn (calls 2 s, tools 3 s, on a grid of 250 ms)."""
    ends_ms = length * (CALL_MS + TOOL_MS) + CALL_MS
    for at_ms in range(250, ends_ms, 250):
        cycle_ends_ms = min(-(-at_ms // (CALL_MS + TOOL_MS)) * (CALL_MS + TOOL_MS), ends_ms)
        queued = run(chain(length, IntentKind.LIGHT, at_ms), "queue").events["U2"]
        assert (queued.consumed_ms, queued.first_answer_ms) == (cycle_ends_ms, cycle_ends_ms + CALL_MS)
        stopped = run(chain(length, IntentKind.LIGHT, at_ms), "cancel").events["U2"]
        assert (stopped.consumed_ms, stopped.first_answer_ms) == (at_ms, at_ms + CALL_MS)
