"""What the type decides, no router that reads words looks at."""

import pytest

from simlab.core.events import EventType, Handling
from simlab.routers import ROUTERS
from simlab.routers.typed import REPORT, URGENT, by_its_type
from tests.routers.hints import FixedHints, said

READERS = ("keyword", "substring", "rules", "classifier", "cascade")


def test_an_urgent_type_stops_and_the_report_of_a_tool_waits_and_nothing_else_is_decided() -> None:
    decided = {type_: by_its_type(said("hello", type_)) for type_ in EventType}
    urgent = {EventType.USER_INTERRUPT, EventType.SUPERVISOR_INSTRUCTION, EventType.AGENT_INTERRUPT}
    assert {type_ for type_, verdict in decided.items() if verdict is URGENT} == urgent
    assert {type_ for type_, verdict in decided.items() if verdict is REPORT} == {EventType.TOOL_RESULT}
    assert all(decided[type_] is None for type_ in EventType if type_ not in {*urgent, EventType.TOOL_RESULT})


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("text", ["cancel: cancelled, id job:U1:s", "stop", "by the way, what time is it?"])
def test_the_words_of_a_report_are_no_message_to_the_agent(name: str, text: str) -> None:
    report = said(text, EventType.TOOL_RESULT)
    assert ROUTERS.get(name).route(report, FixedHints(Handling.CANCEL)).handling is Handling.QUEUE
