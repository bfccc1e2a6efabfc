"""Cores that are wrong in one way each: the agent with one of its moves changed."""

from dataclasses import replace

from simlab.core import commands as c
from simlab.core import inputs as i
from simlab.core.agent import Agent
from simlab.core.decisions import Decision, Interrupt, Queue, SafePoint, Take
from simlab.core.messages import (
    AssistantMessage,
    Call,
    EventMessage,
    PlaceholderMessage,
    PlaceholderState,
    ResultMessage,
    ToolResult,
)
from simlab.core.phases import Phase
from simlab.core.state import CallStatus, Item, OpenCall

Commands = list[c.Command]


class Rewriting(Agent):
    """An agent whose commands are changed on their way out."""

    __slots__ = ()

    def receive(self, item: i.Input, at_ms: int) -> Commands:
        return self.rewrite(item, super().receive(item, at_ms))

    def rewrite(self, item: i.Input, commands: Commands) -> Commands:
        raise NotImplementedError


class LosesLateResults(Agent):
    """Forgets what becomes of a call behind a placeholder."""

    __slots__ = ()

    def _late(self, call: OpenCall, result: ToolResult | None) -> None:
        pass


class FakesSuccess(Rewriting):
    """Closes a call that still runs with a result that nobody gave."""

    __slots__ = ()

    def rewrite(self, item: i.Input, commands: Commands) -> Commands:
        return [self._faked(each) for each in commands]

    def _faked(self, command: c.Command) -> c.Command:
        match command:
            case c.Append(message=PlaceholderMessage(call_id=call_id)):
                return replace(command, message=ResultMessage(call_id=call_id, result=ToolResult(content="done")))
            case _:
                return command


class ClaimsAnUndoneCancel(Rewriting):
    """Says that a cancelled tool had no effect, whatever its acknowledgement says."""

    __slots__ = ()

    def rewrite(self, item: i.Input, commands: Commands) -> Commands:
        return [self._claimed(each) for each in commands]

    def _claimed(self, command: c.Command) -> c.Command:
        match command:
            case c.Append(message=PlaceholderMessage(state=PlaceholderState.CANCELLED_AFTER) as message):
                return replace(command, message=replace(message, state=PlaceholderState.CANCELLED_BEFORE))
            case _:
                return command


class DoublesEvents(Agent):
    """Leaves what it has appended in the backlog, once."""

    __slots__ = ("doubled",)

    def _consume(self, take: Take) -> bool:
        seen: set[str] = getattr(self, "doubled", set())
        again = [item for item in self.state.backlog if item.id in take.append and item.id not in seen]
        self.doubled = seen | {item.id for item in again}
        needed = super()._consume(take)
        self.state.backlog = [*again, *self.state.backlog]
        return needed


class RunsToolsTwice(Agent):
    """Starts every tool a second time: the first start was forgotten."""

    __slots__ = ()

    def _launch_now(self, call: OpenCall) -> bool:
        launched = super()._launch_now(call)
        self.state.emit(c.StartTool(call=call.call))
        return launched


class RunsDiscardedCalls(Rewriting):
    """Runs a call that stood in a message which was then discarded."""

    __slots__ = ()

    def rewrite(self, item: i.Input, commands: Commands) -> Commands:
        if isinstance(item, i.ModelStopped) and item.partial is None:
            return [*commands, c.StartTool(call=Call(id="ghost", tool="act"))]
        return commands


class StartsSkippedCalls(Rewriting):
    """Starts a tool that was being prepared although its call was closed as not started."""

    __slots__ = ()

    def rewrite(self, item: i.Input, commands: Commands) -> Commands:
        if isinstance(item, i.ToolPrepared):
            call = self.state.calls.get(item.call_id)
            if call is not None and call.closed and call.started_ms is None:
                return [*commands, c.StartTool(call=call.call)]
        return commands


class StartsWhileStopping(Rewriting):
    """Starts a tool that was being prepared although the operation is being stopped."""

    __slots__ = ()

    def rewrite(self, item: i.Input, commands: Commands) -> Commands:
        if isinstance(item, i.ToolPrepared) and self.state.stop is not None:
            call = self.state.calls.get(item.call_id)
            if call is not None and call.status is CallStatus.PREPARING:
                return [*commands, c.StartTool(call=call.call)]
        return commands


