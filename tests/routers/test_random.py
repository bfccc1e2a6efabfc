"""Verdicts by chance."""

from collections import Counter

from simlab.routers import ROUTERS
from tests.routers.hints import FixedHints, said


def test_each_handling_has_a_third_of_the_numbers_and_no_verdict_takes_time() -> None:
    router = ROUTERS.get("random")
    numbers = [(place + 0.5) / 300 for place in range(300)]
    drawn = Counter(router.route(said("any"), FixedHints(uniform=number)).handling for number in numbers)
    assert drawn == {"cancel": 100, "queue": 100, "parallel": 100}
    assert router.latency_ms(said("any"), FixedHints()) == 0
