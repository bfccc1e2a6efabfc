"""What the five policies do with a message in the middle of a turn."""

import asyncio
from collections.abc import Callable

import pytest

from simlab.testing.contract import Desk, Ev, Policy, Refused
from simlab.testing.errors import StormError
from simlab.testing.loop import run


class Recorder:
    """A runtime whose turn takes ten seconds, and which accepts what it is told to accept."""

    def __init__(self, *accepts: str, one_at_a_time: bool = False) -> None:
        self.accepts = accepts
        self.one_at_a_time = one_at_a_time
        self.log: list[str] = []
        self.stop = asyncio.Event()
        self.busy = False

    async def turn(self, text: str) -> None:
        if self.one_at_a_time and self.busy:
            raise Refused
        now = asyncio.get_running_loop().time
        self.busy = True
        self.log.append(f"{now():g} begin {text}")
        self.stop.clear()
        try:
            async with asyncio.timeout(10):
                await self.stop.wait()
        except TimeoutError:
            pass
        finally:
            self.busy = False
            self.log.append(f"{now():g} end {text}")

    def deliver(self, event: Ev) -> bool:
        if event.kind not in self.accepts:
            return False
        self.log.append(f"{asyncio.get_running_loop().time():g} {event.kind}")
        if event.kind == "stop":
            self.stop.set()
        return True


def play(
    policy: Policy, make: Callable[[], Recorder], at_s: float = 4, kind: str = "message"
) -> tuple[list[str], Desk]:
    async def main() -> tuple[list[str], Desk]:
        runtime = make()
        ticks = iter(range(1000))
        desk = Desk(runtime, policy, lambda: next(ticks))
        desk.start("one")
        await asyncio.sleep(at_s)
        desk.arrive("stop" if kind == "stop" else "message", "two")
        await asyncio.sleep(50)
        return runtime.log, desk

    return run(main())


def test_interrupt_stops_the_turn_and_takes_the_message_at_once() -> None:
    log, desk = play("interrupt", lambda: Recorder("stop"))
    assert log == ["0 begin one", "4 stop", "4 end one", "4 begin two", "14 end two"]
    assert [turn.stopped is not None for turn in desk.turns] == [True, False]


def test_interrupt_cancels_the_task_of_a_runtime_that_takes_no_stop() -> None:
    log, desk = play("interrupt", Recorder)
    assert log == ["0 begin one", "4 end one", "4 begin two", "14 end two"]
    assert [delivery.accepted for delivery in desk.deliveries] == [False]


def test_stop_after_step_waits_for_the_turn_to_end() -> None:
    log, _ = play("stop-after-step", lambda: Recorder("stop_after_step"))
    assert log == ["0 begin one", "4 stop_after_step", "10 end one", "10 begin two", "20 end two"]


def test_steer_hands_the_message_to_the_running_turn() -> None:
    log, _ = play("steer", lambda: Recorder("message"))
    assert log == ["0 begin one", "4 message", "10 end one"]


def test_a_steer_that_is_refused_becomes_the_next_turn() -> None:
    log, desk = play("steer", Recorder)
    assert log == ["0 begin one", "10 end one", "10 begin two", "20 end two"]
    assert [delivery.accepted for delivery in desk.deliveries] == [False]


def test_queue_says_nothing_to_the_running_turn() -> None:
    log, desk = play("queue", lambda: Recorder("stop", "message"))
    assert log == ["0 begin one", "10 end one", "10 begin two", "20 end two"]
    assert desk.deliveries == []


def test_parallel_starts_a_second_turn_beside_the_first() -> None:
    log, _ = play("parallel", Recorder)
    assert log[:2] == ["0 begin one", "4 begin two"]


def test_a_second_turn_that_is_refused_is_taken_when_the_first_has_ended() -> None:
    log, desk = play("parallel", lambda: Recorder(one_at_a_time=True))
    assert log == ["0 begin one", "10 end one", "10 begin two", "20 end two"]
    assert [turn.refused for turn in desk.turns] == [False, True, False]


@pytest.mark.parametrize("policy", ["interrupt", "queue", "parallel"])
def test_a_message_to_an_idle_agent_is_simply_a_turn(policy: Policy) -> None:
    log, desk = play(policy, Recorder, at_s=20)
    assert log == ["0 begin one", "10 end one", "20 begin two", "30 end two"]
    assert desk.deliveries == []


def test_a_stop_alone_ends_the_turn_and_starts_none() -> None:
    log, _ = play("queue", lambda: Recorder("stop"), kind="stop")
    assert log == ["0 begin one", "4 stop", "4 end one"]
    assert play("queue", lambda: Recorder("stop"), at_s=20, kind="stop")[0] == ["0 begin one", "10 end one"]


def test_a_turn_whose_task_has_not_started_is_not_cancelled_because_its_message_would_be_lost() -> None:
    async def main() -> list[str]:
        runtime = Recorder()
        ticks = iter(range(1000))
        desk = Desk(runtime, "interrupt", lambda: next(ticks))
        desk.start("one")
        desk.arrive("message", "two")
        await asyncio.sleep(50)
        return runtime.log

    assert run(main()) == ["0 begin one", "10 end one", "10 begin two", "20 end two"]


def test_a_turn_that_raises_is_noted_with_its_error() -> None:
    class Breaks(Recorder):
        async def turn(self, text: str) -> None:
            raise LookupError(text)

    _, desk = play("queue", Breaks)
    assert [turn.error for turn in desk.turns] == ["LookupError: one", "LookupError: two"]


def test_a_delivery_that_raises_is_noted_and_not_accepted() -> None:
    class Breaks(Recorder):
        def deliver(self, event: Ev) -> bool:
            raise LookupError(event.kind)

    log, desk = play("steer", Breaks)
    assert [(delivery.accepted, delivery.error) for delivery in desk.deliveries] == [(False, "LookupError: message")]
    assert log[-1] == "20 end two"


def test_a_policy_that_does_not_exist_is_named() -> None:
    with pytest.raises(StormError, match="no policy 'shout'; known: interrupt, stop-after-step"):
        play("shout", Recorder)  # type: ignore[arg-type]
