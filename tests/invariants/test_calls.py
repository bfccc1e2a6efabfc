"""What an end without certainty needs."""

from simlab.invariants import check
from simlab.strategies.cancel import Cancel
from simlab.testing.schedule import parse_schedule
from simlab.testing.stage import Stage


def test_a_tool_that_does_not_know_itself_whether_it_took_effect_has_told_all_there_is() -> None:
    stage = Stage(Cancel())
    text = """
        U1 arrives user.input from user
        U1 is-routed queue
        instant settles
        model says look
        instant settles
        +1 U2 arrives user.interrupt from user
        U2 is-routed cancel
        c1 acknowledges unknown
    """
    for move in parse_schedule(text):
        assert stage.play(move)
    assert stage.rest() == []
    assert check(stage.record) == []
