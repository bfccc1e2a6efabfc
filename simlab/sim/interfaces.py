"""Mitigations that belong to the tools: each takes a world and gives the same world with other tools or plans.

``asynchronous``: a call starts a job and returns its id at once; the end is an event; a job can be cancelled by its id.
``keyed``: calls carry idempotency keys. ``confirmed``: what cannot be taken back is checked before it is done.
"""

from collections.abc import Callable, Collection
from dataclasses import replace

from simlab.core.errors import SimlabError
from simlab.core.messages import ToolSpec
from simlab.sim.spec import Acts, Plan, Step, ToolModel, WorldSpec

CANCEL_JOB = "cancel_job"


def asynchronous(world: WorldSpec, *tools: str) -> WorldSpec:
    """Return the world in which the named tools are started as jobs.

    Whoever needed the result of such a step now waits for the end of its job. A tool ``cancel_job`` cancels a job when
    its step, or the whole task, is withdrawn. Raises SimlabError for a tool that a job cannot stand for.
    """
    for tool in _named(world, tools):
        if tool.acts is not Acts.RUN or tool.failure or tool.timeout_ms is not None:
            raise SimlabError(
                f"{world.name}: asynchronous: tool {tool.spec.name!r} must be one that runs and that neither fails nor "
                "times out: the report of a job's end says nothing of that"
            )
    started = _change_tools(world, tools, lambda tool: replace(tool, acts=Acts.START))
    cancel = ToolModel(spec=ToolSpec(name=CANCEL_JOB), acts=Acts.CANCEL)
    plans = {name: _as_jobs(world, name, plan, tools) for name, plan in world.plans.items()}
    return replace(started, tools=(*started.tools, cancel), plans=plans)


def keyed(world: WorldSpec, *tools: str) -> WorldSpec:
    """Return the world in which a second call of the named tools, with the same key, changes nothing more."""
    _named(world, tools)
    return _change_tools(world, tools, lambda tool: replace(tool, spec=replace(tool.spec, idempotent=True)))


def confirmed(world: WorldSpec, check: ToolModel, *tools: str) -> WorldSpec:
    """Return the world in which every step of the named tools is preceded by a ``check``, which needs what it needs.

    The check refuses a value that the model made up, and takes its time. Raises SimlabError where it is no check.
    """
    _named(world, tools)
    if check.acts is not Acts.CHECK:
        raise SimlabError(f"{world.name}: confirmed: tool {check.spec.name!r} must act as a check, not {check.acts!r}")
    plans = {name: _with_checks(world, name, plan, tools, check.spec.name) for name, plan in world.plans.items()}
    return replace(world, tools=(*world.tools, check), plans=plans)


def _named(world: WorldSpec, names: Collection[str]) -> list[ToolModel]:
    """Return the named tools. Raises SimlabError for a name that the world does not have."""
    known = {tool.spec.name: tool for tool in world.tools}
    for name in names:
        if name not in known:
            raise SimlabError(f"{world.name}: no tool {name!r}; known: {', '.join(known)}")
    return [known[name] for name in names]


def _change_tools(world: WorldSpec, names: Collection[str], change: Callable[[ToolModel], ToolModel]) -> WorldSpec:
    return replace(world, tools=tuple(change(tool) if tool.spec.name in names else tool for tool in world.tools))


def _fixed(world: WorldSpec, name: str, plan: object) -> Plan:
    if not isinstance(plan, Plan):
        raise SimlabError(f"{world.name}: plan {name!r} is drawn anew for each request; a fixed plan is expected here")
    return plan


def _as_jobs(world: WorldSpec, name: str, plan: object, tools: Collection[str]) -> Plan:
    fixed = _fixed(world, name, plan)
    jobs = [step.id for step in fixed.steps if step.tool in tools]

    def waiting(needs: tuple[str, ...]) -> tuple[str, ...]:
        return (*needs, *(f"job:{need}" for need in needs if need in jobs))

    return replace(
        fixed,
        steps=tuple(replace(step, needs=waiting(step.needs)) for step in fixed.steps),
        final_needs=waiting(fixed.final_needs or tuple(step.id for step in fixed.steps)),
        remedies=tuple(Step(id=f"cancel {job}", tool=CANCEL_JOB, job=job) for job in jobs),
    )


def _with_checks(world: WorldSpec, name: str, plan: object, tools: Collection[str], check: str) -> Plan:
    fixed = _fixed(world, name, plan)
    steps: list[Step] = []
    for step in fixed.steps:
        if step.tool in tools:
            steps.append(Step(id=f"check {step.id}", tool=check, needs=step.needs, guard=step.guard))
            steps.append(replace(step, needs=(*step.needs, f"check {step.id}")))
        else:
            steps.append(step)
    return replace(fixed, steps=tuple(steps))
