"""``simlab storm``."""

import pytest
from typer.testing import CliRunner

from simlab.cli import app
from simlab.testing.errors import StormError

TOKEN = "tests.testing.faults:DanglingCall/interrupt/message@1.0+3/1000x2-2000.3000-1500"


def invoke(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["storm", *arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.output


def test_a_runtime_that_survives_ends_with_zero() -> None:
    code, output = invoke("tests.testing.careful_loop:CarefulLoop", "--policy", "interrupt", "--policy", "steer")
    assert code == 0
    assert [line.split(":")[0] for line in output.splitlines() if line[0] != " "] == ["interrupt", "steer"]
    assert "40 schedules (one anywhere), survived" in output


def test_a_sweep_visits_every_place_and_a_fault_ends_with_one() -> None:
    code, output = invoke("tests.testing.faults:DanglingCall", "--policy", "interrupt", "--sweep")
    assert code == 1
    assert "interrupt: 67 schedules" in output
    assert f"simlab storm --replay '{TOKEN}'" in output


def test_a_replay_tells_the_run_and_its_faults() -> None:
    code, output = invoke("--replay", TOKEN)
    assert code == 1
    assert "1.000 s  stop accepted" in output
    assert (
        "malformed: dangling_tool_call: request 1, message 1: call 'call_0_a1' has no result before message 2" in output
    )


def test_a_replay_on_the_real_clock_shows_the_same_fault() -> None:
    code, output = invoke("--replay", TOKEN, "--real-clock")
    assert code == 1
    assert "malformed: dangling_tool_call" in output
    assert "plain asyncio on the real clock, 50 times as fast as the schedule says" in output
    at_s = {line.split(" s  ")[1]: float(line.split(" s  ")[0]) for line in output.splitlines() if " s  " in line}
    assert at_s["turn '[task] Do all the work.' begins"] == 0
    assert 0.9 < at_s["stop accepted"] < 50  # a second of the schedule, and what a busy machine loses


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "expected MODULE:CLASS"),
        (["nowhere"], "expected MODULE:CLASS"),
        (["tests.testing.careful_loop:CarefulLoop", "--policy", "shout"], "no policy 'shout'"),
        (["tests.testing.careful_loop:CarefulLoop", "--events", "none"], "no events 'none'"),
        (["--replay", "a:B/queue"], "expected POLICY/ARRIVALS/WORKLOAD"),
    ],
)
def test_a_mistake_of_the_caller_is_told_in_one_line(arguments: list[str], says: str) -> None:
    from simlab.core.errors import SimlabError

    with pytest.raises(SimlabError, match=says) as caught:
        invoke(*arguments)
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, (StormError, SimlabError))
