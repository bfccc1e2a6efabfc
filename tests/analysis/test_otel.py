"""Spans by the conventions for generative AI: names, times, parents, and messages that can be checked again."""

import json
from pathlib import Path
from typing import Any

import pytest

from simlab.analysis.otel import resource_spans
from simlab.check.readers import detect, read
from simlab.core.commands import CallModel, StartSide
from simlab.core.record import RunRecord
from tests.analysis.test_lane_reading import RUNS, made
from tests.cli.calling import call


def spans(*records: RunRecord) -> list[dict[str, Any]]:
    document = json.loads(json.dumps(resource_spans(records)))
    found = document["resourceSpans"][0]["scopeSpans"][0]["spans"]
    for span in found:
        span["attributes"] = {item["key"]: next(iter(item["value"].values())) for item in span["attributes"]}
    return list(found)


def named(found: list[dict[str, Any]], operation: str) -> list[dict[str, Any]]:
    return [span for span in found if span["attributes"]["gen_ai.operation.name"] == operation]


@pytest.mark.parametrize(("case", "strategy"), RUNS[::53])
def test_there_is_a_span_for_each_call_session_and_tool_run_inside_that_of_the_agent(case: str, strategy: str) -> None:
    record = made(case, strategy)
    found = spans(record)
    items = [item for _, item in record.trace.records]
    assert len(named(found, "chat")) == sum(isinstance(item, CallModel | StartSide) for item in items)
    assert len(named(found, "execute_tool")) == len(record.tool_runs)
    (agent,) = named(found, "invoke_agent")
    assert "parentSpanId" not in agent
    assert len({span["spanId"] for span in found}) == len(found)
    for span in found:
        assert len(span["traceId"]) == 32
        assert len(span["spanId"]) == 16
        assert int(span["startTimeUnixNano"]) <= int(span["endTimeUnixNano"]) <= int(agent["endTimeUnixNano"])
        assert span is agent or span["parentSpanId"] == agent["spanId"]


def test_required_attributes_are_there_and_a_discarded_call_is_an_error() -> None:
    found = spans(made("worked/04-report-in-chinese", "cancel"))
    for span in named(found, "chat"):
        assert span["name"] == "chat mocked"
        assert {"gen_ai.provider.name", "gen_ai.request.model", "gen_ai.usage.input_tokens"} <= set(span["attributes"])
    stopped = [span for span in named(found, "chat") if span["status"]]
    assert [span["attributes"]["error.type"] for span in stopped] == ["stopped"]
    assert "gen_ai.output.messages" not in stopped[0]["attributes"]


@pytest.mark.parametrize("strategy", ["queue", "cancel", "cancel-background", "parallel"])
def test_the_checker_reads_the_file_back_and_finds_nothing_wrong(
    strategy: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "run.json"
    records = [made(case, strategy) for case in ("worked/13-background-correction", "worked/09-two-tools")]
    path.write_text(json.dumps(resource_spans(records)), encoding="utf-8")
    assert detect(path) == "otel_genai"
    assert len(list(read(path))) >= 2
    assert call("check", str(path)) == 0
    assert "0 with errors" in capsys.readouterr().out


def test_the_checker_finds_the_call_that_a_naive_loop_leaves_open(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "run.json"
    records = [made("worked/02-stop-said-it-wrong", "hard-cancel")]
    path.write_text(json.dumps(resource_spans(records)), encoding="utf-8")
    assert call("check", str(path)) == 1
    assert "call 'c1' has no result" in capsys.readouterr().out
