"""Jobs: a start tool returns at once, and the end of its job is an event."""

import pytest

from simlab.core.messages import notation
from simlab.core.record import IntentKind, RunOutcome
from simlab.sim.spec import Acts, EventSpec, Guard, ModelSpec, Step, WorldSpec
from tests.validation.building import constant, event, request, run, tool, world

STRATEGIES = ["queue", "cancel", "cancel-background", "parallel"]


def one_job(*events: EventSpec, run_ms: int = 10_000, needs: tuple[str, ...] = ("job:s",)) -> WorldSpec:
    return world(
        tools=(tool("start", acts=Acts.START), tool("status", acts=Acts.STATUS), tool("t", 1_000)),
        steps=(Step(id="s", tool="start", run_ms=constant(run_ms)), Step(id="after", tool="t", needs=needs)),
        final_needs=("s", "after", "job:s"),
        events=(request(), *events),
        model=ModelSpec(call_ms=constant(2_000)),
    )


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_an_amended_start_starts_a_second_job_and_the_task_waits_for_it(strategy: str) -> None:
    record = run(one_job(event("U2", 7_000, IntentKind.AMEND, task="U1", step="s")), strategy)
    jobs = [each for each in record.tool_runs if each.call_id.startswith("job:")]
    assert [(each.call_id, each.outcome) for each in jobs] == [
        ("job:U1:s", RunOutcome.FINISHED),
        ("job:U1:s:2", RunOutcome.FINISHED),
    ]
    (after,) = [each for each in record.tool_runs if each.step == "after"]
    assert jobs[1].stopped_ms is not None
    assert after.started_ms >= jobs[1].stopped_ms
    assert record.trace.complete


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_nothing_waits_for_the_job_of_a_step_that_was_voided(strategy: str) -> None:
    record = run(one_job(event("U2", 5_000, IntentKind.CORRECT, task="U1", step="s")), strategy)
    assert record.tasks["U1"].finished_ms == 10_000


def test_what_waits_for_a_done_start_and_its_job_goes_on_when_the_start_is_voided() -> None:
    correction = event("U2", 5_000, IntentKind.CORRECT, task="U1", step="s")
    record = run(one_job(correction, needs=("s", "job:s")), "queue")
    assert record.tasks["U1"].finished_ms == 10_000


def test_a_status_asked_for_in_the_instant_of_a_start_does_not_fail() -> None:
    spec = world(
        tools=(tool("start", acts=Acts.START), tool("status", acts=Acts.STATUS)),
        steps=(Step(id="s", tool="start", run_ms=constant(0)), Step(id="look", tool="status", job="s")),
        events=(request(name="U=1"),),
        model=ModelSpec(call_ms=constant(2_000)),
    )
    record = run(spec, "queue")
    assert record.tasks["U=1"].finished_ms == 4_000
    assert notation(record.trace.trajectory()) == "U=1 A[c1,c2] R(c1) R(c2) job:U=1:s A"


def test_what_a_void_step_frees_is_asked_for_in_the_same_message() -> None:
    """The guard voids `stop` when its result is read; `after` needs it, and must not wait for another message."""
    spec = world(
        tools=(tool("start", acts=Acts.START), tool("status", acts=Acts.STATUS), tool("t", 1_000)),
        steps=(
            Step(id="s", tool="start", run_ms=constant(9_000)),
            Step(id="look", tool="status", job="s", needs=("s",)),
            Step(id="stop", tool="t", needs=("look",), guard=Guard(step="look", at_least=50.0)),
            Step(id="after", tool="t", needs=("stop",)),
        ),
        final_needs=("after",),
        events=(request(),),
        model=ModelSpec(call_ms=constant(2_000)),
    )
    record = run(spec, "queue")
    assert notation(record.trace.trajectory()) == "U1 A[c1] R(c1) A[c2] R(c2) A[c3] R(c3) A job:U1:s A"


def test_a_job_that_was_stopped_is_over_though_its_stop_was_taken_back_before_the_model_read_of_it() -> None:
    """Nothing will report its end: a task that waits for it would wait for ever."""
    spec = world(
        tools=(tool("start", acts=Acts.START), tool("stop", acts=Acts.CANCEL)),
        steps=(
            Step(id="s", tool="start", run_ms=constant(60_000)),
            Step(id="off", tool="stop", job="s", needs=("s",)),
        ),
        final_needs=("s", "off", "job:s"),
        events=(request(), event("U2", 3_000, IntentKind.CORRECT, task="U1", step="off")),
        model=ModelSpec(call_ms=constant(2_000)),
    )
    record = run(spec, "pipecat-async")
    read = [notation([each]) for each in record.trace.trajectory()]
    assert read.index("U2") < read.index("L(c2)"), "the correction stands before the late result"
    assert record.tasks["U1"].finished_ms is not None
