"""Bugs that no core and no strategy on the stage can show: those of a world, and those of the books.

The first is a strategy in a world; the others are runs whose trace or books were altered afterwards.
"""

from collections.abc import Callable
from dataclasses import replace

from simlab.core.commands import Append, Command, Insert, Refuse, Replace, StartTool
from simlab.core.events import Event, EventType
from simlab.core.inputs import ModelFinished, ToolEnded
from simlab.core.messages import (
    AssistantMessage,
    Call,
    EventMessage,
    LateResultMessage,
    ResultMessage,
    ToolResult,
    ToolSpec,
)
from simlab.core.plugins import Strategy
from simlab.core.record import IntentKind, RunRecord
from simlab.experiment.scenario import load_scenario
from simlab.routers import ROUTERS
from simlab.sim.driver import simulate
from simlab.sim.laws import Constant
from simlab.sim.spec import EventSpec, Intent, ModelSpec, Plan, Step, ToolModel, WorldSpec
from simlab.strategies.products.langgraph_rollback import LanggraphRollbackConcat
from simlab.strategies.queue import QueueAll
from tests.planted.strategies import StopsAfterTools


def email(strategy: Strategy) -> RunRecord:
    """Run the first worked case."""
    return simulate(load_scenario("01-email-weather").world, strategy, ROUTERS.get("by_type"))


def stops_after_tools() -> RunRecord:
    """A strategy ends the turn when the tools are done."""
    return email(StopsAfterTools())


def rolls_back_and_repeats() -> RunRecord:
    """A run is rolled back after its effect, and the client sends the request again (langgraphjs#864, livekit#3702)."""
    events = [
        EventSpec(
            id=name,
            at_ms=at_ms,
            type=EventType.USER_INPUT,
            intent=Intent(kind=kind, plan="p" if kind is IntentKind.REQUEST else None),
        )
        for name, at_ms, kind in (("U1", 0, IntentKind.REQUEST), ("U2", 7_000, IntentKind.LIGHT))
    ]
    world = WorldSpec(
        name="order",
        tools=(ToolModel(spec=ToolSpec(name="order"), run_ms=Constant(value=8_000.0), commit_share=0.5),),
        plans={"p": Plan(steps=(Step(id="s", tool="order"),))},
        events=tuple(events),
        model=ModelSpec(call_ms=Constant(value=2_000.0)),
    )
    return simulate(world, LanggraphRollbackConcat(), ROUTERS.get("by_type"))


def turns_the_clock_back() -> RunRecord:
    """One record is a second too early."""
    record = email(QueueAll())
    at_ms, item = record.trace.records[-1]
    record.trace.records[-1] = (at_ms - 1_000, item)
    return record


def pays_for_more() -> RunRecord:
    """The agent is told of more tokens than the world counted."""
    record = email(QueueAll())
    records = record.trace.records
    place = next(place for place, (_, item) in enumerate(records) if isinstance(item, ModelFinished))
    at_ms, item = records[place]
    assert isinstance(item, ModelFinished)
    records[place] = (at_ms, replace(item, output_tokens=item.output_tokens + 1))
    return record


def loses_a_model_call() -> RunRecord:
    """A model call is begun and never ended."""
    record = email(QueueAll())
    records = record.trace.records
    record.trace.records = [each for each in records if not isinstance(each[1], ModelFinished)]
    return record


def runs_a_tool_for_nothing() -> RunRecord:
    """A tool is started and never ends."""
    record = email(QueueAll())
    record.trace.records = [each for each in record.trace.records if not isinstance(each[1], ToolEnded)]
    return record


def runs_a_tool_nobody_started() -> RunRecord:
    """The world ran a tool at a time at which the agent started none."""
    record = email(QueueAll())
    starts = [place for place, (_, item) in enumerate(record.trace.records) if isinstance(item, StartTool)]
    del record.trace.records[starts[0]]
    return record


def _with(item: Command) -> RunRecord:
    """Run the worked case and put one more record at its end."""
    record = email(QueueAll())
    record.trace.records.append((record.trace.records[-1][0], item))
    return record


def issues_an_id_twice() -> RunRecord:
    """A message issues a call under an id that was used before."""
    message = AssistantMessage(id="again", calls=(Call(id="c1", tool="search_contacts"),))
    return _with(Append(index=6, message=message))


def tells_of_a_stranger() -> RunRecord:
    """A late result names a call that nobody made."""
    event = Event(id="late:c9", type=EventType.TOOL_RESULT, source="tool", content="")
    message = LateResultMessage(event=event, call_id="c9", result=ToolResult(content="done"))
    return _with(Append(index=6, message=message))


def refuses_a_stranger() -> RunRecord:
    """An event is refused that nobody sent."""
    return _with(Refuse(event_id="U9", reason="busy"))


def rewrites_an_answer() -> RunRecord:
    """What the model said is replaced afterwards."""
    return _with(Replace(index=1, message=AssistantMessage(id="m1")))


def slips_an_event_into_history() -> RunRecord:
    """A message is inserted in front of what was said before."""
    return _with(Insert(index=0, message=EventMessage(events=())))


def alters_a_result() -> RunRecord:
    """The result that is recorded is not the one that the tool gave."""
    record = email(QueueAll())
    records = record.trace.records
    for place, (at_ms, item) in enumerate(records):
        if isinstance(item, Append) and isinstance(item.message, ResultMessage):
            wrong = replace(item.message, result=ToolResult(content="all is well"))
            records[place] = (at_ms, replace(item, message=wrong))
    return record


ACCOUNTS = "what_is_generated_is_kept_or_discarded"
SECONDS = "every_tool_second_is_accounted_for"

RECORDS: dict[Callable[[], RunRecord], str] = {
    rolls_back_and_repeats: "every_effect_happens_once_per_intent",
    stops_after_tools: "every_request_is_finished_voided_or_censored",
    issues_an_id_twice: "no_result_stands_without_its_call",
    tells_of_a_stranger: "no_result_stands_without_its_call",
    refuses_a_stranger: "no_event_is_handled_twice",
    rewrites_an_answer: "history_is_append_only",
    slips_an_event_into_history: "history_is_append_only",
    alters_a_result: "no_result_before_its_tool_finished",
    turns_the_clock_back: "time_never_runs_backwards",
    pays_for_more: ACCOUNTS,
    loses_a_model_call: ACCOUNTS,
    runs_a_tool_for_nothing: SECONDS,
    runs_a_tool_nobody_started: SECONDS,
}
