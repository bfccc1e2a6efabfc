"""What ties the keys of a scenario file together: names that must exist, graphs without cycles, times in order.

Each check is a generator of complaints, which begin with the key path. ``complaints`` is the whole list.
"""

from collections.abc import Mapping
from itertools import chain
from typing import Any, Final

from simlab.experiment.scenario_complaints import Complaints, names_of, repeated
from simlab.experiment.scenario_event_checks import check_events, check_streams
from simlab.experiment.scenario_file import PlanTable, ScenarioFile, StepTable, ToolTable
from simlab.experiment.scenario_sources import check_sources
from simlab.sim.spec import Acts, CancelPoints

FINAL: Final = "final"
_ACTS_ON_JOB: Final = frozenset({Acts.STATUS, Acts.CANCEL})


# --- tools and model --------------------------------------------------------------------------------------------


def _tools(file: ScenarioFile) -> Complaints:
    for name, tool in file.tools.items():
        for problem in _tool(tool):
            yield f"tools.{name}.{problem}"


def _tool(tool: ToolTable) -> Complaints:
    stepwise = tool.cancel_points is CancelPoints.STEPS
    if stepwise != (tool.cancel_every_ms > 0):
        yield 'cancel_every_ms: must be above 0 with cancel_points = "steps", and left out without'
    if tool.acts in _ACTS_ON_JOB and tool.run_ms is not None:
        yield f"run_ms: a tool that acts as {tool.acts.value!r} answers at once; leave it out"
    if tool.acts is not Acts.RUN and tool.timeout_ms is not None:
        yield f"timeout_ms: a tool that acts as {tool.acts.value!r} has none; leave it out"


_ALMOST_NEVER: Final = 1e-12


def _model(file: ScenarioFile) -> Complaints:
    model = file.model.given()
    timing = ("ttft_ms", "prefill_tok_s", "prefill_cached_tok_s", "decode_tok_s", "slowdown_per_100k")
    if "call_ms" in model:
        for key in timing:
            if key in model:
                yield f"model.{key}: has no effect beside call_ms; give one or the other"
    rate = file.model.decode_tok_s
    if rate is not None and rate.quantile(_ALMOST_NEVER) <= 0:
        yield "model.decode_tok_s: must be greater than 0"


# --- plans ------------------------------------------------------------------------------------------------------


def _plans(file: ScenarioFile) -> Complaints:
    for name, plan in file.plans.items():
        where = f"plans.{name}"
        for problem in _drawn(plan, file.tools):
            yield f"{where}.{problem}"
        steps = {step.id: step for step in plan.steps}
        yield from repeated((step.id for step in plan.steps), f"{where}.steps", "id")
        for index, step in enumerate(plan.steps):
            for problem in _step(step, steps, file.tools):
                yield f"{where}.steps[{index}].{problem}"
        for index, need in enumerate(plan.final_needs):
            for problem in _need(need, steps, file.tools):
                yield f"{where}.final_needs[{index}]: {problem}"
        for problem in _cycle(plan):
            yield f"{where}.steps: {problem}"


def _drawn(plan: PlanTable, tools: Mapping[str, ToolTable]) -> Complaints:
    """Complain of a plan that is half fixed and half drawn."""
    if plan.rounds is None:
        for key in ("calls", "mix", "last_tool"):
            if getattr(plan, key):
                yield f"{key}: has no effect without rounds"
        return
    if plan.steps or plan.final_needs:
        yield "rounds: cannot stand beside steps or final_needs; a plan is fixed or drawn"
    if not plan.mix:
        yield "mix: missing; rounds call tools of a mix"
    named = [(f"mix[{index}].tool", each.tool) for index, each in enumerate(plan.mix)]
    named += [("last_tool", plan.last_tool)] if plan.last_tool is not None else []
    for key, tool in named:
        if tool not in tools:
            yield f"{key}: no tool {tool!r}; known: {names_of(tools)}"


