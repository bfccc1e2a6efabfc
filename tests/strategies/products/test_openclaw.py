"""OpenClaw: collect, interrupt, and skipping at the launch of a batch."""

from simlab.core.commands import Drop
from simlab.invariants import check
from simlab.sim.spec import ToolModel
from simlab.strategies.products.openclaw_collect import CAP, QUIET_MS
from tests.strategies.products.kit import answered_ms, event, line, request, run, tool, world


def test_collect_waits_for_the_end_of_the_run_and_joins_what_came() -> None:
    record = run("openclaw-collect", world([request(), event("U2", 5000), event("U3", 6000)]))
    assert line(record) == "U1 A[c1] R(c1) A U2+U3 A"
    assert answered_ms(record, "U2") == 14_000


def test_collect_waits_for_half_a_second_of_quiet() -> None:
    events = [event("U2", 11_700), event("U3", 12_100), event("U4", 12_550)]
    record = run("openclaw-collect", world([request(), *events]))  # the run ends at 12,000
    assert line(record) == "U1 A[c1] R(c1) A U2+U3+U4 A"
    assert record.events["U2"].consumed_ms == 13_050
    assert QUIET_MS == 500


def test_collect_summarises_the_oldest_beyond_twenty() -> None:
    events = [event(f"E{number}", 3000 + number) for number in range(CAP + 2)]
    record = run("openclaw-collect", world([request(), *events]))
    assert CAP == 20
    dropped = [item.event_ids for _, item in record.trace.records if isinstance(item, Drop)]
    assert dropped == [("E0",), ("E1",)]
    assert line(record).endswith("+".join(f"E{number}" for number in range(2, CAP + 2)) + " A")
    assert check(record) == []


def test_collect_does_not_hold_back_a_message_to_an_idle_agent() -> None:
    assert run("openclaw-collect", world([request()])).ended_ms == 12_000


def test_interrupt_keeps_only_the_newest_message() -> None:
    slow = ToolModel(spec=tool("t", 8000).spec, run_ms=tool("t", 8000).run_ms, ack_ms=1000)
    record = run("openclaw-interrupt", world([request(), event("U2", 5000), event("U3", 5500)], [slow]))
    assert line(record) == "U1 A[c1] P(c1 cancelled before it took effect) U3 A[c2] R(c2) A"
    dropped = [(at_ms, item.event_ids, item.reason) for at_ms, item in record.trace.records if isinstance(item, Drop)]
    assert dropped == [(6000, ("U2",), "superseded")]


def test_what_came_during_the_model_call_skips_the_batch_before_its_launch() -> None:
    record = run("openclaw-steer-skip-unstarted", world([request(), event("U2", 1000)]))
    assert line(record) == "U1 A[c1] P(c1 not started) U2 A[c2] R(c2) A"
    assert len(record.tool_runs) == 1
    assert check(record) == []


def test_a_launched_batch_runs_to_its_end() -> None:
    assert line(run("openclaw-steer-skip-unstarted", world([request(), event("U2", 3000)]))) == "U1 A[c1] R(c1) U2 A"
