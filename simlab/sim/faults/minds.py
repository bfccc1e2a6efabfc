"""A mind: the reading of a trajectory together with what the model got wrong about it.

Still a function of the messages and of named draws: the outcome of every opportunity is found by its name (``Luck``),
so a mind that is built anew after history was rewritten comes to the same mistakes.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from simlab.core.messages import PlaceholderState, ToolKind, Wording
from simlab.core.record import Exposure, FaultKind, IntentKind
from simlab.sim.faults.luck import Luck
from simlab.sim.reading import Reading, TaskState
from simlab.sim.spec import Intent, Plan, ToolModel

if TYPE_CHECKING:
    from simlab.sim.faults.hazards import Hazards

Node = tuple[str, str]
"""A task and a step of it, or its ``final`` answer."""


def harmed_by(intent: Intent, event_id: str) -> str | None:
    """Return the task that suffers when an event is not taken as it was meant."""
    return event_id if intent.kind is IntentKind.REQUEST else intent.task


class Mind(Reading):
    """What the faults need to know of a trajectory, and the few ways in which they may change its understanding.

    ``invented`` holds the missing results that a node was acted on with, ``tainted`` the nodes that rest on one, also
    through others; ``stale`` the calls whose results no longer count; ``skipped`` steps that were never carried out,
    ``failed`` steps whose last word is an error; ``refused`` nodes whose
    invented value a check did not let pass; ``dropped`` the tasks that the model no longer thinks of. ``played``
    and ``claims`` belong to the message that is being made.
    """

    __slots__ = (
        "_truths",
        "claims",
        "dropped",
        "failed",
        "hazards",
        "invented",
        "known",
        "luck",
        "placed_at",
        "played",
        "refused",
        "repeated",
        "said_count",
        "skipped",
        "stale",
        "tainted",
        "wordings",
    )

    def __init__(
        self,
        plan_of: Callable[[str], Plan],
        tools: Mapping[str, ToolModel],
        intents: Mapping[str, Intent],
        attempts: int,
        *,
        hazards: "Hazards",
        luck: Luck,
    ) -> None:
        self.hazards = hazards
        self.luck = luck
        self._truths = intents
        self.played: list[Exposure] = []
        self.claims: list[tuple[str, str, FaultKind]] = []
        super().__init__(plan_of, tools, intents, attempts)

    def _forget(self, epoch: int) -> None:
        super()._forget(epoch)
        self.said_count = 0
        self.invented: dict[Node, set[str]] = {}
        self.tainted: set[Node] = set()
        self.stale: set[str] = set()
        self.skipped: set[Node] = set()
        self.failed: set[Node] = set()
        self.refused: set[Node] = set()
        self.repeated: set[tuple[str, str, str]] = set()
        self.dropped: dict[str, TaskState] = {}
        self.known: dict[str, PlaceholderState] = {}
        self.wordings: dict[str, Wording] = {}
        self.placed_at: dict[str, int] = {}

    # --- facts ------------------------------------------------------------------------------------------------------

    def intent(self, event_id: str) -> Intent:
        """Return what an event truly means."""
        return self._truths[event_id]

    def has_read(self, event_id: str) -> bool:
        """Whether the event was taken in already."""
        return event_id in self.seen

    def has_effect(self, tool: str) -> bool:
        """Whether a tool changes the world."""
        model = self._tools[tool]
        return model.commit_share is not None or model.spec.kind is ToolKind.EFFECT

    def wording_of(self, call_id: str) -> Wording:
        """Return how the placeholder of a call is worded."""
        return self.wordings.get(call_id, Wording.EXPLICIT)

    def steps_since(self, call_id: str) -> int:
        """Return how many messages the model has written since the placeholder of a call."""
        return self.said_count - self.placed_at.get(call_id, self.said_count)

    def pending_count(self) -> int:
        """Return of how many steps of the active tasks only a placeholder is known."""
        return sum(bool(state.placeholder) and not state.over for task in self.active for state in task.steps.values())

    def in_hand(self) -> TaskState | None:
        """Return the task that the model works on: the latest urgent one, or else the oldest."""
        urgent = [task for task in self.active if task.urgent]
        return urgent[-1] if urgent else self.active[0] if self.active else None

    def rests_on_invention(self, task: TaskState, node: str) -> set[str] | None:
        """Return which results a node lacks as things stand; None where it rests on nothing invented."""
        if node == "final":
            needs = task.final_needs
        elif node in task.steps:
            needs = task.steps[node].needs
        else:  # a remedy needs nothing
            return None
        lacking = {need.step.id for need in needs if need.placeholder and not need.over}
        tainted = any((task.id, need.step.id) in self.tainted for need in needs)
        return lacking if lacking or tainted else None

    # --- changes ----------------------------------------------------------------------------------------------------

    def drop(self, task: TaskState) -> None:
        """Think of a task no more."""
        self.active = [each for each in self.active if each is not task]
        self.dropped[task.id] = task

    def remember(self, task_id: str) -> None:
        """Take a dropped task up again."""
        task = self.dropped.pop(task_id, None)
        if task is not None:
            self._take_up(task)

    def reopen(self, task: TaskState) -> None:
        """Give the final answer of a task again."""
        task.final = False
        if task not in self.active and not task.voided:
            self._take_up(task)

    def _take_up(self, task: TaskState) -> None:
        self.active.append(task)
        self.active.sort(key=lambda each: each.order)

    def _note(self, task: TaskState, node: str) -> None:
        """Note whether a node that is being acted on rests on something invented."""
        lacking = self.rests_on_invention(task, node)
        key = (task.id, node)
        self.invented.pop(key, None)
        self.tainted.discard(key)
        if lacking is not None:
            self.tainted.add(key)
            if lacking:
                self.invented[key] = lacking
