"""What the model understands of people who repeat themselves, and of steps that turn out void."""

from dataclasses import replace

from simlab.core.decisions import SafePoint, Take
from simlab.core.messages import notation
from simlab.core.plugins import Traits
from simlab.core.record import IntentKind
from simlab.core.view import View
from simlab.sim.spec import Acts, EventSpec, Guard, ModelSpec, Step
from simlab.strategies.queue import QueueAll
from tests.validation.building import constant, event, request, run, tool, world

MODEL = ModelSpec(call_ms=constant(2_000))


class NewestFirst(QueueAll):
    """Takes the backlog from its end when idle."""

    name = "newest-first"
    traits = Traits(points=frozenset({SafePoint.IDLE}))

    def at_safe_point(self, view: View, _point: SafePoint) -> Take:
        return Take(append=view.backlog_ids[::-1])


def test_a_request_that_is_read_after_its_repeat_is_not_done_twice() -> None:
    impatient: EventSpec = replace(request(3_000, "U2"), patience_ms=constant(1_000), repeats=1)
    spec = world(tools=(tool("t", 5_000),), steps=(Step(id="a", tool="t"),), events=(request(), impatient), model=MODEL)
    record = run(spec, NewestFirst())
    assert notation(record.trace.trajectory()) == "U1 A[c1] R(c1) A U2~ U2 A[c2] R(c2) A"
    assert list(record.tasks) == ["U1", "U2~"]


def test_a_question_whose_last_open_step_turns_out_void_is_answered_in_that_very_message() -> None:
    spec = world(
        tools=(tool("start", acts=Acts.START), tool("status", acts=Acts.STATUS), tool("t", 1_000)),
        steps=(
            Step(id="s", tool="start", run_ms=constant(9_000)),
            Step(id="look", tool="status", job="s", needs=("s",)),
            Step(id="stop", tool="t", needs=("look",), guard=Guard(step="look", at_least=50.0)),
            Step(id="last", tool="t", needs=("job:s",)),
        ),
        events=(
            request(),
            EventSpec(
                id="Q",
                at_ms=1_000,
                type=request().type,
                intent=replace(event("Q", 0, IntentKind.QUESTION, task="U1").intent, needs=("stop",)),
            ),
        ),
        model=MODEL,
    )
    record = run(spec, "queue")
    assert record.events["Q"].first_answer_ms == 6_000
