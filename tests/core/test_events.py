"""What is urgent by declaration."""

import pytest

from simlab.core.events import Event, EventType


def urgent(kind: EventType, *, marked: bool) -> bool:
    return Event(id="e", type=kind, source="s", content="", marked_urgent=marked).urgent


@pytest.mark.parametrize("kind", EventType)
def test_three_types_are_urgent_and_an_external_trigger_is_if_it_is_marked(kind: EventType) -> None:
    by_type = kind in ("user.interrupt", "supervisor.instruction", "agent.interrupt")
    assert urgent(kind, marked=False) is by_type
    assert urgent(kind, marked=True) is (by_type or kind == "external.trigger")
