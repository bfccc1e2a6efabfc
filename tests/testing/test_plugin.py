"""The pytest plug-in, run inside a test run of its own."""

from collections.abc import Sequence

import pytest

pytest_plugins = ["pytester"]

TESTS = """
from tests.testing.careful_loop import CarefulLoop
from tests.testing.faults import DanglingCall

def test_careful(storm):
    storm.assert_survives(CarefulLoop, events="one anywhere", limit=10)

def test_dangling(storm):
    storm.assert_survives(DanglingCall, events="one anywhere", limit=30)
"""


def run_inside(pytester: pytest.Pytester, *options: str) -> Sequence[str]:
    pytester.makepyfile(TESTS)
    result = pytester.runpytest_inprocess("-p", "simlab.testing.plugin", "-p", "no:cacheprovider", *options)
    result.assert_outcomes(passed=1, failed=1)
    return [line.strip() for line in result.outlines]


def test_the_fixture_fails_a_test_with_the_smallest_schedule_and_its_replay(pytester: pytest.Pytester) -> None:
    lines = run_inside(pytester)
    assert any("tests.testing.faults:DanglingCall did not survive the storm" in line for line in lines)
    assert any("simlab storm --replay 'tests.testing.faults:DanglingCall/interrupt/message@" in line for line in lines)


def test_the_summary_has_a_line_for_every_policy(pytester: pytest.Pytester) -> None:
    lines = run_inside(pytester)
    summary = lines[next(index for index, line in enumerate(lines) if "simlab storm ===" in line) + 1 :][:10]
    assert [line.split(":")[1].split(" ")[1] for line in summary] == [
        *("interrupt", "stop-after-step", "steer", "queue", "parallel") * 2
    ]
    assert summary[0].endswith("10 schedules (one anywhere), survived")
    assert "FAILED in" in summary[5]


def test_progress_is_shown_while_it_runs_when_asked_for(pytester: pytest.Pytester) -> None:
    lines = run_inside(pytester, "-v")
    told = "tests.testing.careful_loop:CarefulLoop interrupt: 10 schedules (one anywhere), survived"
    assert lines.count(told) == 2
    assert run_inside(pytester, "-q").count(told) == 1
