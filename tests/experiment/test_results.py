"""Results read back: tidy frames, and SQL."""

import sys
from pathlib import Path

import pytest

import simlab
from simlab.analysis.metrics import EVENT_FIELDS, RUN_FIELDS
from simlab.core.errors import SimlabError
from simlab.experiment.columns import EVENT_COLUMNS, RUN_COLUMNS, page
from simlab.experiment.results import query
from simlab.experiment.sweeping import Shard
from tests.experiment.sweeps import REPLICATIONS, design_file, sweep

PARAMETER = "tools.look.run_ms.median_s"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("results")
    sweep(design_file(place), place / "x")
    return place / "x"


def test_a_row_is_a_run_with_its_parameters_and_units(folder: Path) -> None:
    runs = simlab.load(folder)
    assert len(runs) == 2 * 2 * REPLICATIONS
    assert list(runs.columns) == ["scenario", PARAMETER, *RUN_FIELDS[1:]]
    assert sorted(runs[PARAMETER].unique()) == [1.0, 4.0]
    assert set(runs["scenario"]) == {"tiny"}
    assert runs.groupby([PARAMETER, "strategy"])["replication"].nunique().eq(REPLICATIONS).all()
    units = runs.attrs["units"]
    assert (units["ended_ms"], units["model_cost_usd"], units["input_tokens"]) == ("ms", "US dollars", "tokens")
    assert units[PARAMETER] == "as in the scenario file"


def test_a_row_is_an_event(folder: Path) -> None:
    events = simlab.load(str(folder), "events")
    assert list(events.columns) == ["scenario", PARAMETER, *EVENT_FIELDS[1:]]
    assert set(events["kind"]) == {"request", "light"}
    runs = simlab.load(folder)
    assert len(events) == runs["events"].sum()


def test_what_is_not_complete_is_read_on_request_only(tmp_path: Path) -> None:
    design = design_file(tmp_path)
    sweep(design, tmp_path / "x", shard=Shard(number=1, count=2))
    with pytest.raises(SimlabError, match="the sweep is not complete; start it again"):
        simlab.load(tmp_path / "x")
    assert len(simlab.load(tmp_path / "x", partial=True)) == 2 * REPLICATIONS


def test_what_is_no_folder_of_results_is_told(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(SimlabError, match="holds no results"):
        simlab.load(tmp_path)
    with pytest.raises(SimlabError, match="no table 'run'; known: runs, events"):
        simlab.load(folder, "run")  # type: ignore[arg-type]


def test_sql_sees_the_same_numbers_as_the_frame(folder: Path) -> None:
    names, rows = query(
        folder,
        f'SELECT strategy, "{PARAMETER}" AS look, count(*) AS n, avg(main_calls) AS calls '
        "FROM runs GROUP BY ALL ORDER BY strategy, look",
    )
    means = simlab.load(folder).groupby(["strategy", PARAMETER])["main_calls"].mean()
    assert names == ["strategy", "look", "n", "calls"]
    assert [(strategy, look) for strategy, look, _, _ in rows] == list(means.index)
    assert [calls for _, _, _, calls in rows] == pytest.approx(list(means))
    _, joined = query(folder, f'SELECT count(*) FROM events JOIN runs USING (strategy, replication, "{PARAMETER}")')
    assert joined[0][0] == len(simlab.load(folder, "events"))


@pytest.mark.parametrize(("sql", "told"), [("SELEC 1", "syntax error"), ("SELECT x FROM runs", "x")])
def test_sql_that_is_none_is_told_in_one_line(folder: Path, sql: str, told: str) -> None:
    with pytest.raises(SimlabError) as caught:
        query(folder, sql)
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


def test_without_duckdb_the_extra_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(SimlabError, match=r"pip install 'simlab\[duckdb\]'"):
        query(folder, "SELECT 1")


def test_every_column_is_explained_in_its_order() -> None:
    assert tuple(RUN_COLUMNS) == RUN_FIELDS
    assert tuple(EVENT_COLUMNS) == EVENT_FIELDS


def test_units_agree_with_the_last_word_of_the_name() -> None:
    for name, column in {**RUN_COLUMNS, **EVENT_COLUMNS}.items():
        for ending, unit in (("_ms", "ms"), ("_usd", "US dollars"), ("_tokens", "tokens"), ("_share", "share")):
            assert not name.endswith(ending) or column.unit == unit, name


def test_the_page_is_fresh() -> None:
    written = Path(__file__).parents[2] / "docs" / "results.md"
    assert written.read_text(encoding="utf-8") == page(), "python -m simlab.experiment.columns"


def test_an_unknown_name_of_the_package_is_told() -> None:
    with pytest.raises(AttributeError, match="no attribute 'lod'"):
        simlab.lod  # noqa: B018