class AppendsBetween(Agent):
    """Appends what a safe point took while calls are open."""

    __slots__ = ()

    def _at_open_calls(self, point: SafePoint) -> None:
        self._consume(self.ask.take(point))
        self._launch()


class StartsIfIdle(Agent):
    """Looks whether it is idle a moment too early: calls the model while it is being called."""

    __slots__ = ()

    def _queue(self, entry: Item, how: Queue) -> None:
        super()._queue(entry, how)
        if self.state.phase is Phase.THINKING:
            self._before_call()


class StartsTwoTurns(Agent):
    """Begins a turn at the end of every round."""

    __slots__ = ()

    def _go_on(self, call: bool) -> None:
        if call:
            self.state.start_turn()
        super()._go_on(call)


class RollsBackWithoutStopping(Rewriting):
    """Goes on as if the model had been stopped, without stopping it."""

    __slots__ = ()

    def rewrite(self, item: i.Input, commands: Commands) -> Commands:
        kept: Commands = [each for each in commands if not isinstance(each, c.CancelModel)]
        if len(kept) < len(commands) and self.state.stop is not None:
            self.state.stop.waiting.discard("model")
        return kept


class GivesResultsToTheWrongCall(Agent):
    """Mixes up calls that run at the same time."""

    __slots__ = ()

    def receive(self, item: i.Input, at_ms: int) -> Commands:
        if isinstance(item, i.ToolEnded):
            others = [each for each, call in self.state.open.items() if call.runs and each != item.call_id]
            if others:
                item = replace(item, call_id=others[-1])
        return super().receive(item, at_ms)


class AppendsOrphanResults(Rewriting):
    """Appends the result of a call whose message was cut away."""

    __slots__ = ()

    def rewrite(self, item: i.Input, commands: Commands) -> Commands:
        if isinstance(item, i.ToolEnded) and item.call_id in self.state.discarded:
            index = self.state.append(ResultMessage(call_id=item.call_id, result=item.result))
            return [*commands, c.Append(index=index, message=self.state.trajectory[index])]
        return commands


class ClosesTwice(Rewriting):
    """Appends a late result as if the call were still open, beside the event."""

    __slots__ = ()

    def rewrite(self, item: i.Input, commands: Commands) -> Commands:
        if isinstance(item, i.ToolEnded) and any(isinstance(each, c.Route) for each in commands):
            message = ResultMessage(call_id=item.call_id, result=item.result)
            index = len(self.state.trajectory)
            self.state.trajectory = [*self.state.trajectory, message]
            return [*commands, c.Append(index=index, message=message)]
        return commands


class LosesTheBacklog(Agent):
    """Loses what waits when something interrupts."""

    __slots__ = ()

    def _carry_out(self, decision: Decision, entry: Item) -> None:
        if isinstance(decision, Interrupt):
            self.state.backlog = []
        super()._carry_out(decision, entry)


class SleepsThroughArrivals(Agent):
    """Does not look at the backlog when something is queued while it is idle."""

    __slots__ = ()

    def _stir(self, news: Item | None = None) -> None:
        pass


class ShortensThePrompt(Rewriting):
    """Calls the model without the last message."""

    __slots__ = ()

    def rewrite(self, item: i.Input, commands: Commands) -> Commands:
        return [replace(each, length=each.length - 1) if isinstance(each, c.CallModel) else each for each in commands]


class ForgetsWhatWasSaid(Rewriting):
    """Does not record a message without calls."""

    __slots__ = ()

    def rewrite(self, item: i.Input, commands: Commands) -> Commands:
        return [each for each in commands if not self._is_plain(each)]

    def _is_plain(self, command: c.Command) -> bool:
        match command:
            case c.Append(message=AssistantMessage(calls=())):
                return True
            case _:
                return False


class InventsEvents(Rewriting):
    """Appends an event that nobody sent, at the first call."""

    __slots__ = ()

    def rewrite(self, item: i.Input, commands: Commands) -> Commands:
        return [self._invented(each) for each in commands]

    def _invented(self, command: c.Command) -> c.Command:
        match command:
            case c.Append(message=EventMessage(events=(event,)) as message):
                return replace(command, message=replace(message, events=(replace(event, id=f"{event.id}?"),)))
            case _:
                return command


class NeverWakesFromWaiting(Agent):
    """Forgets that it waits for tools: says that nothing will happen any more, and asks nobody."""

    __slots__ = ()

    def _after_call_closed(self, call: OpenCall) -> None:
        pass
