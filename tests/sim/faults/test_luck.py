"""Named luck: once an opportunity."""

from simlab.core.record import Exposure, FaultKind
from simlab.sim.faults.luck import Luck
from simlab.sim.streams import Draws


def luck(found: list[Exposure], at_ms: int = 7) -> Luck:
    return Luck(Draws(1, 2), found, lambda: at_ms)


def test_an_opportunity_is_written_down_once_and_its_first_hazard_decides() -> None:
    found: list[Exposure] = []
    one = luck(found)
    first = one.meet(FaultKind.FORGET, ("U1", "U2"), 1.0, "U1")
    assert first.sampled
    assert one.meet(FaultKind.FORGET, ("U1", "U2"), 0.0, "U1") is first
    assert found == [first]


def test_the_number_is_named_for_the_opportunity_alone() -> None:
    u = Draws(1, 2).uniform("forget", "U1", "U2")
    found: list[Exposure] = []
    luck(found).meet(FaultKind.REPEAT, ("U1", "a", ""), 0.5, "U1")
    assert luck(found).meet(FaultKind.FORGET, ("U1", "U2"), u + 1e-12, "U1").sampled
    assert not luck(found).meet(FaultKind.FORGET, ("U1", "U2"), u - 1e-12, "U1").sampled


def test_only_a_recorded_message_plays_a_fault_out() -> None:
    one = luck([], at_ms=9)
    understood = one.meet(FaultKind.FORGET, ("U1", "U2"), 1.0, "U1")
    in_speech = one.meet(FaultKind.REPEAT, ("U1", "a", ""), 1.0, "U1")
    one.kept([])
    assert (understood.acted_ms, in_speech.acted_ms) == (9, None)
    one.kept([in_speech])
    assert in_speech.acted_ms == 9
