"""``check_strategy``: one line tests a plug-in against every legal order of inputs.

A rule-based machine of Hypothesis: each rule lets one legal thing happen. What fails is shrunk to a schedule that a
person can read, written to a file, and told with the command that replays it. Needs Hypothesis.

Hypothesis searches; shrinking is that of ``simlab.testing.shrinking``, which knows what depends on what: on planted
bugs it took 0.1 s and left 5 moves where shrinking the choices behind the moves took 30 s and left 8.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test

from simlab.core.agent import Agent
from simlab.core.events import Handling
from simlab.core.plugins import Strategy
from simlab.testing.cases import FOLDER, Case, save_case, strategy_name
from simlab.testing.replaying import a_run_repeats_itself
from simlab.testing.schedule import SETTLE, Move, Schedule, schedule_text
from simlab.testing.shrinking import shrink
from simlab.testing.stage import ACKNOWLEDGEMENTS, TOOLS, AgentMaker, Found, Stage
from simlab.testing.walking import EVENT_TYPES, SOURCES, perform

if TYPE_CHECKING:
    from pathlib import Path

STEPS = 30
"""Moves of one example, at most."""

_WAITS = st.sampled_from((0, 0, 1, 600))
_PLACES = st.integers(min_value=0, max_value=5)
_SPEECHES = st.lists(st.sampled_from([tool.name for tool in TOOLS]), max_size=3)


class StrategyFailure(AssertionError):  # noqa: N818 - it is a finding, not an error of the program
    """A strategy failed: what was found, the smallest schedule, the command that replays it."""


class _FoundInMachine(AssertionError):  # noqa: N818
    """Carries what was found out of Hypothesis."""

    def __init__(self, found: Found, schedule: Schedule) -> None:
        super().__init__(found.what)
        self.found = found
        self.schedule = schedule


class AgentMachine(RuleBasedStateMachine):
    """The rules: every move that can be legal. Subclasses say which strategy and which core."""

    make: Callable[[], Strategy]
    core: AgentMaker = Agent

    def __init__(self) -> None:
        super().__init__()
        self.stage = Stage(type(self).make(), make_agent=type(self).core)

    def _play(self, subject: str, verb: str, words: tuple[str, ...] = (), wait_ms: int = 0) -> None:
        self.stage.play(Move(subject=subject, verb=verb, words=words, wait_ms=wait_ms))
        self._judge()

    def _judge(self) -> None:
        if self.stage.found:
            raise _FoundInMachine(self.stage.found[0], tuple(self.stage.played))

    @rule(kind=st.sampled_from(EVENT_TYPES), source=st.sampled_from(SOURCES), urgently=st.booleans(), wait_ms=_WAITS)
    def arrives(self, kind: str, source: str, urgently: bool, wait_ms: int) -> None:
        """An event arrives."""
        marks = ("urgently",) if urgently else ()
        self._play(f"U{len(self.stage.seen) + 1}", "arrives", (kind, "from", source, *marks), wait_ms)

    @precondition(lambda self: self.stage.routing)
    @rule(place=_PLACES, handling=st.sampled_from(list(Handling)), wait_ms=_WAITS)
    def is_routed(self, place: int, handling: str, wait_ms: int) -> None:
        """The router gives a verdict."""
        self._play(_pick(self.stage.routing, place), "is-routed", (str(handling),), wait_ms)

    @precondition(lambda self: self.stage.model is not None and self.stage.stopping is None)
    @rule(tools=_SPEECHES, wait_ms=_WAITS)
    def says(self, tools: list[str], wait_ms: int) -> None:
        """The model ends with a message."""
        self._play("model", "says", tuple(tools), wait_ms)

    @precondition(lambda self: self.stage.stopping is not None)
    @rule(wait_ms=_WAITS)
    def stops(self, wait_ms: int) -> None:
        """The model has stopped."""
        self._play("model", "stops", (), wait_ms)

    @precondition(lambda self: self.stage.model is not None and self.stage.streams)
    @rule(wait_ms=_WAITS)
    def streams(self, wait_ms: int) -> None:
        """An item of the stream is complete."""
        self._play("model", "streams", (), wait_ms)

    @precondition(lambda self: self.stage.tools)
    @rule(place=_PLACES, failing=st.booleans(), wait_ms=_WAITS)
    def ends(self, place: int, failing: bool, wait_ms: int) -> None:
        """A tool ends, or is prepared."""
        call_id = _pick(self.stage.tools, place)
        if self.stage.tools[call_id].runs:
            self._play(call_id, "ends", ("failing",) if failing else (), wait_ms)
        else:
            self._play(call_id, "is-prepared", (), wait_ms)

    @precondition(lambda self: any(tool.signalled for tool in self.stage.tools.values()))
    @rule(place=_PLACES, how=st.sampled_from(list(ACKNOWLEDGEMENTS)), wait_ms=_WAITS)
    def acknowledges(self, place: int, how: str, wait_ms: int) -> None:
        """A signalled tool acknowledges."""
        signalled = {call_id: tool for call_id, tool in self.stage.tools.items() if tool.signalled}
        self._play(_pick(signalled, place), "acknowledges", (how,), wait_ms)

    @precondition(lambda self: self.stage.sides)
    @rule(place=_PLACES, outcome=st.sampled_from(("answered", "for_main")), wait_ms=_WAITS)
    def is_answered(self, place: int, outcome: str, wait_ms: int) -> None:
        """A side session ends."""
        self._play(_pick(self.stage.sides, place), "is-answered", (outcome,), wait_ms)

    @precondition(lambda self: self.stage.unsettled)
    @rule()
    def settles(self) -> None:
        """The instant settles, and no time passes."""
        self._play(SETTLE.subject, SETTLE.verb)

    def teardown(self) -> None:
        """Let everything come to its end, judge it, and make the run again."""
        if self.stage.found:
            return
        self.stage.rest()
        self._judge()
        for breach in a_run_repeats_itself(self.stage.trace, type(self).make(), TOOLS):
            raise _FoundInMachine(Found.breach(breach), tuple(self.stage.played))


def _pick(table: dict[str, Any], place: int) -> str:
    return list(table)[place % len(table)]


def check_strategy(
    make: Callable[[], Strategy], *, core: AgentMaker = Agent, examples: int | None = None, folder: "Path" = FOLDER
) -> None:
    """Test a strategy against every legal order of inputs.

    ``make`` returns a new strategy each time (its class will do). ``examples`` overrides the number of examples of
    the profile in force. Raises StrategyFailure with the smallest schedule found, which is also written into
    ``folder``.
    """

    class Machine(AgentMachine):
        pass

    Machine.make = staticmethod(make)
    Machine.core = staticmethod(core)
    chosen = settings(
        max_examples=examples or settings().max_examples,
        stateful_step_count=STEPS,
        phases=(Phase.explicit, Phase.generate),
        deadline=None,
        report_multiple_bugs=False,
        database=None,
    )
    failure: _FoundInMachine | None = None
    try:
        run_state_machine_as_test(Machine, settings=chosen)
    except _FoundInMachine as error:
        failure = error
    if failure is not None:
        raise StrategyFailure(_told(make, core, failure, folder))


def _told(make: Callable[[], Strategy], core: AgentMaker, failure: _FoundInMachine, folder: "Path") -> str:
    """Write the smallest case of a failure into the folder, and say what it is."""
    strategy, found = make(), failure.found

    def run(schedule: Schedule) -> Stage:
        return perform(schedule, make(), make_agent=core)

    schedule = shrink(failure.schedule, found.name, run)
    what = next((each.what for each in run(schedule).found if each.name == found.name), found.what)
    path = save_case(Case(strategy=strategy_name(strategy), run=schedule, found=found.name, what=what), folder)
    return f"strategy {strategy.name!r}: {what}\n\n{schedule_text(schedule)}\nreplay: simlab replay {path}"
