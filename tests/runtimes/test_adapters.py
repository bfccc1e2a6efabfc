"""Every shipped adapter: whole without events, the same bytes twice, and the faults that its release is known to have.

The faults are facts about the pinned release. A release that no longer shows one fails here, and the survey under
results/runtimes is then made anew.
"""

import json
import platform
import warnings
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from simlab.core.version import VERSION
from simlab.testing.contract import POLICIES, Policy
from simlab.testing.grades import Grade
from simlab.testing.placement import Schedule
from simlab.testing.session import run_schedule
from simlab.testing.storm import load_target, sweep
from simlab.testing.survey import ADAPTERS, Adapter

PUBLISHED = json.loads((Path(__file__).parents[2] / "results" / "runtimes" / "findings.json").read_text())

MODULES = {
    "pydantic-ai-slim": "pydantic_ai",
    "openai-agents": "agents",
    "langgraph": "langchain",
    "autogen-agentchat": "autogen_agentchat",
    "google-adk": "google.adk",
    "agno": "agno",
    "inspect_ai": "inspect_ai",
    "smolagents": "smolagents",
}

KNOWN: dict[str, dict[Policy, set[tuple[Grade, str]]]] = {
    "simlab-queue": {},
    "simlab-cancel": {},
    "simlab-cancel-background": {},
    "plain": {
        "interrupt": {(Grade.MALFORMED, "dangling_tool_call"), (Grade.LOSS, "lost_result")},
        "parallel": {
            (Grade.MALFORMED, "dangling_tool_call"),
            (Grade.MALFORMED, "interleaved_message"),
            (Grade.MALFORMED, "orphan_tool_result"),
        },
    },
    "pydantic-ai": {"interrupt": {(Grade.LOSS, "lost_message"), (Grade.LOSS, "turn_failed")}},
    "pydantic-ai-streamed": {
        "interrupt": {
            (Grade.MALFORMED, "partial_text"),
            (Grade.LOSS, "lost_message"),
            (Grade.LOSS, "turn_failed"),
        }
    },
    "openai-agents": {
        "interrupt": {(Grade.LOSS, "lost_message"), (Grade.LOSS, "silent_effect"), (Grade.DOUBLE, "double_effect")},
        "stop-after-step": {(Grade.LOSS, "lost_message")},
    },
    "langgraph": {
        "interrupt": {(Grade.MALFORMED, "dangling_tool_call"), (Grade.LOSS, "lost_result")},
        "stop-after-step": {(Grade.MALFORMED, "dangling_tool_call")},
        "parallel": {(Grade.MALFORMED, "dangling_tool_call"), (Grade.LOSS, "lost_message")},
    },
    "autogen": {"interrupt": {(Grade.HANG, "turn_never_ends")}},
    "google-adk": {"interrupt": {(Grade.LOSS, "lost_result")}},
    "agno": {
        "interrupt": {(Grade.LOSS, "lost_message"), (Grade.LOSS, "silent_effect"), (Grade.DOUBLE, "double_effect")}
    },
    "inspect-ai": {"interrupt": {(Grade.LOSS, "lost_result")}, "steer": {(Grade.LOSS, "lost_message")}},
    "smolagents": {"parallel": {(Grade.DOUBLE, "double_effect")}},
}


@pytest.fixture(params=ADAPTERS, ids=lambda adapter: adapter.name)
def adapter(request: pytest.FixtureRequest) -> Iterator[Adapter]:
    one: Adapter = request.param
    if one.package is not None and not _installed(MODULES[one.package]):
        pytest.skip(f"{one.package} is not installed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the libraries' own
        yield one


def _installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # the parent package is missing
        return False


def test_the_installed_release_is_the_pinned_one(adapter: Adapter) -> None:
    assert adapter.release == (adapter.pinned or VERSION)


def test_without_events_nothing_is_at_fault_and_there_are_forty_places(adapter: Adapter) -> None:
    run = run_schedule(load_target(adapter.target), Schedule(policy="queue"))
    assert run.findings == []
    assert [request.plan.number for request in run.record.world.requests] == [0, 1, 2, 3]
    assert len(run.places) >= 40


def test_the_faults_are_those_that_the_release_is_known_for(adapter: Adapter) -> None:
    make = load_target(adapter.target)
    found = {}
    for policy in POLICIES:
        report = sweep(make, policy, limit=40)
        assert report.runs == 40
        found[policy] = {kind for kind in report.counts if kind[0].fails}
    assert {policy: kinds for policy, kinds in found.items() if kinds} == KNOWN[adapter.name]


def test_a_sweep_gives_the_same_bytes_twice(adapter: Adapter) -> None:
    make = load_target(adapter.target)
    assert len({sweep(make, "interrupt", limit=12).digest for _ in range(3)}) == 1


def _marked(one: Adapter) -> Any:
    """simlab's own runtime has the most places: those are for `make runtimes` and `make nightly`."""
    return pytest.param(one, id=one.name, marks=[pytest.mark.nightly] if one.name.startswith("simlab-") else [])


@pytest.mark.parametrize("adapter", [_marked(one) for one in ADAPTERS], indirect=True)
def test_the_published_rows_are_what_is_found_now(adapter: Adapter) -> None:
    """Every place under one policy, by digest; under the others the kinds of fault of forty places are among them."""
    if PUBLISHED["python"].rpartition(".")[0] != platform.python_version().rpartition(".")[0]:
        pytest.skip("places are counted in iterations of the event loop, which another Python may make differently")
    rows = [row for row in PUBLISHED["rows"] if row["runtime"] == adapter.name]
    faults = {(row["policy"], row["grade"], row["rule"]) for row in rows if row["grade"] and row["fault"]}
    known = {(policy, str(grade), rule) for policy, kinds in KNOWN[adapter.name].items() for grade, rule in kinds}
    assert known <= faults
    report = sweep(load_target(adapter.target), "interrupt")
    assert {row["digest"] for row in rows if row["policy"] == "interrupt"} == {report.digest}
