"""Sweep files: what they say, and what is said to those that say something else."""

from pathlib import Path

import pytest

from simlab.experiment.sweep import Key, Sweep, read_sweep
from simlab.experiment.sweep_file import SweepError
from simlab.sim.laws import Lognormal
from tests.experiment.sweeps import TINY, design_file

HEAD = f"""
scenarios = ["{TINY}", "worked/01-email-weather"]
strategies = ["queue", "cancel"]
replications = 5
"""


def sweep_of(folder: Path, text: str) -> Sweep:
    path = folder / "design.toml"
    path.write_text(text, encoding="utf-8")
    return read_sweep(path)


def test_a_grid_is_every_combination_and_its_chunks_cover_every_replication(tmp_path: Path) -> None:
    found = sweep_of(
        tmp_path,
        f"""
scenarios = ["{TINY}"]
strategies = ["queue", "cancel"]
routers = ["by_type", "oracle"]
replications = 10
chunk = 4
[grid]
"tools.look.run_ms.median_s" = [1, 2, 3]
"model.decode_tok_s" = [50, 100]
""",
    )
    assert [dict(point) for point in found.points] == [
        {"tools.look.run_ms.median_s": look, "model.decode_tok_s": rate} for look in (1, 2, 3) for rate in (50, 100)
    ]
    assert found.parameters == ("tools.look.run_ms.median_s", "model.decode_tok_s")
    assert [key for key in found.chunks() if key.place == 5] == [Key(5, 0), Key(5, 1), Key(5, 2)]
    assert [list(found.replications_of(Key(5, number))) for number in range(3)] == [
        [0, 1, 2, 3],
        [4, 5, 6, 7],
        [8, 9],
    ]


def test_a_point_stands_in_the_world_of_its_place(tmp_path: Path) -> None:
    found = read_sweep(design_file(tmp_path))
    medians = []
    for place in range(found.places):
        law = found.world(place).spec.tools[0].run_ms
        assert isinstance(law, Lognormal)
        medians.append(law.median)
    assert medians == [1000.0, 4000.0]


def test_a_variant_keeps_its_changes_at_every_point(tmp_path: Path) -> None:
    found = sweep_of(
        tmp_path,
        f"""
scenarios = ["{TINY}@hazards=stress"]
strategies = ["queue"]
replications = 2
[[points]]
"model.decode_tok_s" = 25
""",
    )
    world = found.world(0)
    assert world.spec.hazards is not None
    assert world.spec.model.decode_tok_s.mean() == 25
    assert world.name == "tiny@model.decode_tok_s=25@hazards=stress"


def test_a_latin_hypercube_meets_every_slice_of_every_range_once(tmp_path: Path) -> None:
    text = f"""
scenarios = ["{TINY}"]
strategies = ["queue"]
replications = 1
seed = 5
[latin_hypercube]
samples = 20
log = ["tools.look.run_ms.median_s"]
[latin_hypercube.parameters]
"tools.look.run_ms.median_s" = [0.1, 10]
"model.decode_tok_s" = [20, 120]
"""
    points = sweep_of(tmp_path, text).points
    assert sorted(int((point["model.decode_tok_s"] - 20) / 5) for point in points) == list(range(20))
    decades = sorted(point["tools.look.run_ms.median_s"] for point in points)
    assert sum(value < 1 for value in decades) == 10
    assert [dict(point) for point in sweep_of(tmp_path, text).points] == [dict(point) for point in points]
    assert sweep_of(tmp_path, text.replace("seed = 5", "seed = 6")).points != points


def test_the_digest_tells_designs_apart(tmp_path: Path) -> None:
    first = read_sweep(design_file(tmp_path))
    assert read_sweep(design_file(tmp_path)).digest == first.digest
    assert read_sweep(design_file(tmp_path, replications=13)).digest != first.digest


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("strategies = ['queue']\nreplications = 1", "scenarios: missing"),
        (HEAD + "sedd = 1", "sedd: unknown key; allowed: scenarios"),
        (HEAD.replace("replications = 5", ""), "either replications or stop"),
        (HEAD.replace("queue", "quue"), "no strategy 'quue'"),
        (HEAD + "routers = ['by_tipe']", "no router 'by_tipe'"),
        (HEAD.replace("worked/01", "worked/77"), "no such scenario"),
        (HEAD + "[grid]\n'model.no.such' = [1]", "model.no.such"),
        (HEAD + "[grid]\n'model.call_ms' = [-1]", "call_ms"),
        (HEAD + "[grid]\n'model.call_ms' = []", "grid.model.call_ms"),
        (HEAD + "[grid]\n'a' = [1]\n[[points]]\n'a' = 1", "points: one of grid, latin_hypercube, points"),
        (HEAD + "[stop]\nmetric = 'main_calls'\nhalf_width = 1\nat_most = 10", "either replications or stop"),
        (
            HEAD.replace("replications = 5", "") + "[stop]\nmetric='tasks'\nhalf_width=1\nat_most=10\nbaseline='x'",
            "stop.baseline 'x': not among the strategies",
        ),
        (
            HEAD + "[latin_hypercube]\nsamples = 2\nlog = ['b']\nparameters = {'model.decode_tok_s' = [1, 2]}",
            "latin_hypercube.log: 'b'",
        ),
        ("scenarios = [", "not TOML"),
    ],
)
def test_a_wrong_file_is_told_in_one_line_with_file_and_key(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(SweepError) as caught:
        sweep_of(tmp_path, text)
    assert told in str(caught.value)
    assert str(tmp_path / "design.toml") in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(SweepError, match="cannot be read: No such file"):
        read_sweep(tmp_path / "none.toml")
