"""The same bytes from every back end, and a clear word where one is missing."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from simlab.core.errors import SimlabError
from simlab.experiment.backends import open_backend
from simlab.experiment.sweep import read_sweep
from simlab.experiment.sweeping import run_sweep
from tests.experiment.sweeps import content, design_file, sweep


@pytest.fixture(scope="module")
def serial(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("serial")
    sweep(design_file(folder), folder / "x")
    return content(folder / "x")


def test_two_processes_give_the_bytes_of_one(tmp_path: Path, serial: dict[str, bytes]) -> None:
    made = sweep(design_file(tmp_path), tmp_path / "x", backend="processes", jobs=2)
    assert (made.made, made.complete) == (6, True)
    assert content(tmp_path / "x") == serial


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    """The address of a local Dask cluster of two workers."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1") as found:
        yield found.scheduler_address


@pytest.mark.filterwarnings("default::ResourceWarning", "default::DeprecationWarning")
def test_a_dask_cluster_gives_the_bytes_of_one_process(tmp_path: Path, serial: dict[str, bytes], cluster: str) -> None:
    design = design_file(tmp_path)
    made = run_sweep(read_sweep(design), design, tmp_path / "x", backend="dask", scheduler=cluster)
    assert (made.made, made.complete) == (6, True)
    assert content(tmp_path / "x") == serial


def test_an_unknown_back_end_is_told(tmp_path: Path) -> None:
    found = read_sweep(design_file(tmp_path))
    with (
        pytest.raises(SimlabError, match="--backend 'slurm': known: serial, processes, dask"),
        open_backend("slurm", found, jobs=1),
    ):
        pass
    with (
        pytest.raises(SimlabError, match="only --backend dask has one"),
        open_backend("serial", found, jobs=1, scheduler="tcp://x:1"),
    ):
        pass


def test_without_dask_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(SimlabError, match=r"pip install 'simlab\[dask\]'"),
        open_backend("dask", read_sweep(design_file(tmp_path)), jobs=1),
    ):
        pass


def test_without_a_scheduler_at_the_address_dask_says_so(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    with (
        pytest.raises(SimlabError, match="--scheduler nonsense: no Dask scheduler answers there"),
        open_backend("dask", read_sweep(design_file(tmp_path)), jobs=1, scheduler="nonsense"),
    ):
        pass
