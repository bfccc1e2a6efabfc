"""Plans of requests: fixed ones by name, and random ones whose shape is drawn for the request."""

from collections.abc import Mapping

from simlab.sim.spec import Plan, RandomPlan, Step
from simlab.sim.streams import Draws


class Planner:
    """Finds, or draws, the plan of each task. The shape belongs to the work: it is the same under every strategy."""

    __slots__ = ("_draws", "_plans")

    def __init__(self, plans: Mapping[str, Plan | RandomPlan], draws: Draws) -> None:
        self._plans = plans
        self._draws = draws

    def plan(self, task_id: str, name: str | None) -> Plan:
        """Return the plan of a task that asks for the named plan."""
        found = self._plans[name] if name is not None else _NOTHING
        return found if isinstance(found, Plan) else self._draw(task_id, found)

    def _draw(self, task_id: str, law: RandomPlan) -> Plan:
        uniform = self._draws.uniform
        rounds = max(0, round(law.rounds.quantile(uniform("plan", task_id, "rounds"))))
        steps: list[Step] = []
        before: tuple[str, ...] = ()
        for number in range(rounds):
            count = max(1, round(law.calls.quantile(uniform("plan", task_id, "calls", number))))
            ids = tuple(f"r{number + 1}c{place + 1}" for place in range(count))
            steps += [
                Step(id=each, tool=law.tool(uniform("plan", task_id, "tool", each)), needs=before) for each in ids
            ]
            before = ids
        if law.last_tool is not None:
            steps.append(Step(id="last", tool=law.last_tool, needs=before))
        return Plan(steps=tuple(steps), final_tokens=law.final_tokens)


_NOTHING = Plan()
