"""From the tables of a scenario file to the values of a world. Keys left out take the defaults of those values."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from simlab.core.messages import ToolKind, ToolSpec
from simlab.experiment.scenario_file import (
    EventTable,
    GuardTable,
    IntentTable,
    Message,
    PlacedTable,
    PlanTable,
    ScenarioFile,
    SessionTable,
    StepTable,
    StreamTable,
    Table,
    ToolTable,
    VariantTable,
)
from simlab.sim.laws import Constant
from simlab.sim.spec import (
    EventSpec,
    Guard,
    Intent,
    ModelSpec,
    PlacedSpec,
    Plan,
    RandomPlan,
    SessionSpec,
    Step,
    StreamSpec,
    ToolModel,
    Variants,
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
            "placed": tuple(_placed(table) for table in file.placed),
            "sessions": tuple(_session(table) for table in file.sessions),
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


def _plan(table: PlanTable) -> Plan | RandomPlan:
    if table.rounds is not None:
        return RandomPlan(
            rounds=table.rounds,
            calls=table.calls or Constant(value=1.0),
            mix=tuple((each.weight, each.tool) for each in table.mix),
            last_tool=table.last_tool,
            final_tokens=table.final_tokens,
        )
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
    return EventSpec(**{**_values(table, leave_out=("weight", "texts")), "intent": _intent(table.intent), "at_ms": 0})


def _variants(tables: Sequence[VariantTable]) -> Variants:
    """Return the templates; a variant with several wordings becomes one for each, with its share of the weight."""
    return tuple(
        (variant.weight / max(1, len(variant.texts)), replace(_template(variant), text=text))
        for variant in tables
        for text in (variant.texts or [variant.text])
    )


def _stream(table: StreamTable) -> StreamSpec:
    return StreamSpec(**{**_values(table), "variants": _variants(table.variants)})


def _placed(table: PlacedTable) -> PlacedSpec:
    return PlacedSpec(**{**_values(table), "variants": _variants(table.variants)})


def _session(table: SessionTable) -> SessionSpec:
    return SessionSpec(**{**_values(table), "variants": _variants(table.variants)})
