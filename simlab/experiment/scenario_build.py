"""From the tables of a scenario file to the values of a world. Keys left out take the defaults of those values."""

from typing import Any

from simlab.core.messages import ToolKind, ToolSpec
from simlab.experiment.scenario_file import (
    EventTable,
    GuardTable,
    IntentTable,
    Message,
    PlanTable,
    ScenarioFile,
    StepTable,
    StreamTable,
    Table,
    ToolTable,
)
from simlab.sim.spec import (
    EventSpec,
    Guard,
    Intent,
    ModelSpec,
    Plan,
    Step,
    StreamSpec,
    ToolModel,
    WorldSpec,
)

_DECLARED = ("can_be_cancelled", "irreversible", "idempotent", "typical_ms", "light", "undo")


def build_world(name: str, file: ScenarioFile) -> WorldSpec:
    """Return the world that a checked file describes."""
    given = _values(file, leave_out=("title", "description", "sources"))
    return WorldSpec(
        **{
            **given,
            "name": name,
            "tools": tuple(_tool(each, table) for each, table in file.tools.items()),
            "plans": {each: _plan(table) for each, table in file.plans.items()},
            "events": tuple(_event(table) for table in file.events),
            "streams": tuple(_stream(table) for table in file.streams),
            "model": ModelSpec(**_values(file.model)),
        }
    )


def _values(table: Table, leave_out: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return what the file gives, lists as tuples."""
    given = {key: value for key, value in table.given().items() if key not in leave_out}
    return {key: tuple(value) if isinstance(value, list) else value for key, value in given.items()}


def _tool(name: str, table: ToolTable) -> ToolModel:
    given = _values(table, leave_out=("kind",))
    kind = table.kind or (ToolKind.READ if table.commit_share is None else ToolKind.EFFECT)
    declared = {key: given.pop(key) for key in _DECLARED if key in given}
    spec = ToolSpec(name=name, kind=kind, prepares=table.prepare_ms is not None, **declared)
    return ToolModel(spec=spec, **given)


def _plan(table: PlanTable) -> Plan:
    return Plan(**{**_values(table), "steps": tuple(_step(step) for step in table.steps)})


def _step(table: StepTable) -> Step:
    return Step(**{**_values(table), "guard": _guard(table.guard)})


def _guard(table: GuardTable | None) -> Guard | None:
    return None if table is None else Guard(**_values(table))


def _intent(table: IntentTable) -> Intent:
    return Intent(**_values(table))


def _event(table: EventTable) -> EventSpec:
    return EventSpec(**{**_values(table), "intent": _intent(table.intent)})


def _template(table: Message) -> EventSpec:
    """Return a variant's template; its time is that of the arrival."""
    return EventSpec(**{**_values(table, leave_out=("weight",)), "intent": _intent(table.intent), "at_ms": 0})


def _stream(table: StreamTable) -> StreamSpec:
    variants = tuple((variant.weight, _template(variant)) for variant in table.variants)
    return StreamSpec(**{**_values(table), "variants": variants})
