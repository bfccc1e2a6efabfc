"""A scenario worked out by hand: how many fabrications, duplicates and forgotten tasks constant hazards give.

The small world with an effect in its first step (``post``, 8 s, its effect at 6 s of it) and hazards g (forget), r
(repeat), f (fabricate), nothing put right. The remark comes at 5 s and interrupts.

``cancel-background``: at 5 s the task is forgotten with g. If so, its late result brings it back at 9 s, and nothing is
missing any more. If not, b is invented with f. A model that believes it has the result of ``post`` does not call it
again; otherwise it does with r, and the round closes at 14 s, when all is known. An invented b comes back at 7 s, two
seconds before the true result, and the final answer is invented with f; if it is not, ``post`` is called again with r
(the same draw: it is one opportunity). So

    forgotten = g,  repeats = (1 - g) r,  duplicates = (1 - g) r (1 - f^2),  fabrications = (1 - g) (f + f^2).

``cancel``: a forgotten task is lost. If not forgotten, b is invented with f; then, ``post`` not being made again, the
final answer is invented with f, and if it is not, ``post`` is made again. So

    unfinished tasks = g,  no repeats,  fabrications = (1 - g) (f + f^2).
"""

from dataclasses import replace
from math import sqrt
from random import Random

import pytest

from simlab.core.record import FaultKind, RunRecord
from simlab.routers import ROUTERS
from simlab.sim.driver import simulate
from simlab.strategies import STRATEGIES
from simlab.testing.worlds import random_world
from tests.sim.faults.small import POST_THEN_SEND, certain, drawn, small

F, R, G = 0.3, 0.25, 0.2
WORLD = small(steps=POST_THEN_SEND, hazards=certain(fabricate=F, repeat=R, forget=G))
EXPECTED = {
    "cancel-background": {
        "forgotten": G,
        "repeats": (1 - G) * R,
        "duplicates": (1 - G) * R * (1 - F * F),
        "fabrications": (1 - G) * (F + F * F),
        "unfinished": 0.0,
    },
    "cancel": {
        "forgotten": G,
        "repeats": 0.0,
        "duplicates": 0.0,
        "fabrications": (1 - G) * (F + F * F),
        "unfinished": G,
    },
    "queue": {"forgotten": 0.0, "repeats": 0.0, "duplicates": 0.0, "fabrications": 0.0, "unfinished": 0.0},
}


def counts(record: RunRecord) -> dict[str, int]:
    return {
        "forgotten": len(drawn(record, FaultKind.FORGET)),
        "repeats": len(drawn(record, FaultKind.REPEAT)),
        "duplicates": sum(each.duplicate for each in record.effects),
        "fabrications": len(drawn(record, FaultKind.FABRICATE)),
        "unfinished": sum(each.finished_ms is None for each in record.tasks.values()),
    }


def disagreements(strategy: str, replications: int) -> list[str]:
    """Return the counts whose mean leaves three standard errors around what was worked out."""
    made, router = STRATEGIES.get(strategy), ROUTERS.get("by_type")
    found = [counts(simulate(WORLD, made, router, seed=20_26, replication=each)) for each in range(replications)]
    wrong = []
    for name, expected in EXPECTED[strategy].items():
        values = [each[name] for each in found]
        mean = sum(values) / replications
        error = sqrt(sum((value - mean) ** 2 for value in values) / (replications - 1) / replications)
        if abs(mean - expected) > 3 * error:
            wrong.append(f"{strategy}: {name}: {mean:.4f} +- {error:.4f}, worked out: {expected:.4f}")
    return wrong


@pytest.mark.parametrize("strategy", EXPECTED)
def test_means_are_what_was_worked_out_by_hand(strategy: str) -> None:
    assert disagreements(strategy, 1_500) == []


@pytest.mark.nightly
@pytest.mark.parametrize("strategy", EXPECTED)
def test_means_are_what_was_worked_out_by_hand_over_twenty_thousand_runs(strategy: str) -> None:
    assert disagreements(strategy, 20_000) == []


@pytest.mark.parametrize("strategy", ["cancel", "cancel-background"])
def test_every_decision_point_is_contaminated_when_fabrication_is_certain(strategy: str) -> None:
    rng = Random(21)
    met = 0
    for number in range(120):
        spec = replace(random_world(rng), hazards=certain(fabricate=1))
        record = simulate(spec, STRATEGIES.get(strategy), ROUTERS.get("oracle"), seed=4, replication=number)
        points = {(each.task_id, each.node, each.missing): each.generation for each in record.decision_points}
        exposures = {each.subject: each for each in drawn(record, FaultKind.FABRICATE)}
        assert set(exposures) == set(points)
        kept = {call.generation: call.ended_ms for call in record.model_calls if call.kept and not call.side}
        for subject, generation in points.items():
            if generation in kept:
                assert exposures[subject].acted_ms == kept[generation]
        for (task_id, node, missing), generation in points.items():
            if generation not in kept:
                continue
            if node == "final":  # a later amendment, or a true result, may bring another final answer
                assert record.tasks[task_id].invented or record.tasks[task_id].finals > 1
            acted_ms = exposures[task_id, node, missing].acted_ms
            at_once = [
                each
                for each in record.tool_runs
                if (each.task_id, each.step, each.started_ms) == (task_id, node, acted_ms)
            ]
            assert all(each.invented for each in at_once)
        met += len(points)
    assert met > 20
