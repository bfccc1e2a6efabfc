"""Random schedules.

Swarm testing (Groce et al., "Swarm Testing", 2012): each walk first switches a random part of what can happen off, so
that runs of rare combinations are as frequent as average ones.
"""

from dataclasses import dataclass, replace
from random import Random
from typing import Final

from simlab.core.agent import Agent
from simlab.core.events import EventType, Handling
from simlab.core.plugins import Strategy
from simlab.testing.schedule import SETTLE, Move, Schedule
from simlab.testing.stage import ACKNOWLEDGEMENTS, TOOLS, AgentMaker, Stage

EVENT_TYPES: Final = (
    EventType.USER_INPUT,
    EventType.USER_INTERRUPT,
    EventType.AGENT_INPUT,
    EventType.SUPERVISOR_INSTRUCTION,
    EventType.EXTERNAL_TRIGGER,
    EventType.TIMER_TRIGGER,
)
SOURCES: Final = ("user", "peer")
WAITS_MS: Final = (0, 0, 0, 1, 1, 100, 600)
_MODEL_VERBS: Final = ("says", "stops", "streams")


@dataclass(frozen=True, slots=True, kw_only=True)
class Swarm:
    """What can happen in one walk, and how long it is."""

    types: tuple[str, ...] = EVENT_TYPES
    handlings: tuple[str, ...] = tuple(Handling)
    tools: tuple[str, ...] = tuple(tool.name for tool in TOOLS)
    waits_ms: tuple[int, ...] = WAITS_MS
    calls_at_most: int = 3
    arrival_weight: int = 2
    moves: int = 25


def random_swarm(rng: Random) -> Swarm:
    """Switch a random part of everything off."""
    return Swarm(
        types=_some(rng, EVENT_TYPES),
        handlings=_some(rng, tuple(Handling)),
        tools=_some(rng, tuple(tool.name for tool in TOOLS)),
        waits_ms=rng.choice((WAITS_MS, (0,), (0, 1), (1,), (1, 600))),
        calls_at_most=rng.choice((1, 2, 3)),
        arrival_weight=rng.choice((1, 2, 6)),
        moves=rng.choice((8, 15, 25, 50)),
    )


def _some(rng: Random, words: tuple[str, ...]) -> tuple[str, ...]:
    kept = tuple(word for word in words if rng.random() < 0.5)
    return kept or (rng.choice(words),)


def offers(stage: Stage, swarm: Swarm, rng: Random) -> list[Move]:
    """Return what could happen next, each once (arrivals by their weight), with details drawn."""
    made = [_arrival(stage, swarm, rng)] * swarm.arrival_weight
    made += [Move(subject=each, verb="is-routed", words=(rng.choice(swarm.handlings),)) for each in stage.routing]
    made += [Move(subject="model", verb=verb, words=_words(verb, swarm, rng)) for verb in _MODEL_VERBS]
    made += [Move(subject=each, verb=verb, words=_words(verb, swarm, rng)) for each in stage.tools for verb in _ENDS]
    made += [Move(subject=each, verb="is-answered", words=(_outcome(rng),)) for each in stage.sides]
    made += [Move(subject=each, verb="fires") for each in stage.timers]
    made.append(SETTLE)
    return [move for move in made if stage.is_legal(move)]


_ENDS: Final = ("is-prepared", "ends", "acknowledges")


def _arrival(stage: Stage, swarm: Swarm, rng: Random) -> Move:
    marks = ("urgently",) if rng.random() < 0.3 else ()
    words = (rng.choice(swarm.types), "from", rng.choice(SOURCES), *marks)
    return Move(subject=f"U{len(stage.seen) + 1}", verb="arrives", words=words)


def _words(verb: str, swarm: Swarm, rng: Random) -> tuple[str, ...]:
    if verb == "says":
        return tuple(rng.choice(swarm.tools) for _ in range(rng.randint(0, swarm.calls_at_most)))
    if verb == "acknowledges":
        return (rng.choice(list(ACKNOWLEDGEMENTS)),)
    return ("failing",) if verb == "ends" and rng.random() < 0.2 else ()


def _outcome(rng: Random) -> str:
    return rng.choice(("answered", "for_main"))


def walk(strategy: Strategy, rng: Random, *, make_agent: AgentMaker = Agent, swarm: Swarm | None = None) -> Stage:
    """Let random things happen to an agent, then let it come to rest; what was found is on the stage."""
    stage = Stage(strategy, make_agent=make_agent)
    chosen = random_swarm(rng) if swarm is None else swarm
    for _ in range(chosen.moves):
        moves = offers(stage, chosen, rng)
        if stage.found or not moves:
            break
        stage.play(replace(rng.choice(moves), wait_ms=rng.choice(chosen.waits_ms)))
    stage.rest()
    return stage


def perform(schedule: Schedule, strategy: Strategy, *, make_agent: AgentMaker = Agent) -> Stage:
    """Play a schedule, leaving out what is not legal when its turn comes, then let the agent come to rest."""
    stage = Stage(strategy, make_agent=make_agent)
    for move in schedule:
        stage.play(move)
    stage.rest()
    return stage
