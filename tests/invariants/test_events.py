"""Whose fault a lost request is."""

from collections.abc import Mapping, Sequence

import pytest

from simlab.core.decisions import NOTHING, Closing, Decision, Moment, Queue, SafePoint, Take
from simlab.core.events import Event, EventType, Verdict
from simlab.core.plugins import Traits
from simlab.core.record import IntentKind
from simlab.core.state import OpenCall
from simlab.core.view import View
from simlab.invariants import Blame, check
from simlab.sim.spec import Acts, ModelSpec, Step
from tests.sim.faults.small import certain, small
from tests.validation.building import constant, event, request, run, tool, world


class TakesOnlyTheFirst:
    """A planted bug: what comes after the first event is never taken."""

    name = "takes-only-the-first"
    traits = Traits(points=frozenset({SafePoint.IDLE}))

    def on_event(self, _view: View, _event: Event, _verdict: Verdict) -> Decision:
        return Queue()

    def at_safe_point(self, view: View, _point: SafePoint) -> Take:
        return NOTHING if view.turn else Take(append=view.backlog_ids[:1])

    def on_open_calls(self, _view: View, _calls: Sequence[OpenCall], _moment: Moment) -> Mapping[str, Closing]:
        return {}


@pytest.mark.parametrize(("strategy", "fault"), [("cancel", "forget"), ("queue", "derail"), ("queue", "misread")])
def test_a_request_that_the_model_was_made_to_lose_is_the_models_fault(strategy: str, fault: str) -> None:
    (breach,) = check(run(small(hazards=certain(**{fault: 1.0})), strategy))
    assert breach.invariant == "every_request_is_finished_voided_or_censored"
    assert breach.blame is Blame.MODEL


def test_a_fault_elsewhere_does_not_excuse_a_strategy() -> None:
    record = run(small(request(5_000, "U2"), hazards=certain(false_success=1, fabricate=1)), TakesOnlyTheFirst())
    blames = {each.event_id: each.blame for each in check(record)}
    assert blames == {"U2": Blame.STRATEGY}


JOB = (Step(id="s", tool="start", run_ms=constant(10_000)),)


@pytest.mark.parametrize("urgent", [True, False])
def test_a_request_behind_an_urgent_one_whose_report_was_rewound_is_given_up_with_it(urgent: bool) -> None:
    """The declared departure of a rollback takes the report of the job with it; the model goes on waiting."""
    second = event(
        "U2", 5_000, IntentKind.REQUEST, plan="p", type_=EventType.USER_INTERRUPT if urgent else EventType.USER_INPUT
    )
    spec = world(
        tools=(tool("start", acts=Acts.START),),
        steps=JOB,
        final_needs=("s", "job:s"),
        events=(request(), second, event("U3", 18_000, IntentKind.LIGHT)),
        model=ModelSpec(call_ms=constant(2_000)),
    )
    record = run(spec, "langgraph-rollback")
    finished = {name: task.finished_ms for name, task in record.tasks.items()}
    assert finished == {"U1": None if urgent else 14_000, "U2": None}
    assert check(record) == []
