"""A correction against a tool that takes effect at one instant of its run: the chance of being in time.

Closed form (docs/validation.md): for a correction uniform over a run of length D, an effect at the share f of
it, cancel points at h, 2h, ..., and a signal delay r, the chance of being in time is

    max(0, h (ceil(f D / h) - 1) - r) / D        (commits come first in a tie)

which tends to f for h, r -> 0, and is 0 when the tool cannot be cancelled. Times are whole milliseconds, so every
instant of the run is tried: the share of those in time is the chance itself, without a tolerance.
"""

from dataclasses import replace
from fractions import Fraction
from math import ceil

import pytest

from simlab.core.record import IntentKind, RunRecord
from simlab.sim.spec import CancelPoints, ModelSpec, Step, ToolModel
from tests.validation.building import constant, event, request, run, tool, world

D_MS = 120
STARTS_MS = 50

IMMEDIATE = tool("send", D_MS, cancel_points=CancelPoints.ANYWHERE)
STEPWISE = tool("send", D_MS, cancel_points=CancelPoints.STEPS, cancel_every_ms=30)
UNEVEN = tool("send", D_MS, cancel_points=CancelPoints.STEPS, cancel_every_ms=50)
DEAF = tool("send", D_MS, cancel_points=CancelPoints.NONE)
FIXED = tool("send", D_MS, can_be_cancelled=False)

CASES: dict[str, tuple[ToolModel, int | None]] = {
    "immediate": (IMMEDIATE, 1),
    "immediate, signal delayed": (replace(IMMEDIATE, signal_ms=17), 1),
    "immediate, acknowledgement delayed": (replace(IMMEDIATE, ack_ms=25), 1),
    "stepwise": (STEPWISE, 30),
    "stepwise, signal delayed": (replace(STEPWISE, signal_ms=17), 30),
    "stepwise, signal delayed by more than a step": (replace(STEPWISE, signal_ms=41, ack_ms=9), 30),
    "steps that do not divide the run": (UNEVEN, 50),
    "impossible: it never looks": (DEAF, None),
    "impossible: declared so": (FIXED, None),
}
"""Tools with their h in milliseconds: 1 where every millisecond is a cancel point, None where there is none."""


def corrected_after(model: ToolModel, t_ms: int, strategy: str) -> RunRecord:
    """Run one tool, and correct its request t milliseconds after the tool has started."""
    spec = world(
        tools=(model,),
        steps=(Step(id="a", tool="send"),),
        events=(request(), event("U2", STARTS_MS + t_ms, IntentKind.CORRECT, task="U1")),
        model=ModelSpec(call_ms=constant(STARTS_MS)),
    )
    return run(spec, strategy)


def stops_after(h_ms: int | None, r_ms: int, t_ms: int) -> float:
    """When a tool that is asked to stop at t stops: at the first cancel point that the signal reaches."""
    return float("inf") if h_ms is None else h_ms * ceil((t_ms + r_ms) / h_ms)


def chance_in_time(h_ms: int | None, r_ms: int, commits_ms: int) -> Fraction:
    """The closed form above."""
    if h_ms is None:
        return Fraction(0)
    return Fraction(max(0, h_ms * (ceil(Fraction(commits_ms, h_ms)) - 1) - r_ms), D_MS)


@pytest.mark.parametrize("share", [0.0, 0.25, 0.5, 0.7, 1.0])
@pytest.mark.parametrize("case", CASES)
def test_a_correction_is_in_time_as_often_as_the_formula_says(case: str, share: float) -> None:
    model, h_ms = CASES[case]
    model = replace(model, commit_share=share)
    commits_ms = round(share * D_MS)
    in_time = 0
    for t_ms in range(1, D_MS + 1):
        record = corrected_after(model, t_ms, "cancel")
        expected = stops_after(h_ms, model.signal_ms, t_ms) < commits_ms
        assert (record.effects == []) is expected, f"correction {t_ms} ms after the start"
        in_time += expected
    assert Fraction(in_time, D_MS) == chance_in_time(h_ms, model.signal_ms, commits_ms)


def test_the_chance_tends_to_the_share_for_fine_steps_and_no_delay() -> None:
    for share in (0.25, 0.5, 0.7):
        assert abs(chance_in_time(1, 0, round(share * D_MS)) - Fraction(share)) <= Fraction(1, D_MS)


@pytest.mark.parametrize("case", CASES)
def test_queue_never_prevents_the_effect(case: str) -> None:
    model = replace(CASES[case][0], commit_share=0.7)
    for t_ms in range(1, D_MS + 1):
        record = corrected_after(model, t_ms, "queue")
        (effect,) = record.effects
        assert effect.at_ms == STARTS_MS + 84
        assert effect.after_correction is (t_ms < 84)


@pytest.mark.parametrize("case", [case for case, (_, h_ms) in CASES.items() if h_ms is not None])
def test_the_placeholder_says_what_the_ledger_says(case: str) -> None:
    model, _ = CASES[case]
    for t_ms in range(1, D_MS + 1, 7):
        record = corrected_after(replace(model, commit_share=0.5), t_ms, "cancel")
        words = {str(getattr(message, "state", "")) for message in record.trace.trajectory()}
        if record.tool_runs[0].outcome == "cancelled":
            took = "after" if record.effects else "before"
            assert f"cancelled {took} it took effect" in words
