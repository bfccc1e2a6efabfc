"""Mitigations that wrap a strategy."""

from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest

from simlab.core.messages import EventMessage, Mark, PlaceholderMessage, Wording
from simlab.core.plugins import Strategy
from simlab.core.record import FaultKind, IntentKind, RunRecord
from simlab.invariants import Blame, check
from simlab.routers import ROUTERS
from simlab.sim.driver import simulate
from simlab.sim.faults import Hazards, calibrated
from simlab.sim.spec import CancelPoints, Step
from simlab.strategies import STRATEGIES
from simlab.strategies.mitigations import Mitigations, mitigated
from simlab.testing.worlds import random_world
from tests.sim.faults.small import POST, READ, SEND, certain, line, small
from tests.validation.building import event, run

ALL = Mitigations(wording=Wording.TERSE, numbered=True, reminder=True, shield_irreversible=True)


def wrapped(name: str, mitigations: Mitigations) -> Strategy:
    return mitigated(STRATEGIES.get(name), mitigations)


def events_of(record: RunRecord) -> Iterator[EventMessage]:
    return (message for message in record.trace.trajectory() if isinstance(message, EventMessage))


def test_the_name_says_which_switches_are_on() -> None:
    assert wrapped("cancel", ALL).name == "cancel+terse+numbered+reminder+shield"
    assert wrapped("cancel", Mitigations()).name == "cancel"


def test_placeholders_are_worded_as_chosen() -> None:
    for name in ("cancel", "cancel-background", "queue-first-return"):
        record = run(small(), wrapped(name, Mitigations(wording=Wording.TERSE)))
        words = [each.wording for each in record.trace.trajectory() if isinstance(each, PlaceholderMessage)]
        assert set(words) <= {Wording.TERSE}
    assert words == []


def test_a_batch_is_numbered_across_backlog_and_interrupt() -> None:
    two = (event("U2", 5_000, IntentKind.LIGHT), event("U3", 5_000, IntentKind.LIGHT))
    record = run(small(*two), wrapped("cancel", Mitigations(numbered=True)))
    batch = [each for each in events_of(record) if each.mark is Mark.NUMBERED and each.batch_size == 2]
    assert [(each.events[0].id, each.position) for each in batch] == [("U2", 1), ("U3", 2)]


def test_a_reminder_stands_at_the_end_of_what_comes_between() -> None:
    two = (event("U2", 5_000, IntentKind.LIGHT), event("U3", 5_000, IntentKind.LIGHT))
    for name in ("cancel", "queue"):
        record = run(small(*two), wrapped(name, Mitigations(reminder=True)))
        reminding = [each.events[0].id for each in events_of(record) if each.reminds]
        assert reminding[-1] == "U3"
        assert "U2" not in reminding


def test_a_tool_that_cannot_be_taken_back_finishes_before_anything_is_appended() -> None:
    final = replace(POST, spec=replace(POST.spec, irreversible=True), cancel_points=CancelPoints.ANYWHERE)
    spec = small(tools=(READ, final, SEND), steps=(Step(id="a", tool="post"),))
    assert line(run(spec, "cancel")).startswith("U1 A[c1] P(c1 cancelled before it took effect) U2")
    assert line(run(spec, wrapped("cancel", Mitigations(shield_irreversible=True)))) == "U1 A[c1] R(c1) U2 A"
    reversible = small(steps=(Step(id="a", tool="post"),))
    assert "cancelled" in line(run(reversible, wrapped("cancel", Mitigations(shield_irreversible=True))))


@pytest.mark.parametrize("name", ["queue", "cancel", "cancel-background", "parallel", "routed"])
def test_a_mitigated_strategy_breaks_no_invariant(name: str) -> None:
    rng = Random(31)
    for number in range(40):
        spec = replace(random_world(rng), hazards=calibrated("high"))
        record = simulate(spec, wrapped(name, ALL), ROUTERS.get("oracle"), seed=4, replication=number)
        assert [each for each in check(record) if each.blame is not Blame.MODEL] == []


