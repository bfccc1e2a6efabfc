"""What a strategy sees of what is still open: verdicts, and those for whom an operation is being stopped."""

from typing import Any

from simlab.core.decisions import Interrupt, Queue
from simlab.core.events import Event
from simlab.core.view import View
from tests.core.scripted import BEGIN, TOOL, URGENT, play


def test_events_are_seen_while_their_verdict_is_awaited() -> None:
    view = play(
        BEGIN + "U2 arrives user.input from user\nU3 arrives user.input from user\nU2 is-routed queue"
    ).agent.view
    assert [event.id for event in view.routing] == ["U3"]


def test_those_for_whom_an_operation_is_being_stopped_are_seen_until_it_has_stopped() -> None:
    def decide(_view: View, event: Event) -> Any:
        return {"U1": Queue(), "U2": Interrupt(queue=True), "U3": Interrupt(), "U4": Interrupt()}[event.id]

    text = BEGIN + TOOL + URGENT
    text += "".join(f"{name} arrives user.interrupt from user\n{name} is-routed cancel\n" for name in ("U3", "U4"))
    view = play(text, decide=decide).agent.view
    assert [event.id for event in view.interrupting] == ["U3", "U4", "U2"]  # U2 is read after what is appended
    assert view.is_stopping
    over = play(text + "c1 acknowledges before\ninstant settles", decide=decide).agent.view
    assert over.interrupting == ()
    assert not over.is_stopping
