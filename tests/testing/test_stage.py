"""The stage lets only legal things happen, and lets windows run out in their time."""

import pytest

from simlab.core.inputs import Settled, TimerFired
from simlab.core.messages import notation
from simlab.invariants import Blame
from simlab.strategies.cancel import Cancel
from simlab.strategies.products.openclaw_collect import OpenclawCollect
from simlab.strategies.queue import QueueAll
from simlab.testing.schedule import parse_move, parse_schedule
from simlab.testing.stage import BROKEN, ENDLESS, Stage
from tests.planted.cores import NeverWakesFromWaiting
from tests.planted.strategies import NeverLetsGo, Raises

BEGIN = "U1 arrives user.input from user\nU1 is-routed queue\ninstant settles\n"


def begun(more: str = "") -> Stage:
    stage = Stage(QueueAll())
    for move in parse_schedule(BEGIN + more):
        assert stage.play(move), move
    return stage


@pytest.mark.parametrize(
    "line",
    [
        "U1 arrives user.input from user",  # it did
        "U2 arrives nonsense from user",
        "U2 arrives user.input",
        "U2 is-routed queue",
        "model stops",
        "model streams",
        "model says saw",
        "c1 ends",
        "c1 is-prepared",
        "c1 acknowledges before",
        "side:U1 is-answered answered",
        "hold:U1 fires",
        "instant settles",
        "model sings loudly",
    ],
)
def test_what_is_not_legal_does_not_happen(line: str) -> None:
    stage = begun()
    count = len(stage.trace.records)
    assert not stage.play(parse_move(line))
    assert len(stage.trace.records) == count


def test_an_event_that_was_refused_may_arrive_again() -> None:
    from simlab.strategies.products.langgraph_reject import LanggraphReject

    stage = Stage(LanggraphReject())
    text = BEGIN + "U2 arrives user.input from user\nU2 is-routed queue\nU2 arrives user.input from user"
    for move in parse_schedule(text):
        assert stage.play(move)
    assert stage.rest() == []


def test_windows_run_out_at_their_time_and_last_in_their_instant() -> None:
    stage = Stage(OpenclawCollect())
    text = BEGIN + "U2 arrives user.input from user\nU2 is-routed queue\n+100 model says\n"
    text += "+700 U3 arrives user.input from user"
    for move in parse_schedule(text):
        assert stage.play(move)
    fired = [at_ms for at_ms, item in stage.trace.records if isinstance(item, TimerFired)]
    assert fired == [500]
    assert notation(stage.agent.state.trajectory) == "U1 A U2"
    settled = [at_ms for at_ms, item in stage.trace.records if isinstance(item, Settled)]
    assert settled == sorted(settled)


def test_nothing_happens_once_something_is_broken() -> None:
    stage = Stage(Raises())
    for move in parse_schedule(BEGIN):
        stage.play(move)
    assert [found.blame for found in stage.found] == [Blame.STRATEGY]
    assert not stage.play(parse_move("U2 arrives user.input from user"))


def test_a_strategy_that_does_not_let_an_instant_end_is_told_from_one_that_does_not_come_to_rest() -> None:
    stage = Stage(NeverLetsGo())
    for move in parse_schedule("U1 arrives user.input from user\nU1 is-routed queue"):
        stage.play(move)
    (found,) = [each for each in stage.rest() if each.name == ENDLESS]
    assert found.what == "the instant 1 ms does not end" or found.what == "the instant 0 ms does not end"


def test_a_core_that_is_not_at_rest_although_nothing_is_under_way_is_the_core_s_fault() -> None:
    stage = Stage(QueueAll(), make_agent=NeverWakesFromWaiting)
    for move in parse_schedule(BEGIN + "model says look\ninstant settles\nc1 ends"):
        stage.play(move)
    assert [(each.name, each.blame) for each in stage.rest()] == [(ENDLESS, Blame.CORE)]


def test_a_core_that_raises_is_the_core_s_fault() -> None:
    stage = begun()
    stage.agent.state.generation = 99
    stage.play(parse_move("model says"))
    assert [(each.name, each.blame) for each in stage.found] == [(BROKEN, Blame.CORE)]


def test_a_run_of_a_correct_strategy_comes_to_rest() -> None:
    stage = Stage(Cancel())
    text = BEGIN + "model says look act\n+1 U2 arrives user.interrupt from user\nU2 is-routed cancel"
    for move in parse_schedule(text):
        stage.play(move)
    assert stage.rest() == []
    assert stage.trace.complete
