"""A run repeats itself: its recorded inputs, fed to a fresh agent, give the recorded commands again.

It does so unless the strategy depends on something else than what it is shown: a counter of its own, a clock, a random
number, another run.
"""

from collections.abc import Iterable, Iterator
from itertools import zip_longest

from simlab.core import commands as c
from simlab.core.agent import Agent
from simlab.core.commands import Command
from simlab.core.inputs import Input
from simlab.core.messages import ToolSpec
from simlab.core.plugins import Strategy, StrategyError
from simlab.core.trace import Record, Trace
from simlab.invariants import Blame, Breach

NAME = "a_run_repeats_itself"


def a_run_repeats_itself(trace: Trace, strategy: Strategy, tools: Iterable[ToolSpec]) -> Iterator[Breach]:
    """A run is what its recorded inputs make of a fresh agent with a fresh strategy of the same kind."""
    agent = Agent(strategy, tools)
    for at_ms, item, told in _steps(trace.records):
        try:
            again = agent.receive(item, at_ms)
        except StrategyError as error:
            yield _breach(at_ms, f"{type(item).__name__}: {error}")
            return
        for first, second in zip_longest(told, again):
            if not _is_same(first, second):
                yield _breach(at_ms, f"after {type(item).__name__}: first {_short(first)}, then {_short(second)}")
                return


def _breach(at_ms: int, what: str) -> Breach:
    return Breach(invariant=NAME, blame=Blame.STRATEGY, at_ms=at_ms, what=what)


def _steps(records: Iterable[Record]) -> Iterator[tuple[int, Input, list[Command]]]:
    """Return each input with the commands that followed it."""
    step: tuple[int, Input, list[Command]] | None = None
    for at_ms, item in records:
        if not isinstance(item, Command):
            if step is not None:
                yield step
            step = (at_ms, item, [])
        elif step is not None:
            step[2].append(item)
    if step is not None:
        yield step


def _is_same(first: Command | None, second: Command | None) -> bool:
    """Whether two commands are equal; the trajectory that a model call refers to goes on growing, so it is left out."""
    if isinstance(first, c.CallModel) and isinstance(second, c.CallModel):
        return (first.generation, first.length, first.turn, first.epoch, first.call_in_turn) == (
            second.generation,
            second.length,
            second.turn,
            second.epoch,
            second.call_in_turn,
        )
    return first == second


def _short(command: Command | None) -> str:
    if isinstance(command, c.CallModel):
        return f"CallModel(generation={command.generation}, length={command.length})"
    return repr(command)
