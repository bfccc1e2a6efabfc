"""Write results/faults.md: the hand-computed scenario against 20,000 runs, and what every mitigation changes and costs.

python docs/make_faults.py
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import sqrt
from pathlib import Path

from simlab.analysis.metrics import event_rows, run_row
from simlab.analysis.stats.paired import paired_means
from simlab.core.events import EventType
from simlab.core.messages import ToolKind, ToolSpec, Wording
from simlab.core.plugins import Strategy
from simlab.core.record import IntentKind, RunRecord
from simlab.routers import ROUTERS
from simlab.sim.driver import simulate
from simlab.sim.faults import Hazards, preset
from simlab.sim.interfaces import asynchronous, confirmed, keyed
from simlab.sim.laws import Constant, Exponential, Lognormal, Uniform
from simlab.sim.spec import (
    Acts,
    EventSpec,
    Intent,
    ModelSpec,
    PlacedSpec,
    Plan,
    Step,
    StreamSpec,
    ToolModel,
    WorldSpec,
)
from simlab.strategies import STRATEGIES
from simlab.strategies.mitigations import Mitigations, mitigated

PAGE = Path(__file__).parents[1] / "results" / "faults.md"
SEED = 2026
BY_HAND = 20_000
PAIRED = 2_000
F, R, G = 0.3, 0.25, 0.2

# --- the scenario worked out by hand ------------------------------------------------------------------------------


def by_hand_world() -> WorldSpec:
    """Return the world of tests/sim/faults/test_expected.py, where the sums are explained."""
    tools = (
        ToolModel(spec=ToolSpec(name="post"), run_ms=Constant(value=8000.0), commit_share=0.75),
        ToolModel(spec=ToolSpec(name="send"), run_ms=Constant(value=1000.0), commit_share=0.5),
    )
    plan = Plan(steps=(Step(id="a", tool="post"), Step(id="b", tool="send", needs=("a",))))
    events = (
        EventSpec(id="U1", at_ms=0, type=EventType.USER_INPUT, intent=Intent(kind=IntentKind.REQUEST, plan="p")),
        EventSpec(id="U2", at_ms=5000, type=EventType.USER_INPUT, intent=Intent(kind=IntentKind.LIGHT)),
    )
    return WorldSpec(
        name="by hand",
        tools=tools,
        plans={"p": plan},
        events=events,
        model=ModelSpec(call_ms=Constant(value=1000.0)),
        hazards=Hazards(fabricate=F, repeat=R, forget=G),
    )


WORKED_OUT: Mapping[str, Mapping[str, float]] = {
    "cancel-background": {
        "forget_sampled": G,
        "repeat_sampled": (1 - G) * R,
        "effects_duplicate": (1 - G) * R * (1 - F * F),
        "fabricate_sampled": (1 - G) * (F + F * F),
        "unfinished": 0.0,
    },
    "cancel": {
        "forget_sampled": G,
        "repeat_sampled": 0.0,
        "effects_duplicate": 0.0,
        "fabricate_sampled": (1 - G) * (F + F * F),
        "unfinished": G,
    },
}


def by_hand() -> Iterator[str]:
    """Compare what was worked out with what is simulated."""
    world = by_hand_world()
    yield "| strategy | count | worked out | simulated | 95 % interval |"
    yield "|---|---|---|---|---|"
    for name, expected in WORKED_OUT.items():
        strategy, router = STRATEGIES.get(name), ROUTERS.get("by_type")
        rows = [run_row(simulate(world, strategy, router, seed=SEED, replication=each)) for each in range(BY_HAND)]
        for count, value in expected.items():
            values = [row.tasks - row.tasks_finished if count == "unfinished" else getattr(row, count) for row in rows]
            mean = sum(values) / BY_HAND
            half = 1.96 * sqrt(sum((each - mean) ** 2 for each in values) / (BY_HAND - 1) / BY_HAND)
            yield f"| {name} | {count} | {value:.4f} | {mean:.4f} | {mean - half:.4f} to {mean + half:.4f} |"


# --- mitigations ---------------------------------------------------------------------------------------------------

READ = ToolModel(spec=ToolSpec(name="read"), run_ms=Lognormal(median=6000.0, sigma=1.0, cap=120_000.0))
POST = ToolModel(
    spec=ToolSpec(name="post", kind=ToolKind.EFFECT, irreversible=True),
    run_ms=Lognormal(median=6000.0, sigma=0.7, cap=120_000.0),
    commit_share=0.7,
)
CHECK = ToolModel(spec=ToolSpec(name="check"), run_ms=Constant(value=1000.0), acts=Acts.CHECK)
MODEL = ModelSpec(
    ttft_ms=Lognormal(median=800.0, sigma=0.5),
    decode_tok_s=Constant(value=70.0),
    step_tokens=Lognormal(median=150.0, sigma=0.8),
    answer_tokens=Lognormal(median=100.0, sigma=0.6),
    event_tokens=60,
    system_tokens=4000,
)


def world(hazards: Hazards | None) -> WorldSpec:
    """Return the world in which mitigations are tried.

    One task: three look-ups, a message posted, a look-up, another message posted. Remarks come every 15 s on average
    during the first 90 s; in three runs of ten the task is withdrawn at some time.
    """
    steps = (
        Step(id="a", tool="read"),
        Step(id="b", tool="read"),
        Step(id="c", tool="read", needs=("a",)),
        Step(id="first", tool="post", needs=("b", "c")),
        Step(id="d", tool="read", needs=("c",)),
        Step(id="second", tool="post", needs=("first", "d")),
    )
    request = EventSpec(id="U1", at_ms=0, type=EventType.USER_INPUT, intent=Intent(kind=IntentKind.REQUEST, plan="p"))
    remark = EventSpec(
        id="m",
        at_ms=0,
        type=EventType.USER_INPUT,
        intent=Intent(kind=IntentKind.LIGHT),
        patience_ms=Constant(value=60_000.0),
    )
    withdrawn = EventSpec(
        id="stop", at_ms=0, type=EventType.USER_INTERRUPT, intent=Intent(kind=IntentKind.CORRECT, task="U1")
    )
    return WorldSpec(
        name="mitigations",
        tools=(READ, POST),
        plans={"p": Plan(steps=steps)},
        events=(request,),
        streams=(
            StreamSpec(name="remarks", gap_ms=Exponential(scale=15_000.0), variants=((1.0, remark),), until_ms=90_000),
        ),
        placed=(PlacedSpec(task="U1", variants=((1.0, withdrawn),), share=Uniform(low=0.0, high=1.0), chance=0.3),),
        model=MODEL,
        horizon_ms=1_200_000,
        hazards=hazards,
    )


TERSE = Mitigations(wording=Wording.TERSE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """A mitigation: what it makes of the world, and of the strategy."""

    world: Callable[[WorldSpec], WorldSpec] = lambda world: world
    switches: Mitigations = TERSE


ARMS: Mapping[str, Arm] = {
    "none (terse placeholders)": Arm(),
    "explicit wording": Arm(switches=Mitigations(wording=Wording.EXPLICIT)),
    "numbered batches": Arm(switches=Mitigations(wording=Wording.TERSE, numbered=True)),
    "resume reminder": Arm(switches=Mitigations(wording=Wording.TERSE, reminder=True)),
    "asynchronous look-ups and posts": Arm(world=lambda world: asynchronous(world, "read", "post")),
    "idempotency keys": Arm(world=lambda world: keyed(world, "post")),
    "check, then post": Arm(world=lambda world: confirmed(world, CHECK, "post")),
    "posts shielded": Arm(switches=Mitigations(wording=Wording.TERSE, shield_irreversible=True)),
}
FAULTS = ("fabricate", "neglect", "forget", "repeat", "derail")
OUTCOMES = ("effects_invented", "effects_duplicate", "effects_after_correction", "effects_unknown", "claims_unfounded")
PRICES = ("main_calls", "input_tokens", "finished_s", "response_s")
COLUMNS = (*(f"{fault}_{number}" for number in ("exposure", "expected") for fault in FAULTS), *OUTCOMES, *PRICES)


def measured(record: RunRecord) -> list[float]:
    """Return the columns of a run. Times are seconds, cut at the horizon."""
    row = run_row(record)
    task = record.tasks["U1"]
    over = [each for each in (task.finished_ms, task.voided_ms) if each is not None]
    remarks = [each for each in event_rows(record) if each.kind == "light" and not each.is_repeat]
    responses = [each.at_risk_ms if each.response_ms is None else each.response_ms for each in remarks]
    times = {
        "finished_s": (max(over) if over else 1_200_000) / 1000,
        "response_s": sum(responses) / len(responses) / 1000 if responses else 0.0,
    }
    return [float(times[name]) if name in times else float(getattr(row, name)) for name in COLUMNS]


def arm(strategy: Strategy, spec: WorldSpec) -> list[list[float]]:
    """Return the columns of all runs of an arm."""
    router = ROUTERS.get("by_type")
    runs = [measured(simulate(spec, strategy, router, seed=SEED, replication=each)) for each in range(PAIRED)]
    return [list(column) for column in zip(*runs, strict=True)]


def mitigations(base: str, hazards: Hazards | None) -> Iterator[str]:
    """Write, for a strategy, the value without any mitigation and what each changes, with its interval."""
    plain = world(hazards)
    found = {
        name: arm(mitigated(STRATEGIES.get(base), each.switches), each.world(plain)) for name, each in ARMS.items()
    }
    (first, *others) = found
    yield f"| per run | {first} | " + " | ".join(others) + " |"
    yield "|---" * (len(found) + 1) + "|"
    for number, column in enumerate(COLUMNS):
        values = found[first][number]
        cells = []
        for name in others:
            paired = paired_means(found[name][number], values).difference
            changed = any(a != b for a, b in zip(found[name][number], values, strict=True))
            cells.append(f"{paired.estimate:+.3f} ({paired.low:+.3f}, {paired.high:+.3f})" if changed else "=")
        yield f"| {column} | {sum(values) / PAIRED:.3f} | " + " | ".join(cells) + " |"


OPENING = """# Faults of the model: what was worked out, and what mitigations change

