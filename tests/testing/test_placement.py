"""Places, schedules and their tokens."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simlab.testing.errors import StormError
from simlab.testing.fakes import Workload
from simlab.testing.placement import Arrival, Place, Schedule, pairs, places_of, schedules, singles, thinned

PLACES = [Place(float(index // 3), index % 3) for index in range(30)]


@given(schedules(lambda _workload: PLACES))
@settings(max_examples=50, deadline=None)
def test_a_schedule_is_read_back_from_its_text(schedule: Schedule) -> None:
    assert Schedule.parse(schedule.text) == schedule


def test_a_schedule_without_arrivals_has_a_text_too() -> None:
    calm = Schedule(policy="queue")
    assert calm.text == "queue/none/1000x2-2000.3000-1500"
    assert Schedule.parse(calm.text) == calm


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("interrupt/none", "expected POLICY/ARRIVALS/WORKLOAD"),
        ("shout/none/1000x2-500", "no policy 'shout'; known: interrupt"),
        ("queue/message@1/1000x2-500", "expected KIND@SECONDS"),
        ("queue/shout@1+0/1000x2-500", "expected KIND@SECONDS"),
        ("queue/none/1000-500", "expected THINKxCHUNKS"),
        ("queue/none/1000x2-0", "at least 1"),
    ],
)
def test_a_token_that_cannot_be_read_says_what_was_expected(text: str, says: str) -> None:
    with pytest.raises(StormError, match=says):
        Schedule.parse(text)


def test_an_instant_has_a_place_for_every_hop_and_one_when_all_is_done() -> None:
    found = places_of({0.0: 3, 1.0: 2, 4.0: 5}, (0.0, 1), (4.0, 1))
    assert [place.text for place in found] == [
        "0.0+2", "0.0+3", "0.5+0", "1.0+0", "1.0+1", "1.0+2", "2.5+0", "4.0+0", "4.0+1",
    ]  # fmt: skip


@given(st.integers(2, 40))
def test_thinning_keeps_the_ends_the_order_and_the_limit(limit: int) -> None:
    kept = thinned(PLACES, limit)
    assert len(kept) == min(limit, len(PLACES))
    assert (kept[0], kept[-1]) == (PLACES[0], PLACES[-1])
    assert kept == sorted(set(kept))


def test_without_a_limit_every_place_is_kept() -> None:
    assert thinned(PLACES, None) == PLACES
    assert [group[0].place for group in singles(PLACES)] == PLACES


@given(st.integers(3, 500))
def test_pairs_are_ordered_and_under_their_limit(limit: int) -> None:
    found = list(pairs(PLACES, ("stop", "message"), limit=limit))
    assert 0 < len(found) <= limit
    assert all(early.place <= late.place and (early.kind, late.kind) == ("stop", "message") for early, late in found)
    assert len(set(found)) == len(found)


def test_an_arrival_keeps_its_instant_to_the_last_digit() -> None:
    arrival = Arrival("stop", Place(0.1 + 0.2, 7))
    assert Arrival.parse(arrival.text) == arrival


def test_a_workload_names_its_calls_by_round_and_column() -> None:
    assert Workload().labels == [[("a1", 2000), ("a2", 3000)], [("b1", 1500)]]
