"""Shrinking takes with a move what depends on it, and numbers the rest anew."""

from simlab.testing.schedule import Schedule, parse_schedule, schedule_text
from simlab.testing.shrinking import shrink
from simlab.testing.stage import Stage
from simlab.testing.walking import perform
from tests.planted.strategies import LeavesCallsOpen

LONG = """
U1 arrives external.trigger from peer urgently
+5 U1 is-routed parallel
+600 model says pack burn
+1 c1 is-prepared
U2 arrives timer.trigger from user
c1 ends failing
c2 ends
U2 is-routed queue
instant settles
model says act look burn
instant settles
+100 U3 arrives user.input from peer
U3 is-routed cancel
c3 ends
"""


def test_a_long_schedule_becomes_the_one_that_a_person_would_have_written() -> None:
    name = "every_call_is_closed_once"
    schedule = parse_schedule(LONG)

    def run(each: Schedule) -> Stage:
        return perform(each, LeavesCallsOpen())

    assert name in {found.name for found in run(schedule).found}
    smallest = schedule_text(shrink(schedule, name, run))
    assert smallest == (
        "U1 arrives user.input from user\nU1 is-routed queue\ninstant settles\n"
        "model says look\nU2 arrives user.input from user\n"
    )


def test_what_does_not_fail_stays_as_it_is() -> None:
    schedule = parse_schedule("U1 arrives user.input from user")
    assert shrink(schedule, "nothing", lambda each: perform(each, LeavesCallsOpen())) == schedule
