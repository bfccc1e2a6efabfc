"""``simlab explore``, ``simlab phase``, ``simlab fuzz``, ``simlab replay`` and ``simlab invariants``."""

from pathlib import Path

import pytest

from simlab.testing.cases import Case, save_case
from simlab.testing.catalogue_page import catalogue_page, catalogue_text
from simlab.testing.schedule import parse_schedule
from tests.cli.calling import call


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_explore_says_how_much_it_tried_and_how_much_it_did_not(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("explore", "01-email-weather", "-s", "cancel", "-k", "1") == 0
    out = capsys.readouterr().out
    assert "no violation in 70 placements (71 runs with those of fewer events)" in out
    assert "not explored: 59,940 of 60,010 placements in whole milliseconds" in out


def test_explore_tells_the_smallest_placement_that_breaks_something_and_it_replays(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert call("explore", "01-email-weather", "-s", "hard-cancel", "-k", "2") == 1
    out = capsys.readouterr().out
    assert "    U2 (user.input, light) at 2,000 ms\n" in out
    command = out.strip().splitlines()[-1].partition("replay: simlab ")[2].split()
    assert call(*command) == 1
    again = capsys.readouterr().out
    assert "P1 arrives (user.input, light)" in again
    assert "every_call_is_closed_once [strategy] at 2,000 ms (message 1, call c1)" in again


def test_fuzz_counts_saves_and_replays(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("fuzz", "-s", "queue,hard-cancel", "-n", "20") == 0
    out = capsys.readouterr().out
    assert "queue: 0 failures in 20 runs (seed 0, runs 0 to 19)" in out
    assert "not counted, the field reports it: dropping_is_declared, every_call_is_closed_once" in out
    assert call("fuzz", "-s", "tests.planted.strategies:PutsInFront", "-n", "20") == 1
    out = capsys.readouterr().out
    path = out.strip().splitlines()[-1].partition("replay: simlab replay ")[2]
    assert call("replay", path) == 1
    assert "order_is_kept_within_a_source [strategy]" in capsys.readouterr().out


def test_fuzz_wants_to_know_how_long(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("fuzz", "-s", "queue") == 2
    assert capsys.readouterr().err == "simlab: fuzz: say how long (--minutes) or how much (--runs)\n"


def test_fuzz_stops_when_its_minutes_are_over(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("fuzz", "-s", "queue", "-m", "0.001") == 0
    assert "queue: 0 failures in " in capsys.readouterr().out


def test_a_case_that_does_not_fail_any_more_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    path = save_case(Case(strategy="queue", run=parse_schedule("U1 arrives user.input from user"), found="x"))
    assert call("replay", str(path)) == 0
    out = capsys.readouterr().out
    assert "Found nothing: it does not fail any more" in out
    assert "  U1 arrives user.input from user\n" in out


def test_phase_tells_what_becomes_of_an_event_at_every_instant(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("phase", "01-email-weather", "-s", "queue,cancel", "-e", "U2", "--step-ms", "1000") == 0
    out = capsys.readouterr().out
    assert "first answer after, seconds\n  queue                       least     2.00" in out
    assert "  cancel                      least     2.00   mean     2.00   greatest     2.00" in out


def test_phase_names_the_events_that_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("phase", "01-email-weather", "-s", "queue", "-e", "U9") == 2
    assert capsys.readouterr().err.endswith("no event 'U9'; its events: U1, U2\n")


def test_invariants_prints_the_catalogue_and_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("invariants") == 0
    assert capsys.readouterr().out == catalogue_text()
    assert call("invariants", "--markdown") == 0
    assert capsys.readouterr().out == catalogue_page()
