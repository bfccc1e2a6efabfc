"""Decision maps and screening: levels, cells that can be continued, and claims that are held to a rate."""

from dataclasses import replace
from pathlib import Path

import pytest

from simlab.analysis.stats.selection import SelectionPlan
from simlab.core.errors import SimlabError
from simlab.experiment.levels import Axis, at_level, grid, read_axis
from simlab.experiment.mapping import RATE, MapPlan, make_cell, make_map
from simlab.experiment.scenario import load_scenario, shipped_scenarios
from simlab.experiment.screening import Screening, assumed_ranges, screen
from simlab.experiment.selecting import pick_best
from simlab.strategies import STRATEGIES
from simlab.strategies.queue import QueueAll
from tests.cli.calling import call

SMALL = """
title = "Small"
description = "A request with one tool, and light questions"
[model]
call_ms = { law = "exponential", mean_s = 2 }
[tools.work]
run_ms = { law = "exponential", mean_s = 5 }
[plans.p]
steps = [{ id = "a", tool = "work" }]
[[events]]
id = "U1"
at_ms = 0
type = "user.input"
intent = { kind = "request", plan = "p" }
[[streams]]
name = "s"
gap_ms = { law = "exponential", mean_s = 4 }
until_ms = 20000
variants = [{ id = "q", type = "user.input", intent = { kind = "light" } }]
"""


def small(folder: Path, *, rows: int = 2, columns: int = 3, replications: int = 30, seed: int = 1) -> MapPlan:
    path = folder / "small.toml"
    path.write_text(SMALL, encoding="utf-8")
    return MapPlan(
        scenario=load_scenario(path),
        x=Axis(parameter="tools.work.run_ms.mean_s", levels=tuple(2.0 + 2 * place for place in range(columns))),
        y=Axis(parameter="streams.s.gap_ms.mean_s", levels=tuple(3.0 + place for place in range(rows))),
        metric="response:light",
        strategies=("queue", "parallel"),
        router="by_type",
        replications=replications,
        seed=seed,
    )


# --- levels -----------------------------------------------------------------------------------------------------


def test_an_axis_is_a_range_or_a_list() -> None:
    assert read_axis("a.b=0:1:5", "--x") == Axis(parameter="a.b", levels=(0.0, 0.25, 0.5, 0.75, 1.0))
    assert read_axis("a.b=3,1,2.5", "--x").levels == (3.0, 1.0, 2.5)


@pytest.mark.parametrize("text", ["a", "=1,2", "a=1:2", "a=1:2:1", "a=x,y", "a=1:2:z"])
def test_a_bad_axis_is_told_in_one_line(text: str) -> None:
    with pytest.raises(SimlabError, match="--x"):
        read_axis(text, "--x")


def test_a_level_stands_where_the_file_has_its_number_and_nowhere_else(tmp_path: Path) -> None:
    plan = small(tmp_path)
    world = at_level(plan.scenario, {"tools.work.run_ms.mean_s": 9.0, "hazards.forget": 0.25})
    assert world.spec.tools[0].run_ms.mean() == 9000.0
    assert world.spec.hazards is not None
    assert world.spec.hazards.forget == 0.25
    back = replace(world.spec, tools=plan.scenario.world.tools, hazards=None)
    assert back == plan.scenario.world
    assert world.digest != plan.scenario.sha256


def test_unknown_hazards_and_paths_are_refused(tmp_path: Path) -> None:
    scenario = small(tmp_path).scenario
    with pytest.raises(SimlabError, match="no such hazard; known: fabricate"):
        at_level(scenario, {"hazards.luck": 0.5})
    with pytest.raises(SimlabError, match="leads to no value"):
        at_level(scenario, {"tools.nobody.run_ms.mean_s": 1.0})


def test_a_grid_holds_every_combination() -> None:
    points = grid([Axis(parameter="a", levels=(1.0, 2.0)), Axis(parameter="b", levels=(3.0, 4.0, 5.0))])
    assert len(points) == 6
    assert points[1] == {"a": 1.0, "b": 4.0}


# --- maps ---------------------------------------------------------------------------------------------------------


def test_a_map_finds_the_winner_where_there_is_one(tmp_path: Path) -> None:
    frame = make_map(small(tmp_path), tmp_path / "cells")
    assert list(frame["winner"].unique()) == ["parallel"]
    assert frame["decided"].all()
    assert (frame["parallel"] < frame["queue"]).all()


def test_a_map_that_was_stopped_is_continued_and_comes_out_the_same(tmp_path: Path) -> None:
    plan = small(tmp_path)
    whole = make_map(plan, tmp_path / "whole")
    folder = tmp_path / "cells"
    make_map(plan, folder)
    files = sorted(folder.iterdir())
    assert len(files) == 6
    files[0].unlink()
    files[3].write_text("{ half", encoding="utf-8")
    made: list[int] = []
    again = make_map(plan, folder, progress=made.append)
    assert made == [4, 1, 1]
    assert again.equals(whole)
    assert make_map(plan, tmp_path / "two", jobs=2).equals(whole)


