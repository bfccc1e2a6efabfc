"""Sweeps, reports, and how a failing schedule is told and found again."""

import json
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from simlab.testing import Env, Ev
from simlab.testing.contract import MakeRuntime, Policy
from simlab.testing.errors import StormError
from simlab.testing.grades import Grade
from simlab.testing.session import run_schedule
from simlab.testing.storm import assert_survives, load_target, split_token, sweep
from simlab.testing.story import story
from simlab.testing.survey import ADAPTERS
from tests.testing import faults
from tests.testing.careful_loop import CarefulLoop


class Deaf:
    """A loop that takes nothing in the middle of a turn."""

    def __init__(self, env: Env) -> None:
        self.env = env
        self.history: list[dict[str, object]] = []

    async def turn(self, text: str) -> None:
        self.history.append({"role": "user", "content": text})
        calls: list[Any] = [None]
        while calls:
            answer = await self.env.model(self.history)
            calls = answer.get("tool_calls", [])
            results = [await self.env.tool(**json.loads(call["function"]["arguments"])) for call in calls]
            self.history.append(answer)
            for call, result in zip(calls, results, strict=True):
                self.history.append({"role": "tool", "tool_call_id": call["id"], "content": result})

    def deliver(self, event: Ev) -> bool:
        return False


class Forgetful(Deaf):
    """At fault without any event: it sends the model nothing but the last message."""

    async def turn(self, text: str) -> None:
        await self.env.model([{"role": "user", "content": text}])


def test_a_sweep_repeats_byte_for_byte() -> None:
    digests = {sweep(CarefulLoop, "interrupt").digest for _ in range(10)}
    assert len(digests) == 1


def test_the_smallest_schedule_is_the_earliest_and_its_token_shows_the_same_fault() -> None:
    report = sweep(faults.DanglingCall, "interrupt")
    kind = (Grade.MALFORMED, "dangling_tool_call")
    token = report.replay_command(kind).split("'")[1]
    target, schedule = split_token(token)
    run = run_schedule(load_target(target), schedule)
    assert "dangling_tool_call" in [finding.rule for finding in run.findings]
    assert any(line.startswith("malformed: dangling_tool_call") for line in story(run))
    assert any("tool b1 takes effect" in line for line in story(run))


def test_a_limit_thins_the_sweep_evenly() -> None:
    report = sweep(CarefulLoop, "queue", limit=40)
    assert (report.runs, report.survived) == (40, True)
    assert report.places > 40


def test_a_failure_tells_the_policy_the_grade_and_the_command_that_replays_it() -> None:
    with pytest.raises(AssertionError) as caught:
        assert_survives(faults.DanglingCall, policies=["queue", "interrupt"])
    told = str(caught.value).splitlines()
    assert told[0] == "tests.testing.faults:DanglingCall did not survive the storm"
    assert told[1].startswith("interrupt: ")
    assert "malformed: dangling_tool_call in " in told[2]
    assert told[3].strip().startswith("simlab storm --replay 'tests.testing.faults:DanglingCall/interrupt/message@")


def test_a_refusal_is_reported_and_does_not_fail() -> None:
    report = sweep(Deaf, "steer")
    assert report.survived
    assert report.counts[Grade.REFUSED, "refused_message"] > 0
    assert "(not a fault)" in report.summary()


def test_drawn_events_fail_with_a_shrunk_schedule() -> None:
    with pytest.raises(AssertionError, match=r"-500/?'?$|1000x1-500|500x1-500"):
        assert_survives(faults.DanglingCall, "many", policies=["interrupt"])


def test_a_runtime_at_fault_without_any_event_is_told_before_the_sweep() -> None:
    with pytest.raises(StormError, match=r"Forgetful: at fault without any event: loss \(lost_message\)"):
        sweep(Forgetful, "queue")


@pytest.mark.parametrize(
    ("target", "says"),
    [
        ("tests.testing.careful_loop", "expected MODULE:CLASS"),
        ("no_such_module:Thing", "No module named 'no_such_module'"),
        ("tests.testing.careful_loop:Nothing", "no attribute 'Nothing'"),
        ("tests.testing.faults:__doc__", "not callable"),
    ],
)
def test_a_target_that_cannot_be_loaded_says_why(target: str, says: str) -> None:
    with pytest.raises(StormError, match=says):
        load_target(target)


def test_unknown_events_and_policies_are_named() -> None:
    with pytest.raises(StormError, match="known: one anywhere, one stop anywhere"):
        sweep(CarefulLoop, "queue", events="three anywhere")  # type: ignore[arg-type]
    with pytest.raises(StormError, match="no policy 'shout'"):
        sweep(CarefulLoop, "shout")  # type: ignore[arg-type]


class NeverEnds(CarefulLoop):
    """Waits for itself when it is stopped."""

    async def turn(self, text: str) -> None:
        await super().turn(text)
        if self.stopping == "stop":
            async with self.lock, self.lock:
                pass


@pytest.mark.parametrize(("make", "policy"), [(NeverEnds, "interrupt")])
def test_a_hang_names_the_task_that_waits(make: MakeRuntime, policy: Policy) -> None:
    report = sweep(make, policy, limit=10)
    evidence = report.smallest[Grade.HANG, "turn_never_ends"].evidence
    assert "turn [task] waits in Lock.acquire" in evidence


def test_a_shipped_adapter_without_its_library_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "google"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(sys.modules, "simlab.testing.adapters.google_adk", raising=False)
    monkeypatch.setitem(sys.modules, "google", None)
    with pytest.raises(StormError, match=r"pip install 'simlab\[google-adk\]'$"):
        load_target("simlab.testing.adapters.google_adk:GoogleADK")
    with pytest.raises(StormError, match=r"No module named 'simlab.testing.adapters.gradio'$"):
        load_target("simlab.testing.adapters.gradio:Gradio")


def test_every_shipped_adapter_has_the_extra_that_its_module_is_named_for() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    for adapter in ADAPTERS:
        if adapter.package is not None:
            module = adapter.target.partition(":")[0].rpartition(".")[2]
            extra = project["optional-dependencies"][module.replace("_", "-")]
            assert f"{adapter.package}=={adapter.pinned}" in extra
