"""Every shipped strategy answers every question at every moment."""

import pytest

from simlab.core.decisions import Moment
from simlab.strategies import STRATEGIES
from simlab.testing.schedule import parse_schedule
from simlab.testing.stage import Stage

BUSY = (
    "U1 arrives user.input from user\nU1 is-routed queue\ninstant settles\nmodel says look pack burn\ninstant settles"
)


@pytest.mark.parametrize("name", STRATEGIES.names())
def test_a_strategy_can_be_asked_about_open_calls_at_any_moment(name: str) -> None:
    """Even one that never appends anything while a call is open: the agent decides when to ask."""
    strategy = STRATEGIES.get(name)
    stage = Stage(strategy, watch=False)
    for move in parse_schedule(BUSY):
        stage.play(move)
    calls = stage.agent.view.open_calls
    assert calls
    for moment in Moment:
        assert set(strategy.on_open_calls(stage.agent.view, calls, moment)) <= {call.call.id for call in calls}
