"""Checks of what arrives: intents that name what exists, requests that come first, streams that end."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from simlab.core.events import EventType
from simlab.core.record import IntentKind
from simlab.experiment.scenario_complaints import Complaints, names_of, repeated
from simlab.experiment.scenario_file import EventTable, IntentTable, Message, ScenarioFile, StreamTable, VariantTable
from simlab.sim.workload import LATEST

# --- events -----------------------------------------------------------------------------------------------------

_ABOUT_A_TASK: Final = frozenset({IntentKind.AMEND, IntentKind.CORRECT, IntentKind.QUESTION})
_ALLOWED: Final[Mapping[IntentKind, frozenset[str]]] = {
    IntentKind.REQUEST: frozenset({"plan"}),
    IntentKind.AMEND: frozenset({"task", "step"}),
    IntentKind.CORRECT: frozenset({"task", "step"}),
    IntentKind.QUESTION: frozenset({"task", "needs"}),
    IntentKind.LIGHT: frozenset(),
    IntentKind.NOTICE: frozenset(),
}


def _messages(file: ScenarioFile) -> Iterator[tuple[str, Message]]:
    for index, event in enumerate(file.events):
        yield f"events[{index}]", event
    for index, stream in enumerate(file.streams):
        for place, variant in enumerate(stream.variants):
            yield f"streams[{index}].variants[{place}]", variant
    for index, placed in enumerate(file.placed):
        for place, variant in enumerate(placed.variants):
            yield f"placed[{index}].variants[{place}]", variant
    for index, session in enumerate(file.sessions):
        for place, variant in enumerate(session.variants):
            yield f"sessions[{index}].variants[{place}]", variant


def check_events(file: ScenarioFile) -> Complaints:
    """Complain of events that cannot arrive as they stand."""
    yield from repeated((event.id for event in file.events), "events", "id")
    if not file.events and not file.streams and not file.sessions:
        yield "events: at least one event, stream or session must be given"
    yield from _placed(file)
    for where, message in _messages(file):
        if message.marked_urgent and message.type is not EventType.EXTERNAL_TRIGGER:
            yield f"{where}.marked_urgent: counts for {EventType.EXTERNAL_TRIGGER.value!r} only; its type decides here"
        if isinstance(message, VariantTable) and message.text and message.texts:
            yield f"{where}.texts: stands instead of text; give one of the two"
        for problem in _intent(message.intent, file):
            yield f"{where}.intent{problem}"
    for index, event in enumerate(file.events):
        for problem in _earlier(event, file.events[:index], file):
            yield f"events[{index}].intent.task: {problem}"


def _placed(file: ScenarioFile) -> Complaints:
    scripted = [event.id for event in file.events if event.intent.kind is IntentKind.REQUEST]
    for index, placed in enumerate(file.placed):
        if placed.task not in scripted:
            yield f"placed[{index}].task: no scripted request {placed.task!r}; known: {names_of(scripted)}"


def _intent(intent: IntentTable, file: ScenarioFile) -> Complaints:
    allowed = _ALLOWED[intent.kind]
    for key in intent.given().keys() - allowed - {"kind", "handling"}:
        yield f".{key}: has no meaning for the kind {intent.kind.value!r}; allowed: {names_of(sorted(allowed))}"
    if intent.plan is not None and intent.plan not in file.plans:
        yield f".plan: no plan {intent.plan!r}; known: {names_of(file.plans)}"
    if intent.kind in _ABOUT_A_TASK:
        if intent.task is None:
            yield f".task: missing; the kind {intent.kind.value!r} is about a request"
            return
        yield from _about(intent, file)


def _requests(file: ScenarioFile) -> dict[str, str | None]:
    """Return every request, scripted (by id) or of a stream (by prefix), with its plan."""
    return {message.id: message.intent.plan for _, message in _messages(file) if message.intent.kind is _REQUEST}


_REQUEST: Final = IntentKind.REQUEST
_DRAWN_STEP: Final = re.compile(r"(r[1-9]\d*c[1-9]\d*|last)$")
_NUMBERED: Final = re.compile(r"-\d+$")


def _about(intent: IntentTable, file: ScenarioFile) -> Complaints:
    requests = _requests(file)
    task = str(intent.task)
    name = task if task in requests else _NUMBERED.sub("", task)
    if task != LATEST and name not in requests:
        yield f".task: no request {task!r}; known: {names_of([*requests, LATEST])}"
        return
    plans = requests.values() if task == LATEST else [requests[name]]
    steps = {step.id for plan in plans if plan in file.plans for step in file.plans[plan].steps}
    asked = [("step", intent.step)] if intent.step is not None else []
    asked += [(f"needs[{index}]", need.removeprefix("job:")) for index, need in enumerate(intent.needs)]
    drawn = any(plan in file.plans and file.plans[plan].rounds is not None for plan in plans)
    for key, step in asked:
        if step not in steps and not (drawn and _DRAWN_STEP.match(step)):
            yield f".{key}: no step {step!r} in the plan of {task!r}; known: {names_of(sorted(steps))}"


def _earlier(event: EventTable, before: list[EventTable], file: ScenarioFile) -> Complaints:
    """An event may be about a scripted request only if that comes first."""
    task = event.intent.task
    about = next((each for each in file.events if each.id == task), None)
    if about is None:
        return
    if about.at_ms > event.at_ms or (about.at_ms == event.at_ms and about not in before):
        yield f"request {task!r} comes at {about.at_ms} ms, after this event ({event.at_ms} ms)"


# --- streams ----------------------------------------------------------------------------------------------------


def check_streams(file: ScenarioFile) -> Complaints:
    """Complain of streams that never end, and of names that two sources would share."""
    yield from repeated((stream.name for stream in file.streams), "streams", "name")
    for index, stream in enumerate(file.streams):
        for problem in _stream(stream, file):
            yield f"streams[{index}].{problem}"
    owners: dict[str, str] = {}
    for index, stream in enumerate(file.streams):
        for variant in stream.variants:
            owner = owners.setdefault(variant.id, stream.name)
            if owner != stream.name:
                yield f"streams[{index}].variants: the prefix {variant.id!r} is taken by stream {owner!r}"
    for index, event in enumerate(file.events):
        if _NUMBERED.search(event.id) and _NUMBERED.sub("", event.id) in owners:
            yield f"events[{index}].id: {event.id!r} may come from stream {owners[_NUMBERED.sub('', event.id)]!r} too"


def _stream(stream: StreamTable, file: ScenarioFile) -> Complaints:
    if not stream.gap_ms.mean() > 0:
        yield "gap_ms: must be above 0 on average, or time stands still"
    if stream.until_ms is None and file.horizon_ms is None:
        yield "until_ms: missing; without it, or a horizon_ms of the scenario, the stream never ends"
    if stream.until_ms is not None and stream.until_ms <= stream.start_ms:
        yield f"until_ms: must be after start_ms ({stream.start_ms}), not {stream.until_ms}"
    if stream.burst_gap_ms is not None and stream.burst is None:
        yield "burst_gap_ms: has no effect without burst"
