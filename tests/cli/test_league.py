"""``simlab league`` from the command line."""

import csv
import json
from collections import Counter
from pathlib import Path

import pytest

from tests.cli.calling import call

SMALL = ("payments", "customer-desk", "-s", "queue,queue-turn,cancel", "-n", "4")


def test_tables_figure_and_manifest_are_written_and_the_second_call_runs_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    places = ("--pairs", str(tmp_path / "pairs"), "--out", str(tmp_path / "out"))
    assert call("league", *SMALL, *places) == 0
    assert "6 pairs: 6 run now, 0 found" in capsys.readouterr().out
    first = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    assert set(first) == {"league.csv", "standings.md", "league.png", "manifest.json"}
    manifest = json.loads(first["manifest.json"])
    assert sum(manifest["verdicts"].values()) == 2 * 2 * 9
    assert manifest["failures"] == []
    assert call("league", *SMALL, *places) == 0
    assert "6 pairs: 0 run now, 6 found" in capsys.readouterr().out
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == first


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("payments", "-s", "queue", "--baseline", "cancel"), "--baseline 'cancel': not among the policies: queue"),
        (("nowhere",), "nowhere: no such scenario"),
        (("payments", "-s", "queue,quick"), "no strategy 'quick'"),
    ],
)
def test_a_mistake_is_one_line_and_writes_nothing(
    arguments: tuple[str, ...], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    places = ("--pairs", str(tmp_path / "pairs"), "--out", str(tmp_path / "out"))
    assert call("league", *arguments, *places) == 2
    assert says in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


RESULTS = Path(__file__).parents[2] / "results" / "league"


def test_the_published_league_is_whole_small_and_what_its_page_says() -> None:
    manifest = json.loads((RESULTS / "manifest.json").read_text(encoding="utf-8"))
    with (RESULTS / "league.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    verdicts = Counter(row["verdict"] for row in rows)
    assert verdicts == manifest["verdicts"]
    assert manifest["failures"] == []
    page = (RESULTS / "README.md").read_text(encoding="utf-8")
    told = " ".join(page.split())
    assert f"{len(rows):,} paired comparisons" in told
    assert f"{verdicts['better']} are better, {verdicts['worse']:,} worse" in told
    assert f"{verdicts['equivalent']:,} the same within 2 %, {verdicts['undecided']:,} undecided" in told
    assert manifest["command"] in page
    assert set(manifest["breaches"]) == {"hard-cancel", "langgraph-interrupt", "langgraph-rollback-concat"}
    assert sum(path.stat().st_size for path in RESULTS.iterdir()) < 1_000_000


def test_a_league_of_the_baseline_alone_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    places = ("--pairs", str(tmp_path / "pairs"), "--out", str(tmp_path / "out"))
    assert call("league", "02-stop-said-it-wrong", "-s", "queue", "-n", "2", *places) == 2
    assert capsys.readouterr().err == "simlab: league: no policy beside 'queue' has results\n"
    assert not (tmp_path / "out").exists()