def test_equal_strategies_win_at_most_the_declared_share_of_cells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Strategies made equal: the same one under three names, each on luck of its own. At most 5 % of cells may claim.

    Three arms x 8 x 8 cells; under the null a single false claim in 64 cells is already beyond what control at 5 %
    gives in nearly every map, so the bound is the one of the contract, 5 % of cells.
    """
    plan = replace(small(tmp_path, rows=8, columns=8, replications=12), strategies=("queue", "twin", "triplet"))

    class Twin(QueueAll):
        name = "twin"

    class Triplet(QueueAll):
        name = "triplet"

    found = {"twin": Twin, "triplet": Triplet}
    real = STRATEGIES.get
    monkeypatch.setattr(STRATEGIES, "get", lambda name: found[name]() if name in found else real(name))
    frame = make_map(plan, tmp_path / "cells")
    assert len(frame) == 64
    assert frame["decided"].mean() <= RATE
    shuffled = [_with_own_luck(plan, place) for place in range(64)]
    assert sum(p_value <= RATE / 64 for p_value in shuffled) <= RATE * 64


def _with_own_luck(plan: MapPlan, place: int) -> float:
    """Return the p value of a cell in which three equal strategies have values of different seeds."""
    from simlab.analysis.stats.verdict import winner
    from simlab.experiment.mapping import values_of

    one = replace(plan, strategies=("queue", "queue-turn"), replications=12, metric="ended_ms")
    values = {
        f"arm{number}": values_of(replace(one, seed=100 * place + number).design((0, 0)), "ended_ms")["queue"]
        for number in range(3)
    }
    return winner(values).p_value


def test_an_unknown_metric_names_the_known_ones(tmp_path: Path) -> None:
    for metric, told in {"speed": "known: complete, ended_ms", "response:joke": "of light, request"}.items():
        with pytest.raises(SimlabError, match=told):
            make_cell(replace(small(tmp_path, replications=5), metric=metric), (0, 0))


@pytest.mark.parametrize("metric", ["speed", "replication", "respons:light"])
def test_a_metric_that_no_run_has_is_refused_before_the_first_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, metric: str
) -> None:
    plan = small(tmp_path)
    monkeypatch.setattr("simlab.experiment.runner.simulate", pytest.fail)
    with pytest.raises(SimlabError, match=f"no metric '{metric}'"):
        replace(plan, metric=metric)
    with pytest.raises(SimlabError, match=f"no metric '{metric}'"):
        Screening(
            scenario=plan.scenario,
            metric=metric,
            strategies=("queue", "parallel"),
            router="by_type",
            replications=20,
            seed=2,
            ranges={},
        )
    with pytest.raises(SimlabError, match=f"no metric '{metric}'"):
        pick_best(plan.design((0, 0)), metric, SelectionPlan(indifference=1.0))


def test_the_map_command_writes_table_and_figure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small(tmp_path)
    axes = ("--x", "tools.work.run_ms.mean_s=2:6:2", "--y", "hazards.forget=0,0.5")
    arguments = (
        "map",
        str(tmp_path / "small.toml"),
        *axes,
        "--metric",
        "main_calls",
        "-s",
        "queue,parallel",
        "-n",
        "10",
    )
    assert call(*arguments, "--out", str(tmp_path / "out")) == 0
    assert "4 cells, 10 replications each" in capsys.readouterr().out
    assert (tmp_path / "out" / "map.csv").exists()
    assert (tmp_path / "out" / "map.png").stat().st_size > 5000


# --- screening ----------------------------------------------------------------------------------------------------


def test_every_assumed_number_has_a_range_and_nothing_that_is_sourced() -> None:
    ranges = assumed_ranges(load_scenario("coding-assistant"))
    assert ranges["tools.push.run_ms.median_s"] == (1.0, 4.0)
    assert ranges["tools.edit.commit_share"] == (0.45, 1.0)
    assert "hazards.fabricate" in ranges
    assert not any(name.startswith("model.decode_tok_s") for name in ranges)
    assert all(low < high for low, high in ranges.values())


@pytest.mark.parametrize("name", [each for each in shipped_scenarios() if not each.startswith("worked")])
def test_every_corner_of_the_ranges_is_a_scenario(name: str) -> None:
    scenario = load_scenario(name)
    ranges = assumed_ranges(scenario)
    for ends in ((0, 0), (1, 1), (0, 1), (1, 0)):
        corner = {path: span[ends[place % 2]] for place, (path, span) in enumerate(ranges.items())}
        assert at_level(scenario, corner).spec is not None


def test_what_stands_under_an_assumed_list_is_assumed_by_its_names() -> None:
    ranges = assumed_ranges(load_scenario("chat-ops"))
    assert ranges["streams.alerts.gap_ms.mean_s"][0] > 0
    assert not any("weight" in path or "repeats" in path for path in ranges)


def test_screening_finds_the_parameter_that_moves_the_difference(tmp_path: Path) -> None:
    """The difference in the response to light questions grows with the tool's time and hardly with the model's idle."""
    pytest.importorskip("SALib")
    plan = small(tmp_path)
    screening = Screening(
        scenario=plan.scenario,
        metric="response:light",
        strategies=("queue", "parallel"),
        router="by_type",
        replications=20,
        seed=2,
        ranges={"tools.work.run_ms.mean_s": (1.0, 20.0), "model.call_ms.mean_s": (1.9, 2.1)},
    )
    first, second = screen(screening, trajectories=4)
    assert first.parameter == "tools.work.run_ms.mean_s"
    assert first.mu > 0
    assert first.mu_star.estimate > 5 * second.mu_star.estimate
