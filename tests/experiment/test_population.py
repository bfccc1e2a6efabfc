"""Experiments over many replications: chunks, processes, files, and what is said of failures."""

import json
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from simlab.analysis.metrics import EVENT_FIELDS, RUN_FIELDS
from simlab.core.errors import SimlabError
from simlab.experiment.design import Design, World
from simlab.experiment.population import is_scripted, run_population
from simlab.experiment.runner import chunk_count, run_chunk, run_chunks
from simlab.experiment.scenario import load_scenario
from simlab.experiment.store import manifest
from simlab.experiment.variants import load_variant, with_tool_cap
from simlab.strategies.cancel import Cancel
from simlab.strategies.queue import QueueAll
from tests.cli.calling import call


def design(*, replications: int = 12, strategies: tuple[str, ...] = ("queue", "cancel"), seed: int = 3) -> Design:
    scenario = load_scenario("coding-assistant")
    return Design(
        worlds=(World.of(scenario),),
        strategies=strategies,
        routers=("by_type", "oracle"),
        replications=replications,
        seed=seed,
    )


def test_every_cell_has_every_replication_once_and_in_order() -> None:
    (chunk,) = run_chunks(design())
    frame = pd.DataFrame(chunk.runs)
    assert list(frame.columns) == list(RUN_FIELDS)
    assert len(frame) == 12 * 4
    assert list(frame["replication"]) == [number for number in range(12) for _ in range(4)]
    assert list(pd.DataFrame(chunk.events).columns) == list(EVENT_FIELDS)


def test_a_replication_can_be_made_alone_and_comes_out_the_same() -> None:
    many = design(replications=250)
    assert chunk_count(many) == 3
    second = pd.DataFrame(run_chunk(many, 1).runs)
    whole = pd.concat([pd.DataFrame(chunk.runs) for chunk in run_chunks(many)], ignore_index=True)
    expected = whole[whole["replication"].isin(second["replication"])].reset_index(drop=True)
    pd.testing.assert_frame_equal(second, expected)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"replications": 0}, "replications: must be at least 1, not 0"),
        ({"seed": -1}, "seed: must be 0 or more, not -1"),
        ({"strategies": ("queue", "queue")}, "strategies: one is named twice: queue, queue"),
        ({"strategies": ()}, "strategies: at least one is needed"),
        ({"routers": ("nobody",)}, "no router 'nobody'; known: by_type"),
    ],
)
def test_a_design_that_cannot_be_run_is_refused(change: dict[str, object], told: str) -> None:
    with pytest.raises(SimlabError) as caught:
        replace(design(), **change)  # type: ignore[arg-type]
    assert str(caught.value).startswith(told)


def test_the_digest_of_a_design_changes_with_everything_that_decides_the_results() -> None:
    base = design()
    others = [
        design(seed=4),
        design(replications=13),
        design(strategies=("cancel", "queue")),
        replace(base, routers=("oracle",)),
        replace(base, worlds=(with_tool_cap(base.worlds[0], 120),)),
    ]
    assert len({base.digest, *(other.digest for other in others)}) == 6
    assert design().digest == base.digest


def test_one_process_and_two_write_the_same_bytes(tmp_path: Path) -> None:
    arguments = ["compare", "coding-assistant", "-s", "queue,cancel", "-r", "oracle", "-n", "420", "--seed", "5"]
    for jobs in ("1", "2"):
        assert call(*arguments, "--jobs", jobs, "--out", str(tmp_path / jobs)) == 0
    names = sorted(path.name for path in (tmp_path / "1").iterdir())
    assert "runs.parquet" in names
    assert names == sorted(path.name for path in (tmp_path / "2").iterdir())
    for name in names:
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes(), name
    made = json.loads((tmp_path / "1" / "manifest.json").read_text())
    assert made["command"] == "simlab compare coding-assistant -s queue,cancel -r oracle -n 420 --seed 5"
    assert made["scenarios"].keys() == {"coding-assistant"}
    assert (made["seed"], made["replications"], made["failures"]) == (5, 420, [])
    frame = pd.read_parquet(tmp_path / "1" / "runs.parquet")
    assert list(frame.columns) == list(RUN_FIELDS)
    assert len(frame) == 840


def test_a_strategy_that_raises_is_named_with_its_seed_and_the_rest_goes_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real = QueueAll.on_event

    def on_event(self: QueueAll, view: object, event: object, verdict: object) -> object:
        if getattr(event, "id", "") == "aside":
            raise ValueError("no asides")
        return real(self, view, event, verdict)  # type: ignore[arg-type]

    monkeypatch.setattr(QueueAll, "on_event", on_event)
    small = replace(design(replications=30, strategies=("cancel", "queue")), routers=("by_type",))
    (chunk,) = run_chunks(small)
    asked = [r for r in range(30) if r in {found.replication for found in chunk.failures}]
    assert 0 < len(asked) < 30
    assert {found.strategy for found in chunk.failures} == {"queue"}
    assert all("strategy 'queue': on_event: raised ValueError('no asides')" in found.what for found in chunk.failures)
    assert chunk.failures[0].replay.startswith("simlab run coding-assistant --strategy queue --router by_type --seed 3")
    assert len(chunk.runs["strategy"]) == 60 - len(chunk.failures)
    command = ("compare", "coding-assistant", "-s", "cancel,queue", "-n", "30", "--seed", "3")
    assert call(*command) == 1
    assert f"{len(chunk.failures)} runs failed" in capsys.readouterr().out


