"""Which invariant must catch which planted bug, and which fault of the field it stands for."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from simlab.core.agent import Agent
from simlab.core.plugins import Strategy
from simlab.strategies.cancel import Cancel, CancelBackground
from simlab.strategies.products.langgraph_rollback import LanggraphRollback
from simlab.strategies.products.pi_v1_steer_seq import PiV1SteerSeq
from simlab.strategies.queue import QueueAll
from simlab.testing.schedule import Schedule, parse_schedule
from simlab.testing.stage import ENDLESS, RAISED, AgentMaker, Stage
from simlab.testing.walking import perform
from tests.planted import cores, strategies

SCHEDULES = Path(__file__).parent / "schedules"


@dataclass(frozen=True, slots=True, kw_only=True)
class Planted:
    """A bug: the strategy and the core that show it, the invariant that names it, the fault that it stands for."""

    name: str
    caught_by: str
    fault: str
    make: Callable[[], Strategy]
    core: AgentMaker = Agent

    @property
    def path(self) -> Path:
        return SCHEDULES / f"{self.name}.txt"

    def schedule(self) -> Schedule:
        """The smallest schedule that shows it."""
        return parse_schedule(self.path.read_text())

    def perform(self, schedule: Schedule) -> Stage:
        return perform(schedule, self.make(), make_agent=self.core)


def _strategy(made: type[Strategy], caught_by: str, fault: str) -> Planted:
    return Planted(name=made.name, caught_by=caught_by, fault=fault, make=made)


def _core(name: str, core: type[Agent], caught_by: str, fault: str, make: Callable[[], Strategy]) -> Planted:
    return Planted(name=name, caught_by=caught_by, fault=fault, make=make, core=core)


ONCE = "every_call_is_closed_once"
DROPPING = "dropping_is_declared"
WAITS = "every_event_is_consumed_once_or_accounted_for"
HISTORY = "history_is_append_only"
PLACEHOLDER = "every_placeholder_is_resolved"

PLANTED: tuple[Planted, ...] = (
    _strategy(strategies.LeavesCallsOpen, ONCE, "orphan call after cancel"),
    _strategy(strategies.LeavesUnstartedOpen, ONCE, "race: interrupt between emission and execution"),
    _strategy(strategies.ClosesOnlyTheFirst, ONCE, "one of two parallel calls rejected"),
    _strategy(strategies.LeavesCallsOpenAndSleeps, "no_call_is_open_at_rest", "orphan call after cancel"),
    _strategy(strategies.DropsSilently, DROPPING, "drops events"),
    _strategy(strategies.DiscardsOlder, DROPPING, "drops events"),
    _strategy(strategies.ClearsOnInterrupt, DROPPING, "pending cleared by an interrupt"),
    _strategy(strategies.DropsLateResults, DROPPING, "result lost"),
    _strategy(strategies.AnswersOnlyTheLast, WAITS, "answers only the last"),
    _strategy(strategies.ForgetsTheIdleMoment, WAITS, "message stranded in the idle window"),
    _strategy(strategies.PostponesForEver, WAITS, "message stranded in the idle window"),
    _strategy(strategies.PutsInFront, "order_is_kept_within_a_source", "order reversed"),
    _strategy(strategies.TakesBackwards, "order_is_kept_within_a_source", "order reversed"),
    _strategy(strategies.RecordsPartials, "partial_output_is_never_recorded", "records partial thinking"),
    _strategy(strategies.RewindsHistory, HISTORY, "rewrites history"),
    _strategy(strategies.EditsPlaceholders, HISTORY, "rewrites history"),
    _strategy(strategies.CallsForEver, "the_agent_comes_to_rest", "never terminates"),
    _strategy(
        strategies.HoldsForAMinute, "nothing_starves_while_the_agent_is_idle", "message stranded in the idle window"
    ),
    _strategy(strategies.NeverLetsGo, ENDLESS, "never terminates"),
    _strategy(strategies.Raises, RAISED, "raises"),
    _strategy(strategies.TalksNonsense, RAISED, "returns nonsense"),
    _strategy(strategies.PlacesTwice, RAISED, "doubles an event"),
    _strategy(strategies.TakesWhatIsGone, RAISED, "doubles an event"),
    _strategy(strategies.ClosesStrangers, RAISED, "resume value to the wrong interrupt"),
    _core("loses-late-results", cores.LosesLateResults, PLACEHOLDER, "placeholder never resolved", CancelBackground),
    _core(
        "fakes-success",
        cores.FakesSuccess,
        "no_result_before_its_tool_finished",
        "placeholder read as a result",
        CancelBackground,
    ),
    _core("claims-an-undone-cancel", cores.ClaimsAnUndoneCancel, "every_placeholder_is_true", "faked cancel", Cancel),
    _core("doubles-events", cores.DoublesEvents, "no_event_is_handled_twice", "doubles an event", QueueAll),
    _core("invents-events", cores.InventsEvents, "no_event_is_handled_twice", "appends what nobody sent", QueueAll),
    _core(
        "runs-tools-twice",
        cores.RunsToolsTwice,
        "no_tool_starts_once_its_call_is_closed",
        "result lost -> tool run again",
        QueueAll,
    ),
    _core(
        "runs-discarded-calls",
        cores.RunsDiscardedCalls,
        "no_tool_of_a_discarded_message_runs",
        "call of a discarded generation runs",
        Cancel,
    ),
    _core(
        "starts-skipped-calls",
        cores.StartsSkippedCalls,
        "no_tool_starts_once_its_call_is_closed",
        "race: interrupt between emission and execution",
        Cancel,
    ),
    _core(
        "starts-while-stopping",
        cores.StartsWhileStopping,
        "no_tool_starts_before_an_interrupt_was_read",
        "race: interrupt between emission and execution",
        Cancel,
    ),
    _core(
        "appends-between",
        cores.AppendsBetween,
        "nothing_comes_between_a_call_and_its_result",
        "appends between call and result",
        PiV1SteerSeq,
    ),
    _core("starts-if-idle", cores.StartsIfIdle, "one_main_model_call_at_a_time", "start-if-idle race", QueueAll),
    _core("starts-two-turns", cores.StartsTwoTurns, "one_turn_at_a_time", "starts two turns", QueueAll),
    _core(
        "rolls-back-without-stopping",
        cores.RollsBackWithoutStopping,
        "one_main_model_call_at_a_time",
        "rollback did not stop the run",
        LanggraphRollback,
    ),
    _core(
        "gives-results-to-the-wrong-call",
        cores.GivesResultsToTheWrongCall,
        "no_result_before_its_tool_finished",
        "resume value to the wrong interrupt",
        QueueAll,
    ),
    _core(
        "appends-orphan-results",
        cores.AppendsOrphanResults,
        "no_result_stands_without_its_call",
        "orphan result after truncation",
        LanggraphRollback,
    ),
    _core("closes-twice", cores.ClosesTwice, ONCE, "two results of one call", CancelBackground),
    _core(
        "loses-the-backlog",
        cores.LosesTheBacklog,
        WAITS,
        "pending cleared by an interrupt",
        strategies.InterruptsWhenUrgent,
    ),
    _core("sleeps-through-arrivals", cores.SleepsThroughArrivals, WAITS, "start-if-idle race", QueueAll),
    _core(
        "shortens-the-prompt", cores.ShortensThePrompt, "the_model_sees_the_whole_trajectory", "loses context", QueueAll
    ),
    _core(
        "forgets-what-was-said",
        cores.ForgetsWhatWasSaid,
        "every_complete_message_is_recorded",
        "loses context",
        QueueAll,
    ),
    _core("never-wakes-from-waiting", cores.NeverWakesFromWaiting, ENDLESS, "never terminates", QueueAll),
)
BY_NAME = {planted.name: planted for planted in PLANTED}
