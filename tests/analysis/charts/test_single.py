"""The figure of a comparison: units on the axes, a mark for every figure that exists."""

from pathlib import Path

from simlab.analysis.charts.single import PANELS, arm, draw_comparison
from simlab.analysis.outcome import outcome_of
from tests.worked_runs import worked

OUTCOMES = [
    outcome_of(worked(case, strategy))
    for case in ("01-email-weather", "02-stop-said-it-wrong")
    for strategy in ("queue", "cancel", "hard-cancel")
]


def test_a_figure_is_written_where_it_was_asked_for(tmp_path: Path) -> None:
    draw_comparison(OUTCOMES, tmp_path / "it.png")
    assert (tmp_path / "it.png").read_bytes().startswith(b"\x89PNG")


def test_equal_outcomes_give_equal_figures(tmp_path: Path) -> None:
    for name in ("a.png", "b.png"):
        draw_comparison(OUTCOMES, tmp_path / name)
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


def test_every_panel_names_its_unit_and_reads_seconds_from_milliseconds() -> None:
    assert all(panel.unit for panel in PANELS)
    queue, cancel, hard = OUTCOMES[:3]
    assert [panel.read(queue) for panel in PANELS] == [7.0, 12.0, 0.0, 2]
    assert [panel.read(cancel) for panel in PANELS] == [2.0, 17.0, 3.0, 3]
    assert PANELS[1].read(hard) is None


def test_a_label_names_the_router_that_the_outcome_names() -> None:
    assert arm(OUTCOMES[0]) == "queue (by_type)"