Made by `python docs/make_faults.py` (seed {seed}; the figures repeat). What the words mean:
[docs/faults.md](../docs/faults.md).

## A scenario worked out by hand

{by_hand:,} runs of each strategy; hazards fabricate {f}, repeat {r}, forget {g}, nothing put right. The sums are
explained in `tests/sim/faults/test_expected.py`.
"""

MITIGATIONS = """
## Mitigations, preset `default`

{paired:,} paired runs. First column: mean without mitigation (terse placeholders). Others: change, and its 95 %
interval; `=`: the same in every single run. `exposure` counts opportunities, `expected` adds up their hazards; what
follows are sampled outcomes and prices (`finished_s`: the task is finished or withdrawn; `response_s`: mean wait of a
remark for its answer; both cut at the horizon of 20 min). One task with look-ups and two irreversible posts, a remark
every 15 s on average during the first 90 s, the task withdrawn in three runs of ten.

Jobs have no decision points by definition: read the note in
[docs/faults.md](../docs/faults.md#what-counts-as-a-decision-point) before taking the asynchronous column for a gain."""


def page() -> Iterator[str]:
    """Write the page."""
    yield OPENING.format(seed=SEED, by_hand=BY_HAND, f=F, r=R, g=G)
    yield from by_hand()
    yield MITIGATIONS.format(paired=PAIRED)
    for base in ("cancel", "cancel-background"):
        yield f"\n### {base}\n"
        yield from mitigations(base, preset("default"))


if __name__ == "__main__":
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text("\n".join(page()) + "\n", encoding="utf-8")