CONSTANT = Hazards(
    fabricate=0.3, act=0.5, recover=0.5, neglect=0.3, forget=0.3, repeat=0.3, derail=0.3, misread=0.3, false_success=0.3
)
SWITCHES = {
    "wording": Mitigations(wording=Wording.TERSE),
    "numbered": Mitigations(numbered=True),
    "reminder": Mitigations(reminder=True),
    "shield": Mitigations(shield_irreversible=True),
}


@pytest.mark.parametrize("switch", SWITCHES)
def test_a_mitigation_changes_no_hazard_and_no_luck_of_an_opportunity_that_both_meet(switch: str) -> None:
    rng = Random(32)
    shared = 0
    for number in range(60):
        spec = replace(random_world(rng), hazards=CONSTANT)
        for name in ("cancel", "cancel-background"):
            plain = opportunities(simulate(spec, STRATEGIES.get(name), ROUTERS.get("oracle"), replication=number))
            other = opportunities(
                simulate(spec, wrapped(name, SWITCHES[switch]), ROUTERS.get("oracle"), replication=number)
            )
            both = plain.keys() & other.keys()
            assert all(plain[each] == other[each] for each in both)
            shared += len(both)
    assert shared > 500


def opportunities(record: RunRecord) -> dict[tuple[FaultKind, tuple[str, ...]], tuple[float, bool]]:
    return {(each.kind, each.subject): (each.hazard, each.sampled) for each in record.exposures}


@pytest.mark.parametrize(
    ("switch", "moves"),
    [("wording", {FaultKind.FABRICATE}), ("numbered", {FaultKind.NEGLECT}), ("reminder", set()), ("shield", set())],
)
def test_while_no_fault_occurs_a_mitigation_moves_only_the_hazard_that_it_is_meant_for(
    switch: str, moves: set[FaultKind]
) -> None:
    """Calibrated hazards, and a luck in which nothing happens, so that both runs meet the same situations."""
    calm = replace(
        calibrated("base"), forget=0.0, derail=0.0, misread=0.0, recover=0.0, false_success=0.0, confuse=0.0, repeat=0.0
    )
    remarks = tuple(event(f"U{n}", 3_000 + 700 * n, IntentKind.LIGHT) for n in range(2, 6))
    moved: set[FaultKind] = set()
    for number in range(200):
        spec = small(*remarks, hazards=calm)
        plain = simulate(spec, STRATEGIES.get("cancel-background"), ROUTERS.get("by_type"), replication=number)
        other = simulate(
            spec, wrapped("cancel-background", SWITCHES[switch]), ROUTERS.get("by_type"), replication=number
        )
        if any(each.sampled for record in (plain, other) for each in record.exposures):
            continue
        one, two = opportunities(plain), opportunities(other)
        moved |= {each[0] for each in one.keys() & two.keys() if one[each] != two[each]}
    assert moved == moves


def test_marks_and_words_have_their_price_in_tokens() -> None:
    two = (event("U2", 5_000, IntentKind.LIGHT), event("U3", 5_000, IntentKind.LIGHT))
    spec = small(*two)
    spec = replace(spec, model=replace(spec.model, event_tokens=100))
    tokens = {
        name: sum(call.input_tokens for call in run(spec, wrapped("cancel", mitigations)).model_calls)
        for name, mitigations in {"plain": Mitigations(), "terse": SWITCHES["wording"], **SWITCHES}.items()
    }
    assert tokens["terse"] < tokens["plain"] < tokens["reminder"] < tokens["numbered"]


def test_certain_forgetting_is_undone_by_a_reminder_in_every_small_world() -> None:
    spec = small(hazards=certain(forget=1, derail=1))
    for name in ("queue", "cancel", "cancel-background"):
        assert run(spec, wrapped(name, Mitigations(reminder=True))).tasks["U1"].finished_ms is not None
