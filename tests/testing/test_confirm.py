"""The same schedule in plain asyncio on the real clock."""

import asyncio

import pytest

from simlab.testing.confirm import Anchor, anchor_of, confirmed, run_on_the_real_clock
from simlab.testing.loop import VirtualLoop
from simlab.testing.placement import Arrival, Place, Schedule
from simlab.testing.session import Run, run_schedule
from tests.testing import faults
from tests.testing.careful_loop import CarefulLoop

WAKES_S = [0.5, 1.0, 1.0, 3.0]


@pytest.mark.parametrize(
    ("place", "anchor"),
    [
        (Place(1.0, 3), Anchor(1, 3, 0.0)),
        (Place(0.0, 2), Anchor(-1, 2, 0.0)),
        (Place(0.25, 0), Anchor(-1, 0, 0.25)),
        (Place(2.0, 0), Anchor(2, 0, 1.0)),
    ],
)
def test_a_place_is_tied_to_the_wake_up_at_its_instant_or_the_last_before_it(place: Place, anchor: Anchor) -> None:
    assert anchor_of(Arrival("message", place), WAKES_S) == anchor


def what_was_sent(run: Run) -> list[list[str]]:
    return [[str(message["content"]) for message in request.messages] for request in run.record.world.requests]


@pytest.mark.parametrize("place", ["0.0+2", "1.0+0", "1.0+1", "1.0+2", "1.0+3", "1.0+4", "2.25+0", "7.5+2", "7.5+3"])
def test_both_clocks_send_the_model_the_same_messages(place: str) -> None:
    schedule = Schedule.parse(f"interrupt/message@{place}/1000x2-2000.3000-1500")
    assert what_was_sent(run_on_the_real_clock(CarefulLoop, schedule)) == what_was_sent(
        run_schedule(CarefulLoop, schedule)
    )


def test_the_real_clock_runs_on_asyncios_own_loop() -> None:
    seen: list[type] = []

    class Looks(CarefulLoop):
        async def turn(self, text: str) -> None:
            seen.append(type(asyncio.get_running_loop()))
            await super().turn(text)

    run_on_the_real_clock(Looks, Schedule(policy="queue"))
    assert seen == [VirtualLoop, VirtualLoop, asyncio.SelectorEventLoop, asyncio.SelectorEventLoop]


def test_a_fault_that_is_not_there_is_not_confirmed() -> None:
    schedule = Schedule.parse("interrupt/message@1.0+3/1000x2-2000.3000-1500")
    assert confirmed(faults.DanglingCall, schedule, "dangling_tool_call")
    assert not confirmed(CarefulLoop, schedule, "dangling_tool_call", attempts=1)
