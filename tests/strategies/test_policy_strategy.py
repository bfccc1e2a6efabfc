"""The interpreter of the policy space, where no product stands."""

from simlab.core.commands import Drop, Refuse
from simlab.core.decisions import Departure, Pending, SafePoint
from simlab.core.record import RunRecord
from simlab.invariants import check
from simlab.routers import ROUTERS
from simlab.sim.driver import simulate
from simlab.sim.spec import WorldSpec
from simlab.strategies.policy_strategy import PolicyStrategy, traits_of
from simlab.strategies.space import AtEnd, FillWhen, History, How, OnModel, OnTool, OnUnstarted, Order, Policy, Trigger
from tests.strategies.products.kit import event, line, plan_of, request, run, tool, world


def _run(policy: Policy, spec: WorldSpec) -> RunRecord:
    record = simulate(spec, PolicyStrategy(policy), ROUTERS.get("by_type"))
    assert check(record) == []
    return record


def test_the_default_point_is_the_source_s_queue() -> None:
    spec = world([request(), event("U2", 4000), event("U3", 5000)])
    assert line(_run(Policy(), spec)) == line(run("queue", spec)) == "U1 A[c1] R(c1) U2 U3 A"


def test_newest_only_drops_the_older_ones_and_says_so() -> None:
    record = _run(Policy(drain_how=How.NEWEST), world([request(), event("U2", 4000), event("U3", 5000)]))
    assert line(record) == "U1 A[c1] R(c1) U3 A"
    assert [item.event_ids for _, item in record.trace.records if isinstance(item, Drop)] == [("U2",)]


def test_a_point_that_shields_waits_for_the_tool_before_it_appends() -> None:
    policy = Policy(stops_on=Trigger.ANY, on_model=OnModel.DISCARD, on_tool=OnTool.SHIELD)
    assert line(_run(policy, world([request(), event("U2", 5000)]))) == "U1 A[c1] R(c1) U2 A"


def test_skipping_the_unstarted_and_cancelling_the_running_are_two_switches() -> None:
    tools = [tool("a", 4000), tool("b", 4000, prepare_ms=5000)]  # at 3,000 a runs and b is being prepared
    policy = Policy(
        stops_on=Trigger.ANY, on_model=OnModel.DISCARD, on_tool=OnTool.BACKGROUND, on_unstarted=OnUnstarted.SKIP
    )
    record = _run(policy, world([request(), event("U2", 3000)], tools, plan_of("a", "b")))
    assert line(record).startswith("U1 A[c1,c2] P(c1 still running) P(c2 not started) U2 A[c3]")


def test_a_cap_of_nobody_refuses_whoever_comes_while_busy() -> None:
    record = _run(Policy(cap=0), world([request(), event("U2", 5000), event("U3", 20_000)]))
    assert [item.event_id for _, item in record.trace.records if isinstance(item, Refuse)] == ["U2"]
    assert line(record) == "U1 A[c1] R(c1) A U3 A"


def test_a_cap_is_on_those_who_wait_for_a_busy_agent_not_on_those_who_wake_an_idle_one_together() -> None:
    events = [request(), event("U2", 0), event("U3", 4000), event("U4", 5000)]
    record = _run(Policy(cap=1), world(events))
    assert [item.event_id for _, item in record.trace.records if isinstance(item, Refuse)] == ["U4"]
    assert line(record) == "U1 U2 A[c1] R(c1) U3 A"


def test_departures_follow_from_the_switches() -> None:
    assert traits_of(Policy()).departures == frozenset()
    for policy, departure in (
        (Policy(history=History.TURN_START), Departure.REWINDS),
        (Policy(on_model=OnModel.KEEP), Departure.KEEPS_PARTIAL),
        (Policy(fill_when=FillWhen.NEXT_CALL), Departure.EDITS),
        (Policy(pending=Pending.CLEAR), Departure.CLEARS_BACKLOG),
        (Policy(order=Order.LIFO), Departure.REORDERS),
        (Policy(starts_with=How.NEWEST), Departure.DROPS_EVENTS),
    ):
        assert traits_of(policy).departures == {departure}


def test_a_point_is_asked_only_where_it_drains() -> None:
    assert traits_of(Policy(drain_at=frozenset(), at_end=AtEnd.NEW_TURN)).points == {SafePoint.IDLE}
    assert SafePoint.STREAM_ITEM in traits_of(Policy(on_model=OnModel.AT_ITEM)).points
