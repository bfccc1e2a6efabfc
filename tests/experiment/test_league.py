"""A league of pairs on disk: stopped, continued, extended, and never run twice."""

from pathlib import Path

import pandas as pd
import pytest

from simlab.core.errors import SimlabError
from simlab.experiment.league import Pair, library, pairs, play, play_pair, read_mark, read_pair


def two(replications: int = 3, *, router: str = "rules", policies: tuple[str, ...] = ("queue", "cancel")) -> list[Pair]:
    return pairs(["payments"], policies, router=router, seed=1, replications=replications)


def test_a_pair_is_run_once_and_then_found(tmp_path: Path) -> None:
    assert [done.new for done in play(two(), tmp_path)] == [True, True]
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.parquet")}
    assert [done.new for done in play(two(), tmp_path)] == [False, False]
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.parquet")} == before


def test_a_league_that_was_stopped_goes_on_with_what_is_missing(tmp_path: Path) -> None:
    first, second = two()
    play_pair(first, tmp_path)
    assert [done.new for done in play([first, second], tmp_path)] == [False, True]


def test_more_replications_are_added_to_those_that_are_there(tmp_path: Path) -> None:
    (short, _), (long, _) = two(2), two(4)
    play_pair(short, tmp_path)
    early = read_pair(short, tmp_path)
    assert play_pair(long, tmp_path).new
    pd.testing.assert_frame_equal(read_pair(short, tmp_path), early)
    play_pair(long, tmp_path / "at-once")
    pd.testing.assert_frame_equal(read_pair(long, tmp_path), read_pair(long, tmp_path / "at-once"))


def test_another_seed_router_or_scenario_is_another_pair(tmp_path: Path) -> None:
    (pair, _), (other, _) = two(), two(router="by_type")
    play_pair(pair, tmp_path)
    assert pair.digest("x") != other.digest("x")
    assert pair.digest("x") != pair.digest("y")
    assert play_pair(other, tmp_path).new


def test_a_file_that_is_not_ours_or_is_half_written_is_replaced(tmp_path: Path) -> None:
    (pair, _) = two()
    path = tmp_path / pair.file
    path.parent.mkdir(parents=True)
    path.write_text("half")
    assert read_mark(path) == {}
    assert play_pair(pair, tmp_path).new
    assert len(read_pair(pair, tmp_path)) == 3


def test_the_number_of_processes_changes_nothing(tmp_path: Path) -> None:
    play(two(2), tmp_path / "one")
    play(two(2), tmp_path / "two", jobs=2)
    for pair in two(2):
        assert (tmp_path / "one" / pair.file).read_bytes() == (tmp_path / "two" / pair.file).read_bytes()


def test_the_policy_that_knows_the_truth_gets_its_router() -> None:
    (oracle, queue) = two(policies=("oracle-policy", "queue"))
    assert (oracle.router, queue.router) == ("oracle", "rules")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"policies": ("quick",)}, "no strategy 'quick'"),
        ({"router": "quick"}, "no router 'quick'"),
        ({"replications": 1}, "an interval needs at least 2"),
    ],
)
def test_a_wrong_name_is_told_before_anything_runs(change: dict[str, object], says: str) -> None:
    with pytest.raises(SimlabError, match=says):
        two(**change)  # type: ignore[arg-type]


def test_the_library_leaves_out_the_worked_cases() -> None:
    assert len(library()) >= 12