def _step(step: StepTable, steps: Mapping[str, StepTable], tools: Mapping[str, ToolTable]) -> Complaints:
    if step.id == FINAL:
        yield f"id: {FINAL!r} means the final answer; take another name"
    if step.tool not in tools:
        yield f"tool: no tool {step.tool!r}; known: {names_of(tools)}"
        return
    for index, need in enumerate(step.needs):
        for problem in _need(need, steps, tools):
            yield f"needs[{index}]: {problem}"
    yield from _job(step, steps, tools)
    yield from _guard(step, steps, tools)


def _acts(step: StepTable, tools: Mapping[str, ToolTable]) -> Acts | None:
    tool = tools.get(step.tool)
    return None if tool is None else tool.acts


def _need(need: str, steps: Mapping[str, StepTable], tools: Mapping[str, ToolTable]) -> Complaints:
    name = need.removeprefix("job:")
    if name not in steps:
        yield f"no step {name!r} in this plan; known: {names_of(steps)}"
    elif name != need and _acts(steps[name], tools) is not Acts.START:
        yield f"step {name!r} starts no job; only a tool that acts as 'start' does"


def _job(step: StepTable, steps: Mapping[str, StepTable], tools: Mapping[str, ToolTable]) -> Complaints:
    acts = _acts(step, tools)
    if acts not in _ACTS_ON_JOB:
        if step.job is not None:
            yield f"job: tool {step.tool!r} acts on no job; leave it out"
        return
    if step.run_ms is not None:
        yield f"run_ms: a tool that acts as {str(acts)!r} answers at once; leave it out"
    if step.job is None:
        yield f"job: missing; tool {step.tool!r} acts on the job of another step"
        return
    for problem in _need(f"job:{step.job}", steps, tools):
        yield f"job: {problem}"


def _guard(step: StepTable, steps: Mapping[str, StepTable], tools: Mapping[str, ToolTable]) -> Complaints:
    guard = step.guard
    if guard is None:
        return
    if (guard.below is None) == (guard.at_least is None):
        yield "guard: give exactly one of below and at_least"
    if guard.step not in steps:
        yield f"guard.step: no step {guard.step!r} in this plan; known: {names_of(steps)}"
    elif _acts(steps[guard.step], tools) not in _ACTS_ON_JOB:
        yield f"guard.step: the result of {guard.step!r} holds no number; that of a status or cancel tool does"
    elif guard.step not in _ancestors(step, steps):
        yield f"guard.step: {guard.step!r} must stand in needs, so that its result is known"


def _edges(step: StepTable) -> list[str]:
    return [*(need.removeprefix("job:") for need in step.needs), *([step.job] if step.job else [])]


def _ancestors(step: StepTable, steps: Mapping[str, StepTable]) -> set[str]:
    found: set[str] = set()
    ahead = [need for need in step.needs if need in steps]
    while ahead:
        name = ahead.pop()
        if name not in found:
            found.add(name)
            ahead += [need for need in steps[name].needs if need in steps]
    return found


def _cycle(plan: PlanTable) -> Complaints:
    """Take away steps that wait for nothing until none is left; what is left waits for itself."""
    known = {step.id for step in plan.steps}
    waits = {step.id: known.intersection(_edges(step)) for step in plan.steps}
    while free := [name for name, edges in waits.items() if not edges]:
        for name in free:
            del waits[name]
        for edges in waits.values():
            edges.difference_update(free)
    if waits:
        yield f"a cycle: {' -> '.join(_walk(waits))}; needs must lead to earlier steps only"


def _walk(waits: Mapping[str, set[str]]) -> list[str]:
    path = [next(iter(waits))]
    while (following := min(waits[path[-1]])) not in path:
        path.append(following)
    return [*path[path.index(following) :], following]


def complaints(file: ScenarioFile, document: Mapping[str, Any]) -> Complaints:
    """Yield everything that is wrong with a file whose every key is well formed, in the order of its sections."""
    checks = (_tools, _plans, check_streams, check_events, _model)
    yield from chain.from_iterable(check(file) for check in checks)
    yield from check_sources(file, document)
