"""A router measured on messages and tried in a scenario; break-even where the difference changes sign."""

import math
from pathlib import Path

import pytest

from simlab.analysis.confusion import confusion
from simlab.core.errors import SimlabError
from simlab.core.events import Handling
from simlab.experiment.router_eval import (
    GRID,
    MEASURES,
    Cost,
    costs,
    crossing,
    factor_for,
    measure_file,
    measure_router,
    read_messages,
)
from simlab.experiment.routing import find_router
from simlab.experiment.scenario import load_scenario

MESSAGES = Path(__file__).parents[2] / "simlab" / "routers" / "data" / "messages.csv"
ROWS = """text,handling,predicted,latency_ms
stop,cancel,cancel,500
halt,cancel,queue,700
later,queue,queue,600
and then,queue,queue,600
thanks,queue,cancel,600
what time is it,parallel,parallel,600
what is 2 and 2,parallel,queue,600
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "mine.csv"
    path.write_text(text, encoding="utf-8")
    return path


def told(found: list[Cost]) -> dict[str, Cost]:
    return {each.measure: each for each in found}


def test_predictions_and_latencies_of_a_file_are_taken_as_they_are(tmp_path: Path) -> None:
    found = measure_file(read_messages(write(tmp_path, ROWS)), "mine")
    assert found.confusion.accuracy.estimate == pytest.approx(4 / 7)
    assert found.right == (True, False, True, True, False, True, False)
    assert [found.latency.quantile(u) for u in (1e-9, 0.5, 1 - 1e-9)] == pytest.approx([500, 600, 700])


def test_arms_that_do_the_same_differ_by_exactly_nothing() -> None:
    """Not by 1e-14 either: a rounding error above 0 would be taken for a break-even accuracy."""
    rows = [row for row in read_messages(MESSAGES) if row.groups["split"] == "test"]
    mine = measure_router(rows, find_router("rules"))
    found = costs(load_scenario("coding-assistant").world, mine, mine, replications=20)
    ends = [end for each in found for _, gap in each.curve for end in (gap.value, gap.low, gap.high)]
    tiny = [end for end in ends if abs(end) < 1e-6]
    assert tiny
    assert not any(tiny)


def test_a_router_by_name_reads_the_texts(tmp_path: Path) -> None:
    found = measure_router(read_messages(write(tmp_path, ROWS)), find_router("keyword"))
    assert found.confusion.count(Handling.CANCEL, Handling.CANCEL) == 2
    assert found.latency.quantile(0.5) == 0


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a,b\n1,2\n", "columns: 'text' and 'handling' are needed, found a, b"),
        ("text,handling\n", "holds no message"),
        ("text,handling\nx,now\n", "line 2: handling: must be cancel, queue, parallel, not 'now'"),
        ("text,handling,predicted\nx,queue,never\n", "line 2: predicted: must be"),
        ("text,handling,latency_ms\nx,queue,fast\n", "line 2: latency_ms: must be milliseconds from 0 up, not 'fast'"),
        ("text,handling,latency_ms\nx,queue,-1\n", "line 2: latency_ms: must be milliseconds from 0 up"),
    ],
)
def test_a_mistake_in_the_file_is_told_with_its_line(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(SimlabError, match=says):
        read_messages(write(tmp_path, text))


def test_a_missing_prediction_asks_for_a_router(tmp_path: Path) -> None:
    rows = read_messages(write(tmp_path, "text,handling\nx,queue\n"))
    with pytest.raises(SimlabError, match="missing in 1 of 1 rows; give a --router"):
        measure_file(rows, "mine")


def test_the_factor_gives_the_accuracy_that_was_asked_for(tmp_path: Path) -> None:
    matrix = measure_file(read_messages(write(tmp_path, ROWS)), "mine").confusion
    for accuracy in (1.0, 0.9, 0.6, 0.5):
        factor = factor_for(matrix, accuracy)
        assert factor is not None
        assert matrix.accuracy_at(factor) == pytest.approx(accuracy, abs=1e-9)


def test_an_accuracy_that_no_scaling_reaches_has_no_factor() -> None:
    matrix = confusion([(each, each) for each in Handling])
    assert factor_for(matrix, 1.0) is not None
    assert factor_for(matrix, 0.9) is None


def test_the_break_even_lies_on_the_line_between_two_accuracies() -> None:
    assert crossing((1.0, 0.9, 0.8), (-1.0, -0.5, 0.5)) == pytest.approx(0.85)
    assert crossing((1.0, 0.9), (-1.0, -0.5)) == -math.inf
    assert crossing((1.0, 0.9), (0.1, 0.5)) == math.inf
    assert crossing((1.0, 0.9), (0.0, 1.0)) == pytest.approx(1.0)
    assert math.isnan(crossing((1.0, 0.9), (0.0, 0.0))), "no gap, so nothing to break even"


def test_a_router_against_itself_costs_nothing(tmp_path: Path) -> None:
    measured = measure_file(read_messages(write(tmp_path, ROWS)), "mine")
    for cost in costs(load_scenario("customer-desk").world, measured, measured, replications=8):
        assert cost.router == cost.reference or math.isnan(cost.router)
        assert {cost.difference.value, cost.difference.low, cost.difference.high} == {0.0} or math.isnan(cost.router)


def test_pure_latency_delays_side_questions_by_about_itself_and_more_errors_cost_more(tmp_path: Path) -> None:
    """The same matrix ten seconds later: a side question waits ten seconds longer, and none of the accuracies helps."""
    rows = read_messages(write(tmp_path, ROWS))
    slow = measure_file(rows, "slow", latency_ms=10_000)
    fast = measure_file(rows, "fast", latency_ms=0)
    world = load_scenario("research-assistant").world
    found = told(costs(world, slow, fast, replications=30, seed=2))
    assert tuple(found) == tuple(MEASURES)
    side = found["side questions answered, s"]
    assert side.difference.low > 0
    curve = dict(side.curve)
    assert curve[1.0].value <= curve[min(curve)].value
    assert all(accuracy in GRID for accuracy in curve)


def test_the_same_seed_gives_the_same_numbers(tmp_path: Path) -> None:
    measured = measure_file(read_messages(write(tmp_path, ROWS)), "mine")
    rules = measure_router(read_messages(write(tmp_path, ROWS)), find_router("rules"))
    world = load_scenario("customer-desk").world
    assert repr(costs(world, measured, rules, replications=5)) == repr(costs(world, measured, rules, replications=5))


def test_an_interval_needs_two_replications(tmp_path: Path) -> None:
    measured = measure_file(read_messages(write(tmp_path, ROWS)), "mine")
    with pytest.raises(SimlabError, match="replications: 1; an interval needs at least 2"):
        costs(load_scenario("customer-desk").world, measured, measured, replications=1)
