"""Tables of a comparison, as text."""

import csv
from dataclasses import fields, replace
from io import StringIO

from simlab.analysis.outcome import Outcome, outcome_of
from simlab.analysis.tables import TextTable, csv_text, detail, matrix, totals
from tests.worked_runs import worked


def outcome(case: str, strategy: str) -> Outcome:
    return replace(outcome_of(worked(case, strategy)), router="")


CASES = ("01-email-weather", "05-weather-during-analysis")
OUTCOMES = [outcome(case, strategy) for case in CASES for strategy in ("queue", "cancel")]


def test_detail_has_a_row_for_each_strategy() -> None:
    table = detail("worked/01-email-weather", OUTCOMES)
    assert table.head[0] == "strategy"
    assert [dict(zip(table.head, row, strict=True)) for row in table.rows] == [
        {
            "strategy": "queue",
            "acted on after, s": "7.0",
            "first answer after, s": "7.0",
            "request done after, s": "12.0",
            "main calls": "2",
            "side calls": "0",
            "calls discarded": "0",
            "tool s thrown away": "0.0",
            "late mistakes": "0",
            "decision points": "0",
        },
        {
            "strategy": "cancel",
            "acted on after, s": "2.0",
            "first answer after, s": "2.0",
            "request done after, s": "17.0",
            "main calls": "3",
            "side calls": "0",
            "calls discarded": "0",
            "tool s thrown away": "3.0",
            "late mistakes": "0",
            "decision points": "1",
        },
    ]


def test_what_never_happened_and_what_was_never_asked_are_told_apart() -> None:
    never = dict(zip(*_only_row(outcome("01-email-weather", "hard-cancel")), strict=True))
    assert never["request done after, s"] == "1 never"
    withdrawn = dict(zip(*_only_row(outcome("02-stop-said-it-wrong", "queue")), strict=True))
    assert withdrawn["request done after, s"] == "-"


def _only_row(one: Outcome) -> tuple[list[str], list[str]]:
    table = detail(one.scenario, [one])
    return list(table.head), list(table.rows[0])


def test_the_matrix_has_a_row_for_each_scenario_and_a_column_for_each_strategy() -> None:
    table = matrix(OUTCOMES)
    assert table.head == ["scenario", "queue", "cancel"]
    assert table.rows == [["01-email-weather", "7.0", "2.0"], ["05-weather-during-analysis", "24.0", "2.0"]]


def test_totals_pool_means_over_events_and_add_up_counts() -> None:
    queue, cancel = totals(OUTCOMES).rows
    assert queue == ["queue", "15.5", "15.5", "23.0", "0", "4", "0", "0.0", "0", "0"]
    assert cancel == ["cancel", "2.0", "2.0", "30.5", "0", "6", "0", "11.0", "0", "2"]


def test_totals_weigh_a_mean_by_the_events_behind_it() -> None:
    four, one = outcome("07-a-batch", "queue"), outcome("01-email-weather", "queue")
    assert (four.others, four.acted_ms) == (4, 8000)
    assert totals([four, one]).rows[0][1] == "7.8"


def test_a_table_as_markdown() -> None:
    table = TextTable(title="T", head=["a", "b"], rows=[["x", "1"]])
    assert table.markdown() == "T\n\n| a | b |\n| --- | ---: |\n| x | 1 |\n"


def test_the_csv_has_every_figure_and_leaves_missing_ones_empty() -> None:
    odd = replace(outcome("02-stop-said-it-wrong", "queue"), scenario='a,"b"')
    (row,) = csv.DictReader(StringIO(csv_text([odd])))
    assert row.keys() == {field.name for field in fields(Outcome)}
    assert (row["scenario"], row["request_ms"], row["late_mistakes"]) == ('a,"b"', "", "1")
