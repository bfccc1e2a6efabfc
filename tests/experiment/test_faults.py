"""What can go wrong while a sweep runs: kills, a full disk, no permission, a strategy that raises."""

import errno
import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest

from simlab.core.record import RunRecord
from simlab.experiment import runner
from simlab.experiment.output import StorageError
from simlab.experiment.sweeping import read_manifest
from simlab.sim import driver
from tests.cli.calling import call
from tests.experiment.killing import finish, kill_at_random, receipts, start, still_alive, wait_until_at_work
from tests.experiment.sweeps import TINY, content, design_file, sweep
from tests.strategies_for_tests import Raises

LONG = """
scenarios = ["{scenario}"]
strategies = ["queue", "cancel"]
replications = {replications}
chunk = 20

[grid]
"tools.look.run_ms.median_s" = [1, 2, 4]
"""
CHUNKS = 3 * 15


def long_design(folder: Path) -> Path:
    return design_file(folder, LONG, replications=300)


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("uninterrupted")
    made = sweep(long_design(folder), folder / "x")
    assert made.made == CHUNKS
    return content(folder / "x")


def killed(folder: Path, times: int, *options: str) -> int:
    """Kill a sweep so many times; return how often that was in the middle of it."""
    rng = Random(20)
    return sum(kill_at_random(long_design(folder), folder / "x", rng, *options, within_s=0.1) for _ in range(times))


def test_killed_twice_it_ends_with_the_bytes_of_an_uninterrupted_sweep(
    tmp_path: Path, uninterrupted: dict[str, bytes]
) -> None:
    assert killed(tmp_path, 2, "--jobs", "1") == 2
    assert 2 <= receipts(tmp_path / "x") < CHUNKS
    assert finish(long_design(tmp_path), tmp_path / "x", "--jobs", "1").returncode == 0
    assert content(tmp_path / "x") == uninterrupted


@pytest.mark.nightly
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_killed_twenty_times_it_ends_with_the_bytes_of_an_uninterrupted_sweep(
    tmp_path: Path, uninterrupted: dict[str, bytes], jobs: str
) -> None:
    assert killed(tmp_path, 20, "--jobs", jobs) >= 10, "too few kills met it at work"
    assert finish(long_design(tmp_path), tmp_path / "x", "--jobs", jobs).returncode == 0
    assert content(tmp_path / "x") == uninterrupted


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs /proc to see the processes of others")
def test_the_workers_of_a_killed_process_end_too(tmp_path: Path) -> None:
    process = start(long_design(tmp_path), tmp_path / "x", "--jobs", "2")
    wait_until_at_work(process, tmp_path / "x")
    workers = [
        int(child)
        for task in Path(f"/proc/{process.pid}/task").iterdir()
        for child in (task / "children").read_text(encoding="ascii").split()
    ]
    assert len(workers) >= 2
    process.kill()
    process.communicate()
    assert still_alive(workers) == []


def test_two_processes_started_on_one_folder_do_not_harm_each_other(
    tmp_path: Path, uninterrupted: dict[str, bytes]
) -> None:
    design, folder = long_design(tmp_path), tmp_path / "x"
    first = start(design, folder, "--jobs", "1")
    wait_until_at_work(first, folder)
    second = finish(design, folder, "--jobs", "1")
    out, _ = first.communicate(timeout=60)
    assert first.returncode == 0, out
    assert second.returncode == 2
    holder = f"process {first.pid} on {os.uname().nodename}"
    assert second.stderr == f"simlab: {folder}: in use by {holder}; wait for it, or write to another folder\n"
    assert content(folder) == uninterrupted


# --- the disk ---------------------------------------------------------------------------------------------------------


def test_a_disk_that_is_full_is_told_and_what_is_whole_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    design, folder = design_file(tmp_path), tmp_path / "x"
    honest, written = os.fsync, 0

    def fsync(file: int) -> None:
        nonlocal written
        written += 1
        if written > 8:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        honest(file)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fsync)
        with pytest.raises(StorageError, match="No space left on device; what is complete stays"):
            sweep(design, folder)
    assert receipts(folder) == 2
    assert not list(folder.rglob("*.tmp-*"))
    assert sweep(design, folder).complete


@contextmanager
def mounted(options: str) -> Iterator[Path]:
    """A folder on a file system of its own, in memory; the test is skipped where mounting is not permitted."""
    place = Path(tempfile.mkdtemp())
    mount = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(place)]
    try:
        done = subprocess.run(mount, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            pytest.skip(f"mounting is not permitted here: {done.stderr.strip()}")
        try:
            yield place
        finally:
            subprocess.run(["umount", str(place)], check=False)
    finally:
        place.rmdir()


@pytest.fixture
def small_disk() -> Iterator[Path]:
    """A folder on a file system of 300 kB."""
    with mounted("size=300k") as place:
        yield place


def test_on_a_small_disk_it_stops_cleanly_and_goes_on_where_there_is_room(
    tmp_path: Path, small_disk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    design, folder = long_design(tmp_path), small_disk / "x"
    assert call("sweep", str(design), "--out", str(folder), "--jobs", "1") == 2
    assert "No space left on device" in capsys.readouterr().err
    assert 0 < receipts(folder) < CHUNKS
    told = read_manifest(folder)
    assert told is not None
    assert told["complete"] is False
    subprocess.run(["mount", "-o", "remount,size=20m", str(small_disk)], check=True)
    assert call("sweep", str(design), "--out", str(folder), "--jobs", "1") == 0
    assert receipts(folder) == CHUNKS


@pytest.fixture
def unwritable(tmp_path: Path) -> Iterator[Path]:
    """A folder that may be read and not written; root ignores permissions, so for root the file system says so."""
    if os.geteuid() == 0:
        with mounted("ro") as place:
            yield place
    else:
        place = tmp_path / "unwritable"
        place.mkdir(mode=0o555)
        yield place


@pytest.mark.parametrize("name", ["", "deeper"])
def test_a_folder_that_cannot_be_written_is_told_before_anything_runs(
    tmp_path: Path, unwritable: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = unwritable / name
    assert call("sweep", str(design_file(tmp_path)), "--out", str(folder), "--jobs", "1") == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith(f"simlab: {folder}: cannot be written: ")
    assert told.err.count("\n") == 1
    assert list(unwritable.iterdir()) == []


# --- strategies -------------------------------------------------------------------------------------------------------


def test_a_strategy_that_raises_in_one_run_is_reported_with_its_seed_and_the_rest_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Run 17 of chunk 3: chunks hold 20 replications of two strategies."""
    replication, honest = 3 * 20 + 8, driver.simulate

    def simulate(world: Any, strategy: Any, router: Any, **rest: Any) -> RunRecord:
        raises = rest["replication"] == replication and strategy.name == "queue"
        return honest(world, Raises() if raises else strategy, router, **rest)

    monkeypatch.setattr(runner, "simulate", simulate)
    path = tmp_path / "design.toml"
    path.write_text(LONG.format(scenario=TINY, replications=300).partition("[grid]")[0], encoding="utf-8")
    assert call("sweep", str(path), "--out", str(tmp_path / "x"), "--jobs", "1") == 1
    told = capsys.readouterr().out.splitlines()
    assert told[0] == f"15 chunks made, 0 found; 599 runs in {tmp_path / 'x'}, complete"
    assert told[1] == "1 runs failed, 0 breaches of invariants"
    assert "strategy 'raises': on_event: raised ZeroDivisionError('no idea')" in told[2]
    assert "seed 0" in told[2]
    assert told[2].endswith(f"--strategy queue --router by_type --seed 0 --replication {replication}")
