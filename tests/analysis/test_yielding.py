"""Yield events, by the definitions of tau-voice, on traces written by hand."""

from simlab.analysis.yielding import (
    BACKCHANNEL_WINDOW_MS,
    NO_YIELD_WINDOW_MS,
    TICK_MS,
    interruptions,
    interruptions_of,
    yield_latency_ms,
    yield_rate,
)
from simlab.core.events import EventType
from tests.strategies.products.kit import event, request, run, world


def _speech(text: str) -> list[bool]:
    """Return one tick for each character; a dot is silence."""
    return [each != "." for each in text]


def test_the_constants_are_those_of_the_source() -> None:
    assert (TICK_MS, NO_YIELD_WINDOW_MS, BACKCHANNEL_WINDOW_MS) == (200, 2000, 1000)


def test_the_latency_runs_from_the_tick_of_the_user_to_the_first_silent_tick_of_the_agent() -> None:
    user_ = _speech("....uuu.......")
    agent = _speech("aaaaaaa.......")  # speaks on for three ticks
    (found,) = interruptions(user_, agent)
    assert (found.tick, found.latency_ms) == (4, 600)


def test_an_agent_that_speaks_through_the_window_does_not_yield_and_its_end_is_outside() -> None:
    user_ = _speech("u..............")
    just_inside = _speech("aaaaaaaaa......")  # silent in the tenth tick, which begins at 1,800 ms
    just_outside = _speech("aaaaaaaaaa.....")  # silent at 2,000 ms
    assert interruptions(user_, just_inside)[0].latency_ms == 1800
    assert interruptions(user_, just_outside)[0].latency_ms is None


def test_a_recording_that_ends_before_a_silent_tick_holds_no_yield() -> None:
    assert [each.yielded for each in interruptions(_speech("..u"), _speech("aaa"))] == [False]


def test_speech_to_a_silent_agent_is_no_interruption() -> None:
    assert interruptions(_speech(".uu.."), _speech("a..aa")) == []


def test_each_user_segment_is_one_interruption_and_rate_and_mean_are_over_them() -> None:
    user_ = _speech(".uu....u...........u.")
    agent = _speech("aaa..aaaaaaaaaaaaaaaa")
    found = interruptions(user_, agent)
    assert [each.latency_ms for each in found] == [400, None, None]
    assert yield_rate(found) == 1 / 3
    assert yield_latency_ms(found) == 400
    assert (yield_rate([]), yield_latency_ms([])) == (None, None)


def test_yielding_to_a_backchannel_is_judged_in_its_own_window() -> None:
    user_ = _speech("u...........")
    agent = _speech("aaaaaa......")  # stops after 1,200 ms
    assert interruptions(user_, agent, window_ms=BACKCHANNEL_WINDOW_MS)[0].yielded is False
    assert interruptions(user_, agent)[0].yielded is True


def test_barge_in_yields_after_its_half_second_and_a_queue_speaks_on() -> None:
    spec = world([request(), event("U2", 10_600, event_type=EventType.USER_INPUT)], call_ms=6000)
    barge_in = interruptions_of(
        run("livekit-barge-in", world([event("U1", 0), event("U2", 600)], call_ms=6000)), ["U2"]
    )
    queue = interruptions_of(run("queue", world([event("U1", 0), event("U2", 600)], call_ms=6000)), ["U2"])
    assert [each.latency_ms for each in barge_in] == [600]  # stops at 1,100 ms: silent in the tick that begins at 1,200
    assert [each.latency_ms for each in queue] == [None]
    assert interruptions_of(run("queue", spec), ["U2"]) == []  # the tool runs: nobody speaks
