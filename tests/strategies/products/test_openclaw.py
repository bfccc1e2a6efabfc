"""OpenClaw: collect, interrupt, and skipping at the launch of a batch."""

from simlab.core.commands import Drop
from simlab.invariants import check
from simlab.strategies.products.openclaw_collect import CAP, QUIET_MS
from tests.strategies.products.kit import answered_ms, event, line, request, run, world


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
