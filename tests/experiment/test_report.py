"""A report says what the results say, and where they cannot be trusted."""

import json
import shutil
from pathlib import Path

import pytest

from simlab.analysis.report.page import page
from simlab.analysis.report.values import Report
from simlab.core.errors import SimlabError
from simlab.experiment.report import build_report, read_results
from tests.cli.calling import call


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("results")
    scenarios = ["worked/02-stop-said-it-wrong", "worked/13-background-correction"]
    options = ["-s", "queue,cancel,hard-cancel", "-n", "2", "--tool-cap", "3", "--resample"]
    assert call("compare", *scenarios, *options, "--baseline", "cancel", "--margin", "0.1", "--out", str(made)) == 1
    return made


@pytest.fixture(scope="module")
def report(folder: Path) -> Report:
    return build_report(read_results(folder))


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("small")
    assert call("compare", "worked/02-stop-said-it-wrong", "-s", "queue,cancel", "-n", "2", "--out", str(made)) == 0
    return made


def test_it_holds_a_part_for_each_scenario_and_none_for_changed_worlds(report: Report) -> None:
    assert [part.name for part in report.parts] == ["worked/02-stop-said-it-wrong", "worked/13-background-correction"]
    heads = [each.head for each in report.parts[0].changes]
    assert heads[-3:] == ["Tools time out after 3s", "Work that is done again, drawn anew", "Faults of the model"]
    assert "margin 10% of the baseline" in {row[2].text for row in report.checklist.rows if row[0].text == "4.3"}.pop()


def test_the_baseline_is_that_of_the_comparison_unless_another_is_asked_for(report: Report, small: Path) -> None:
    assert report.parts[0].baseline == "cancel"
    assert build_report(read_results(small), worst=0).parts[0].baseline == "queue"
    other = build_report(read_results(small), baseline="cancel", worst=0)
    assert (other.parts[0].baseline, other.parts[0].worst) == ("cancel", [])


def test_breaches_are_counted_by_name_with_a_replay_command_that_works(
    report: Report, capsys: pytest.CaptureFixture[str]
) -> None:
    row = next(row for row in report.violations.rows if "every_call_is_closed_once" in row[5].text)
    assert row[2].text == "hard-cancel"
    assert row[4].number == 2
    assert call(*row[6].text.split()[1:]) == 0
    assert "every_call_is_closed_once" in capsys.readouterr().out


def test_the_worst_run_of_each_arm_has_its_timeline_and_commands(report: Report) -> None:
    part = report.parts[0]
    assert [each.arm for each in part.worst] == list(part.arms)
    first = next(each for each in part.worst if each.arm == "queue")
    assert first.why == "U2 (correct) was answered after 6.0 s."
    assert first.picture is not None
    assert "cancel: 2 events" in first.picture.alt
    assert first.note == ""
    assert first.commands[0] == (
        "simlab run worked/02-stop-said-it-wrong --strategy queue --router by_type --seed 0 --replication 0"
    )


def test_sources_and_assumptions_are_told_apart(report: Report) -> None:
    grid = report.parts[0].assumptions
    assert {row[1].text for row in grid.rows} == {"assumption"}
    assert [cell.text for cell in grid.rows[0]] == [
        "model.call_ms",
        "assumption",
        "in the worked cases every model call takes this long",
    ]


def test_with_faults_of_the_model_the_preset_that_was_asked_for_is_shown_and_held_against_the_others(
    tmp_path: Path,
) -> None:
    options = ["-s", "queue,cancel", "-n", "3", "--hazards", "stress"]
    assert call("compare", "worked/13-background-correction", *options, "--out", str(tmp_path)) == 0
    (part,) = build_report(read_results(tmp_path)).parts
    assert part.name == "worked/13-background-correction@hazards=stress"
    assert all(each.picture is not None for each in part.worst)
    heads = [each.head for each in part.changes]
    assert {"Faults of the model: conservative", "Faults of the model: default"} <= set(heads)


def changed(folder: Path, to: Path, **values: object) -> Path:
    shutil.copytree(folder, to)
    manifest = json.loads((to / "manifest.json").read_text(encoding="utf-8"))
    (to / "manifest.json").write_text(json.dumps(manifest | values), encoding="utf-8")
    return to


def test_a_scenario_that_has_changed_since_is_not_run_again(small: Path, tmp_path: Path) -> None:
    digests = {"worked/02-stop-said-it-wrong": "another"}
    report = build_report(read_results(changed(small, tmp_path / "it", scenarios=digests)))
    assert [each.picture for each in report.parts[0].worst] == [None] * 2
    assert "has changed since" in report.parts[0].worst[0].note
    assert "<main" in page(report)


def test_a_run_that_comes_out_differently_now_is_pointed_out(small: Path, tmp_path: Path) -> None:
    import pandas as pd

    to = changed(small, tmp_path / "it")
    runs = pd.read_parquet(to / "runs.parquet").assign(effects=7)
    runs.to_parquet(to / "runs.parquet")
    worst = build_report(read_results(to)).parts[0].worst
    assert all("not the same any more (effects differ)" in each.note for each in worst)


def test_the_same_results_give_the_same_page(small: Path) -> None:
    assert page(build_report(read_results(small))) == page(build_report(read_results(small)))


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lambda to: (to / "runs.parquet").unlink(), "no runs.parquet in it"),
        (lambda to: (to / "manifest.json").write_text("{"), "cannot be read"),
        (lambda to: (to / "manifest.json").write_text('{"scenarios": {}}'), "manifest.json: strategies: missing"),
        (lambda to: (to / "events.parquet").write_bytes(b"no"), "cannot be read"),
    ],
)
def test_a_damaged_folder_is_one_line(small: Path, tmp_path: Path, spoil: object, told: str) -> None:
    to = changed(small, tmp_path / "it")
    spoil(to)  # type: ignore[operator]
    with pytest.raises(SimlabError) as error:
        read_results(to)
    assert told in str(error.value)
    assert "\n" not in str(error.value)
