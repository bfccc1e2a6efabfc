"""Cells, runs and the table of a comparison."""

import shlex
from pathlib import Path

import pytest

from simlab.analysis.outcome import outcome_of
from simlab.core.errors import SimlabError
from simlab.experiment.comparison import Cell, cells, merge_routers, run_all, run_cell
from simlab.experiment.scenario import load_scenario, read_scenario


def test_every_combination_becomes_a_cell_in_order() -> None:
    scenario = load_scenario("01-email-weather")
    made = cells([scenario], ["queue", "cancel"], ["by_type", "oracle"], seed=7, replications=2)
    assert [(cell.strategy, cell.router, cell.replication) for cell in made] == [
        (strategy, router, replication)
        for strategy in ("queue", "cancel")
        for router in ("by_type", "oracle")
        for replication in (0, 1)
    ]
    assert {cell.seed for cell in made} == {7}


@pytest.mark.parametrize(("strategies", "routers"), [(["queue", "nobody"], ["by_type"]), (["queue"], ["nobody"])])
def test_an_unknown_name_is_refused_before_any_run(strategies: list[str], routers: list[str]) -> None:
    with pytest.raises(SimlabError, match=r"^no (strategy|router) 'nobody'; known: "):
        cells([], strategies, routers)


def test_a_result_carries_its_row_and_the_breaches_of_its_run() -> None:
    todo = cells([load_scenario("02-stop-said-it-wrong")], ["hard-cancel", "cancel"], ["by_type"])
    hard, cancel = run_all(todo)
    assert hard.outcome == outcome_of(run_cell(todo[0]))
    assert "every_call_is_closed_once" in {breach.invariant for breach in hard.breaches}
    assert cancel.breaches == []


def test_a_cell_carries_seed_and_replication_into_its_run() -> None:
    cell = Cell(scenario=load_scenario("01-email-weather"), strategy="cancel", router="oracle", seed=3, replication=4)
    record = run_cell(cell)
    assert (record.strategy, record.router, record.seed, record.replication) == ("cancel", "oracle", 3, 4)


def test_the_replay_command_names_the_run_so_that_a_shell_understands_it(tmp_path: Path) -> None:
    shipped = Cell(scenario=load_scenario("03-only-last-month"), strategy="q", router="r", seed=1, replication=2)
    assert shipped.replay == "simlab run worked/03-only-last-month --strategy q --router r --seed 1 --replication 2"
    path = tmp_path / "my case.toml"
    path.write_bytes(load_scenario("03-only-last-month").path.read_bytes())
    own = Cell(scenario=read_scenario(path), strategy="q", router="r", seed=1, replication=2)
    assert shlex.split(own.replay)[2] == str(path)


def test_a_strategy_that_no_router_changes_keeps_one_row_without_a_router() -> None:
    todo = cells([load_scenario("01-email-weather")], ["queue", "routed"], ["by_type", "oracle"])
    merged = merge_routers([result.outcome for result in run_all(todo)])
    assert [(each.strategy, each.router) for each in merged] == [
        ("queue", ""),
        ("routed", "by_type"),
        ("routed", "oracle"),
    ]


def test_one_scenario_in_which_the_router_matters_keeps_the_rows_of_all() -> None:
    scenarios = [load_scenario(name) for name in ("03-only-last-month", "01-email-weather")]
    outcomes = [result.outcome for result in run_all(cells(scenarios, ["routed"], ["by_type", "oracle"]))]
    assert merge_routers(outcomes) == outcomes
    assert [each.router for each in merge_routers(outcomes[:2])] == [""]


def test_with_one_router_no_row_names_it() -> None:
    todo = cells([load_scenario("01-email-weather")], ["queue", "routed"], ["oracle"])
    assert [each.router for each in merge_routers([result.outcome for result in run_all(todo)])] == ["", ""]
