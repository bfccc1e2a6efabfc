"""A strategy that raises or returns nonsense is named, with the hook and what would have been right."""

from collections.abc import Callable
from typing import Any

import pytest

from simlab.core.agent import Agent
from simlab.core.decisions import Cancel, Discard, DropReason, Moment, Queue, Refuse, SafePoint, Side, Take
from simlab.core.plugins import StrategyError, Traits
from simlab.strategies.cancel import Cancel as CancelAll
from simlab.strategies.cancel import CancelBackground
from simlab.testing.schedule import parse_schedule
from simlab.testing.stage import RAISED, Stage

TEXT = """
U1 arrives user.input from user
U1 is-routed queue
instant settles
model says look
instant settles
+1 U2 arrives user.interrupt from user
U2 is-routed cancel
instant settles
"""


def blamed(on_event: Any = None, at_point: Any = None, on_calls: Any = None) -> str:
    """Run a strategy of which hooks were replaced; return what it is blamed for."""

    class Sound(CancelAll):
        name = "wrong"

        def on_event(self, view: Any, event: Any, verdict: Any) -> Any:
            return Queue() if view.is_idle else super().on_event(view, event, verdict)

    hooks: dict[str, Any] = {}
    if on_event is not None:
        hooks["on_event"] = lambda _self, view, event, _verdict: on_event(view, event)
    if at_point is not None:
        hooks["at_safe_point"] = lambda _self, view, point: at_point(view, point)
    if on_calls is not None:
        hooks["on_open_calls"] = lambda _self, _view, calls, moment: on_calls(calls, moment)
    made = Stage(type("Wrong", (Sound,), hooks)())
    for move in parse_schedule(TEXT):
        made.play(move)
    assert [(each.name, each.blame) for each in made.found] == [(RAISED, "strategy")]
    return made.found[0].what


def test_a_strategy_whose_traits_are_none_is_named() -> None:
    class Bare(CancelAll):
        name = "bare"
        traits: Any = None

    with pytest.raises(StrategyError, match=r"^strategy 'bare': traits: None are no Traits$"):
        Agent(Bare(), [])


def raises(*_given: object) -> Any:
    raise LookupError("no idea")


def twice(view: Any, _point: SafePoint) -> Take:
    return Take(append=view.backlog_ids * 2)


DROP = DropReason.OVERFLOW

WRONG: dict[str, tuple[dict[str, Callable[..., Any]], str]] = {
    "on_event raises": ({"on_event": raises}, "on_event: raised LookupError('no idea') for event 'U1'"),
    "on_event says nothing": ({"on_event": lambda *_: None}, "on_event: returned None; a decision or a sequence of"),
    "on_event says a word": ({"on_event": lambda *_: ("later",)}, "on_event: returned ('later',); a decision or"),
    "no placement": ({"on_event": lambda *_: ()}, "on_event: placed event 'U1' 0 times; exactly once is expected"),
    "two placements": (
        {"on_event": lambda *_: [Queue(), Refuse()]},
        "on_event: placed event 'U1' 2 times; exactly once is expected",
    ),
    "dropped and queued": (
        {"on_event": lambda _view, event: (Queue(), Discard(event_ids=(event.id,), reason=DROP))},
        "on_event: placed event 'U1' 2 times; exactly once is expected",
    ),
    "drops a stranger": (
        {"on_event": lambda *_: (Queue(), Discard(event_ids=("U9",), reason=DROP))},
        "on_event: drops ('U9',), of which not all are in the backlog",
    ),
    "at_safe_point raises": ({"at_point": raises}, "at_safe_point: raised LookupError('no idea') at idle"),
    "at_safe_point says nothing": (
        {"at_point": lambda *_: None},
        "at_safe_point: returned None at idle; a Take is expected",
    ),
    "takes an event twice": ({"at_point": twice}, "at_safe_point: names an event twice at idle: ('U1', 'U1')"),
    "takes a stranger": (
        {"at_point": lambda *_: Take(append=("U9",))},
        "at_safe_point: names events that are not in the backlog at idle: ('U9',)",
    ),
    "drops what it does not have": (
        {"at_point": lambda *_: Take(drop=("U9",))},
        "at_safe_point: names events that are not in the backlog at idle: ('U9',)",
    ),
    "on_open_calls raises": ({"on_calls": raises}, "on_open_calls: raised LookupError('no idea') at append"),
    "on_open_calls says nothing": (
        {"on_calls": lambda *_: None},
        "on_open_calls: returned None; a mapping from the given call ids is expected",
    ),
    "closes a stranger": (
        {"on_calls": lambda *_: {"c9": Cancel()}},
        "a mapping from the given call ids is expected",
    ),
    "closes nothing": (
        {"on_calls": lambda *_: {}},
        "on_open_calls: closes neither of ['c1']; LeaveOpen() would say",
    ),
    "closes with a word": (
        {"on_calls": lambda *_: {"c1": "stop"}},
        "on_open_calls: returned 'stop' for a call; a closing is expected",
    ),
}


@pytest.mark.parametrize("case", WRONG, ids=lambda each: each.replace(" ", "_"))
def test_a_wrong_answer_is_the_strategy_s_fault_in_one_line(case: str) -> None:
    hooks, message = WRONG[case]
    told = blamed(**hooks)
    assert told.startswith("strategy 'wrong': ")
    assert message in told
    assert "\n" not in told


def test_a_late_result_cannot_be_refused_or_answered_aside() -> None:
    class Aside(CancelBackground):
        name = "aside"

        def on_event(self, view: Any, event: Any, verdict: Any) -> Any:
            return Side() if event.id.startswith("late:") else super().on_event(view, event, verdict)

    made = Stage(Aside())
    for move in parse_schedule(TEXT + "c1 ends\nlate:c1 is-routed queue"):
        made.play(move)
    told = "strategy 'aside': on_event: a late result ('late:c1') can only be queued, interrupt or be dropped"
    assert made.found[0].what == told


def test_the_cause_of_a_raise_is_kept() -> None:
    made = Stage(type("Broken", (CancelAll,), {"on_event": raises})())
    made.play(parse_schedule("U1 arrives user.input from user")[0])
    with pytest.raises(StrategyError) as raised:
        made.agent.ask.event(next(iter(made.routing.values())), None)  # type: ignore[arg-type]
    assert isinstance(raised.value.__cause__, LookupError)


def test_nothing_is_asked_at_points_and_moments_that_were_not_declared() -> None:
    deaf = {"traits": Traits(points=frozenset(), moments=frozenset()), "at_safe_point": raises, "on_open_calls": raises}
    made = Stage(type("Deaf", (CancelAll,), deaf)())
    for move in parse_schedule("U1 arrives user.input from user\nU1 is-routed queue\ninstant settles"):
        made.play(move)
    assert made.found == []
    assert made.agent.ask.closings(list(made.agent.state.calls.values()), Moment.APPEND) == {}