def test_a_strategy_that_failed_is_left_out_of_the_comparison(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_arguments: object) -> object:
        raise RuntimeError

    monkeypatch.setattr(Cancel, "on_event", broken)
    found = run_population(replace(design(replications=5), routers=("by_type",)), baseline="queue")
    assert [compared.arms for compared in found.compared] == [["queue"]]
    assert found.compared[0].rows == ()


def test_the_manifest_holds_what_is_needed_to_make_it_again() -> None:
    made = manifest(design(), "simlab compare x", [], [])
    assert made.keys() >= {"simlab", "packages", "command", "design", "seed", "replications", "strategies", "scenarios"}


def test_the_time_out_of_every_tool_is_capped_and_shorter_ones_stay() -> None:
    world = design().worlds[0]
    capped = with_tool_cap(world, 120)
    assert {tool.spec.name: tool.timeout_ms for tool in capped.spec.tools} == {
        tool.spec.name: min(120_000, tool.timeout_ms or 120_000) for tool in world.spec.tools
    }
    assert capped.name == "coding-assistant@cap=120s"
    assert capped.digest != world.digest


def test_the_answer_is_shown_for_each_time_out(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("compare", "coding-assistant", "-s", "queue,cancel", "-n", "30", "--tool-cap", "60,600") == 0
    out = capsys.readouterr().out
    assert "means by the time-out of tools" in out
    assert "60s" in out
    assert "600s" in out


@pytest.mark.parametrize(("text", "told"), [("a", "whole seconds"), ("0", "must be positive")])
def test_a_bad_cap_is_one_line(text: str, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("compare", "coding-assistant", "-s", "queue", "--tool-cap", text) == 2
    assert told in capsys.readouterr().err


def test_scripted_worlds_are_told_from_random_ones() -> None:
    assert is_scripted(load_scenario("worked/01-email-weather").world)
    for name in ("coding-assistant", "chat-ops", "stress"):
        assert not is_scripted(load_scenario(name).world)


# --- variants ---------------------------------------------------------------------------------------------------


def test_a_variant_can_be_named_and_run_again() -> None:
    base = load_scenario("coding-assistant")
    slow = load_variant("coding-assistant@model.ttft_ms.median_s=1.6@hazards=stress@cap=120s@resample")
    assert slow.name == "coding-assistant@model.ttft_ms.median_s=1.6@hazards=stress@cap=120s@resample"
    assert slow.world.resample
    assert slow.world.hazards is not None
    assert slow.world.model.ttft_ms.mean() == pytest.approx(2 * base.world.model.ttft_ms.mean())
    assert load_variant("coding-assistant").world == base.world


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("coding-assistant@hazards=huge", "hazards: no preset 'huge'; known: none, conservative, default, stress"),
        ("coding-assistant@model.ttft_ms.median_s=x", "PARAM=NUMBER is expected"),
        ("coding-assistant@model.nothing=1", "model.nothing: leads to no value of the scenario"),
        ("coding-assistant@title=1", "title: holds 'Coding assistant', not a number"),
        ("coding-assistant@resample@model.ttft_ms.median_s=1", "levels of parameters come first"),
        ("coding-assistant@tools.shell.timeout_ms=-5", "tools.shell.timeout_ms"),
    ],
)
def test_a_variant_that_cannot_be_is_told_in_one_line(name: str, told: str) -> None:
    with pytest.raises(SimlabError) as caught:
        load_variant(name)
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


def test_rankings_are_shown_under_all_presets_and_called_undetermined_where_they_change(
    capsys: pytest.CaptureFixture[str],
) -> None:
    command = ("compare", "coding-assistant", "-s", "queue,cancel", "-r", "oracle", "-n", "40", "--hazards", "default")
    assert call(*command) == 0
    out = capsys.readouterr().out
    assert "coding-assistant@hazards=default: 40 replications, baseline queue" in out
    table = out.partition("under the presets of the model's faults")[2]
    assert "mistaken effects" in table
    assert "holds" in table
    assert rankings_agree(table)


def rankings_agree(table: str) -> bool:
    """Whether every line that says "holds" shows one ranking, and every other one three of which two differ."""
    lines = [line.split("  ") for line in table.splitlines() if "holds" in line or "undetermined" in line]
    cells = [[cell.strip() for cell in line if cell.strip()] for line in lines]
    shown = {line[1]: set() for line in cells}  # type: ignore[var-annotated]
    for line in cells:
        shown[line[1]].add(len(set(line[2:])) == 1)
    return shown.get("holds", {True}) == {True} and shown.get("undetermined", {False}) == {False}


def test_an_unknown_preset_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("compare", "coding-assistant", "-s", "queue", "--hazards", "huge") == 2
    assert "hazards: no preset 'huge'" in capsys.readouterr().err
