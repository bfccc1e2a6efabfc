"""Stopping by precision: the number of replications follows from the data alone, not from how the work was shared."""

from pathlib import Path

import pytest

from simlab.core.errors import SimlabError
from simlab.experiment.schedule import UntilPrecise
from simlab.experiment.sweep import Key, read_sweep
from simlab.experiment.sweeping import read_manifest
from tests.experiment.sweeps import TINY, content, design_file, sweep

DESIGN = f"""
scenarios = ["{TINY}"]
strategies = ["queue", "cancel"]
[grid]
"tools.look.run_ms.median_s" = [1, 4]
[stop]
metric = "{{metric}}"
half_width = {{half_width}}
every = 10
at_least = 20
at_most = 80
"""


def stopping(folder: Path, *, metric: str = "main_calls", half_width: float = 0.4) -> Path:
    path = folder / "design.toml"
    path.write_text(DESIGN.format(metric=metric, half_width=half_width), encoding="utf-8")
    return path


def chunks_of(folder: Path) -> list[int]:
    """Return how many chunks each place has."""
    told = read_manifest(folder)
    assert told is not None
    assert told["complete"]
    return [sum(name.startswith(f"{place:05d}") for name in told["chunks"]) for place in range(2)]


def test_it_stops_where_the_interval_is_narrow_enough_and_not_before(tmp_path: Path) -> None:
    import numpy as np

    from simlab.analysis.stats.paired import paired_means
    from simlab.experiment.results import load

    sweep(stopping(tmp_path), tmp_path / "x")
    frame = load(tmp_path / "x")
    counts = chunks_of(tmp_path / "x")
    assert 2 < max(counts) < 8, "the half-width asked for is reached between floor and cap"
    for place, median_s in enumerate((1.0, 4.0)):
        mine = frame[frame["tools.look.run_ms.median_s"] == median_s]
        wide = mine.pivot_table(index="replication", columns="strategy", values="main_calls")
        ends = [10 * number for number in range(2, counts[place] + 1)]
        widths = [
            paired_means(
                np.asarray(wide["cancel"][:end], dtype=float), np.asarray(wide["queue"][:end], dtype=float)
            ).difference.half_width
            for end in ends
        ]
        assert widths[-1] <= 0.4
        assert all(width > 0.4 for width in widths[:-1])


def test_the_cap_ends_it(tmp_path: Path) -> None:
    made = sweep(stopping(tmp_path, half_width=0.0001), tmp_path / "x")
    assert made.complete
    assert chunks_of(tmp_path / "x") == [8, 8]


def test_the_way_in_which_the_work_is_shared_changes_nothing(tmp_path: Path) -> None:
    design = stopping(tmp_path)
    sweep(design, tmp_path / "x")
    sweep(design, tmp_path / "y", backend="processes", jobs=2)
    assert content(tmp_path / "y") == content(tmp_path / "x")


def test_chunks_come_back_in_any_order_and_are_judged_in_theirs(tmp_path: Path) -> None:
    design = stopping(tmp_path)
    found = read_sweep(design)
    sweep(design, tmp_path / "x")
    from simlab.experiment.parts import PartFolder
    from simlab.experiment.sweeping import read_tables

    parts = PartFolder(tmp_path / "x")
    counts = chunks_of(tmp_path / "x")
    assert found.stop is not None
    schedule = UntilPrecise(found, found.stop, lambda key: read_tables(parts, key), ahead=3)
    flying: list[Key] = []
    while True:
        while len(flying) < 6 and (key := schedule.next()) is not None:
            flying.append(key)
        if not flying:
            break
        schedule.done(flying.pop())  # the youngest first
    assert list(schedule.wanted()) == [Key(place, number) for place in range(2) for number in range(counts[place])]


def test_a_metric_of_events_can_decide(tmp_path: Path) -> None:
    made = sweep(stopping(tmp_path, metric="response:light", half_width=0.4), tmp_path / "x")
    assert made.complete


@pytest.mark.parametrize("metric", ["main_call", "response:lite", "respons:light", "scenario"])
def test_an_unknown_metric_is_told(tmp_path: Path, metric: str) -> None:
    with pytest.raises(SimlabError, match="no metric"):
        sweep(stopping(tmp_path, metric=metric), tmp_path / "x")


def test_shards_cannot_stop_by_precision(tmp_path: Path) -> None:
    from simlab.experiment.sweeping import Shard

    with pytest.raises(SimlabError, match="looks at all its chunks"):
        sweep(stopping(tmp_path), tmp_path / "x", shard=Shard(number=1, count=2))


def test_a_fixed_design_needs_no_look(tmp_path: Path) -> None:
    assert sweep(design_file(tmp_path), tmp_path / "x").complete
