"""A sweep in a folder: resumed, shared out, refused, repaired, and always with the same bytes."""

from pathlib import Path

import pytest

from simlab.core.errors import SimlabError
from simlab.experiment.backends import Serial
from simlab.experiment.lock import FolderInUseError, hold
from simlab.experiment.output import StorageError
from simlab.experiment.parts import Part
from simlab.experiment.sweeping import Shard, parse_shard, read_manifest
from tests.experiment.sweeps import REPLICATIONS, content, design_file, sweep


class PowerCutError(Exception):
    """Stands for a process that ends in the middle of its work."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The content of a folder that was made in one go."""
    folder = tmp_path_factory.mktemp("whole")
    design = design_file(folder)
    made = sweep(design, folder / "x")
    assert (made.found, made.made, made.complete) == (0, 6, True)
    assert made.runs == 2 * 2 * REPLICATIONS
    return content(folder / "x")


def test_it_says_what_is_complete_and_how_it_was_made(tmp_path: Path, whole: dict[str, bytes]) -> None:
    sweep(design_file(tmp_path), tmp_path / "x")
    told = read_manifest(tmp_path / "x")
    assert told is not None
    assert told["complete"] is True
    assert told["runs"] == 2 * 2 * REPLICATIONS
    assert len(told["chunks"]) == 6
    assert set(told["made_with"]) == {"simlab", "simpy", "numpy", "scipy", "pyarrow"}
    assert content(tmp_path / "x") == whole


@pytest.mark.parametrize("after", [1, 4])
def test_stopped_after_any_chunk_it_goes_on_to_the_same_bytes(
    tmp_path: Path, whole: dict[str, bytes], after: int
) -> None:
    design = design_file(tmp_path)
    takes = 0

    def take(self: Serial) -> Part:
        nonlocal takes
        takes += 1
        if takes > after:
            raise PowerCutError
        return original(self)

    original = Serial.take
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Serial, "take", take)
        with pytest.raises(PowerCutError):
            sweep(design, tmp_path / "x")
    told = read_manifest(tmp_path / "x")
    assert told is not None
    assert told["complete"] is False
    made = sweep(design, tmp_path / "x")
    assert (made.found, made.made, made.complete) == (after, 6 - after, True)
    assert content(tmp_path / "x") == whole


def test_started_again_when_it_is_whole_it_makes_nothing(tmp_path: Path, whole: dict[str, bytes]) -> None:
    design = design_file(tmp_path)
    sweep(design, tmp_path / "x")
    made = sweep(design, tmp_path / "x")
    assert (made.found, made.made, made.runs) == (6, 0, 2 * 2 * REPLICATIONS)
    assert content(tmp_path / "x") == whole


@pytest.mark.parametrize("count", [2, 7])
def test_shards_fill_one_folder_with_the_same_bytes(tmp_path: Path, whole: dict[str, bytes], count: int) -> None:
    design = design_file(tmp_path)
    for number in range(1, count + 1):
        made = sweep(design, tmp_path / "x", shard=Shard(number=number, count=count))
        assert made.complete is (len(list((tmp_path / "x" / "receipts").iterdir())) == 6)
    assert content(tmp_path / "x") == whole


@pytest.mark.parametrize("text", ["0/2", "3/2", "1", "a/b", "1/0", "-1/2"])
def test_a_shard_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(SimlabError, match="k/N is expected"):
        parse_shard(text)


@pytest.mark.parametrize(
    ("name", "harm"),
    [
        ("runs/00001-00001.parquet", "flip"),
        ("events/00000-00002.parquet", "cut"),
        ("events/00001-00000.parquet", "remove"),
        ("receipts/00001-00000.json", "flip"),
        ("receipts/00000-00000.json", "cut"),
    ],
)
def test_a_damaged_chunk_is_found_and_made_again(tmp_path: Path, whole: dict[str, bytes], name: str, harm: str) -> None:
    design = design_file(tmp_path)
    sweep(design, tmp_path / "x")
    path = tmp_path / "x" / name
    before = path.read_bytes()
    if harm == "remove":
        path.unlink()
    else:
        middle = len(before) // 2
        path.write_bytes(
            before[:middle] + (bytes([before[middle] ^ 1]) + before[middle + 1 :] if harm == "flip" else b"")
        )
    made = sweep(design, tmp_path / "x")
    assert (made.found, made.made, made.complete) == (5, 1, True)
    assert content(tmp_path / "x") == whole


def test_what_a_killed_process_left_half_written_is_swept_up(tmp_path: Path, whole: dict[str, bytes]) -> None:
    design = design_file(tmp_path)
    sweep(design, tmp_path / "x")
    (tmp_path / "x" / "runs" / "00000-00000.parquet.tmp-4711").write_bytes(b"half")
    sweep(design, tmp_path / "x")
    assert content(tmp_path / "x") == whole


def test_a_second_process_is_refused_and_told_who_is_at_work(tmp_path: Path) -> None:
    design = design_file(tmp_path)
    (tmp_path / "x").mkdir()
    with hold(tmp_path / "x"), pytest.raises(FolderInUseError, match=r"in use by process \d+ on"):
        sweep(design, tmp_path / "x")
    assert sweep(design, tmp_path / "x").complete


def test_shards_work_side_by_side_but_not_beside_a_whole_sweep_or_their_twin(tmp_path: Path) -> None:
    design = design_file(tmp_path)
    first, second = Shard(number=1, count=2), Shard(number=2, count=2)
    sweep(design, tmp_path / "x", shard=first)
    with hold(tmp_path / "x", shared=True), hold(tmp_path / "x", name="lock-1-of-2"):
        with pytest.raises(FolderInUseError):
            sweep(design, tmp_path / "x")
        with pytest.raises(FolderInUseError):
            sweep(design, tmp_path / "x", shard=first)
        assert sweep(design, tmp_path / "x", shard=second).complete


def test_another_design_is_refused_and_nothing_is_changed(tmp_path: Path, whole: dict[str, bytes]) -> None:
    sweep(design_file(tmp_path), tmp_path / "x")
    other = design_file(tmp_path, replications=13)
    with pytest.raises(SimlabError, match="holds the results of another design"):
        sweep(other, tmp_path / "x")
    assert content(tmp_path / "x") == whole


def test_results_of_another_version_are_not_mixed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    design = design_file(tmp_path)
    sweep(design, tmp_path / "x")
    monkeypatch.setattr("simlab.experiment.sweeping.__version__", "99")
    with pytest.raises(SimlabError, match=r"was begun with simlab .*, and this is simlab 99"):
        sweep(design, tmp_path / "x")


def test_a_folder_with_other_files_is_refused(tmp_path: Path) -> None:
    design = design_file(tmp_path)
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "thesis.tex").write_text("dear reader", encoding="utf-8")
    with pytest.raises(SimlabError, match=r"holds other files \(thesis.tex\)"):
        sweep(design, tmp_path / "x")


def test_a_file_in_the_place_of_the_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("no folder", encoding="utf-8")
    with pytest.raises(StorageError, match="cannot be written: File exists"):
        sweep(design_file(tmp_path), tmp_path / "x")
