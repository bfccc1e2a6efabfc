"""Made again: the same bytes, or an account of what has changed."""

import json
import shutil
from pathlib import Path

import pytest

from simlab.core.errors import SimlabError
from simlab.experiment.rerunning import rerun
from simlab.experiment.results import load
from tests.cli.calling import call
from tests.experiment.sweeps import DESIGN, TINY, content, design_file, sweep


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A complete sweep over a scenario of the user's own, which lies beside it."""
    shutil.copyfile(TINY, tmp_path / "mine.toml")
    design = design_file(tmp_path, DESIGN.replace("{scenario}", str(tmp_path / "mine.toml")))
    sweep(design, tmp_path / "x")
    return tmp_path / "x"


def test_the_present_code_gives_the_same_bytes(folder: Path) -> None:
    before = content(folder)
    account = rerun(folder, backend="serial")
    assert account.same
    assert account.looked_at == 6
    assert account.changes == ()
    assert content(folder) == before


def test_some_chunks_can_stand_for_all(folder: Path) -> None:
    assert rerun(folder, backend="serial", most=2).looked_at == 2


def test_a_changed_law_shows_in_the_columns_that_it_moves(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from simlab.sim.laws import Lognormal

    honest = Lognormal.quantile
    monkeypatch.setattr(Lognormal, "quantile", lambda law, u: 1.001 * honest(law, u))
    account = rerun(folder, backend="serial")
    assert not account.same
    moved = {name for each in account.differences for name in each.columns}
    assert {"ended_ms", "makespan_ms", "response_ms"} <= moved
    assert not {"scenario", "replication", "strategy", "tasks"} & moved
    assert all(now == then for each in account.differences for now, then in [each.rows])


def test_another_encoding_of_the_same_values_is_no_other_value(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simlab.experiment.parts.PARQUET", {"compression": "snappy"})
    account = rerun(folder, backend="serial")
    assert not account.same
    assert all(not each.columns for each in account.differences)


def test_changed_versions_and_scenarios_are_named_and_the_copies_are_used(folder: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    manifest["made_with"]["numpy"] = "1.0"
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    mine = folder.parent / "mine.toml"
    mine.write_text(
        mine.read_text(encoding="utf-8").replace("decode_tok_s = 50", "decode_tok_s = 60"), encoding="utf-8"
    )
    account = rerun(folder, backend="serial")
    assert account.same
    assert account.changes[0].startswith("numpy: 1.0 then, ")
    assert account.changes[1].endswith("mine.toml: has changed since; its copy of then was used")
    mine.unlink()
    assert rerun(folder, backend="serial").changes[1].endswith("not found under this name; its copy was used")


def test_copies_that_were_tampered_with_are_refused(folder: Path) -> None:
    copy = folder / "design.toml"
    copy.write_text(copy.read_text(encoding="utf-8").replace("seed = 3", "seed = 4"), encoding="utf-8")
    with pytest.raises(SimlabError, match="its copies of design and scenarios are not those of design"):
        rerun(folder, backend="serial")


def test_what_is_no_complete_sweep_is_told(tmp_path: Path) -> None:
    with pytest.raises(SimlabError, match="holds no complete sweep"):
        rerun(tmp_path)


# --- comparisons ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What ``simlab compare --out`` leaves behind."""
    folder = tmp_path_factory.mktemp("compared") / "c"
    options = ("--strategies", "queue,cancel", "--replications", "6", "--tool-cap", "5", "--out", str(folder))
    assert call("compare", "worked/09-two-tools", *options) == 0
    return folder


@pytest.fixture
def comparison(compared: Path, tmp_path: Path) -> Path:
    """A copy of it, to be changed."""
    return shutil.copytree(compared, tmp_path / "c")


def test_a_comparison_is_made_again_too(comparison: Path) -> None:
    account = rerun(comparison)
    assert account.same
    assert account.changes == ()
    assert len(load(comparison)) == 2 * 2 * 6


def test_what_differs_in_a_comparison_is_told(comparison: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simlab.analysis.metrics.overtakes", lambda _record: 7)
    manifest = json.loads((comparison / "manifest.json").read_text(encoding="utf-8"))
    manifest["scenarios"]["worked/09-two-tools"] = "0"
    (comparison / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    account = rerun(comparison)
    assert [(each.table, each.columns) for each in account.differences] == [("runs", {"overtakes": 24})]
    assert account.changes == ("scenario worked/09-two-tools: has changed since; it was run as it is now",)


def test_a_comparison_of_a_scenario_that_is_gone_is_told(comparison: Path) -> None:
    manifest = (comparison / "manifest.json").read_text(encoding="utf-8")
    (comparison / "manifest.json").write_text(manifest.replace('"worked/09-two-tools"', '"gone"'), encoding="utf-8")
    with pytest.raises(SimlabError, match="its scenario is needed: gone: no such scenario"):
        rerun(comparison)
