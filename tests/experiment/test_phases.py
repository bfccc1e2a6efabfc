"""Phase response: the picture that explains a strategy, and the numbers behind it."""

from pathlib import Path

import pytest

from simlab.core.errors import SimlabError
from simlab.experiment.phase_figure import frame_of, write_phase
from simlab.experiment.phases import MEASURES, find_event, phase_response, phases_of, summary, without
from simlab.experiment.scenario import load_scenario

EMAIL = load_scenario("01-email-weather").world
WEATHER = find_event(EMAIL, "U2")


def test_an_event_in_the_queue_waits_for_the_round_to_close_and_a_cancel_answers_at_once() -> None:
    points = list(phase_response(EMAIL, WEATHER, ("queue", "cancel"), step_ms=1_000))
    response = {(each.arm, each.at_ms): each.value for each in points if each.measure == "response"}
    # thinking 0-2,000, tools 2,000-10,000, thinking 10,000-12,000: the next call begins at 10,000 and takes 2,000
    assert [response["queue", at_ms] for at_ms in (1_000, 5_000, 9_000, 11_000)] == [11.0, 7.0, 3.0, 3.0]
    assert {response["cancel", at_ms] for at_ms in range(0, 13_000, 1_000)} == {2.0}


def test_the_waste_of_a_cancel_is_what_had_been_done() -> None:
    points = list(phase_response(EMAIL, WEATHER, ("cancel",), step_ms=1_000))
    waste = {each.at_ms: each.value for each in points if each.measure == "waste"}
    assert [waste[at_ms] for at_ms in (1_000, 3_000, 9_000, 13_000)] == [1.0, 1.0, 7.0, 0.0]


def test_the_phases_are_those_of_the_run_without_the_event() -> None:
    assert phases_of(without(EMAIL, WEATHER)) == [
        (0, 2_000, "model"),
        (2_000, 10_000, "search_contacts"),
        (10_000, 12_000, "model"),
    ]


def test_an_event_that_is_not_there_is_told_with_those_that_are() -> None:
    with pytest.raises(SimlabError, match="no event 'U7'; its events: U1, U2"):
        find_event(EMAIL, "U7")


def test_the_frame_is_tidy_and_the_files_are_written(tmp_path: Path) -> None:
    points = list(phase_response(EMAIL, WEATHER, ("queue", "cancel"), step_ms=4_000))
    assert list(frame_of(points).columns) == ["arm", "at_ms", "measure", "value"]
    assert len(points) == 2 * len(MEASURES) * 5
    paths = write_phase(tmp_path, points, phases_of(without(EMAIL, WEATHER)), title="t")
    assert {path.name for path in paths} == {"phase.csv", "phase.png"}
    assert all(path.stat().st_size > 500 for path in paths)


def test_a_summary_names_every_measure_and_every_strategy() -> None:
    text = summary(list(phase_response(EMAIL, WEATHER, ("queue",), step_ms=4_000)), ("queue", "cancel"))
    assert all(label in text for label in MEASURES.values())
    assert "  cancel                      none" in text
