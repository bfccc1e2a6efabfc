import pytest

from simlab.core.errors import SimlabError
from simlab.sim.laws import Constant
from simlab.sim.marginals import Row, _of_mixture, compare, drawn_values, figure_of
from simlab.sim.streams import Draws

ROWS = {(row.quantity, row.figure): row for row in compare(drawn_values(Draws(1, 0), 100_000))}


@pytest.mark.parametrize("figure", ["p50", "p90", "p99"])
def test_step_times_meet_the_published_quantiles_within_a_tenth(figure: str) -> None:
    assert ROWS["step latency", figure].ratio == pytest.approx(1, abs=0.1)


@pytest.mark.parametrize("figure", ["p50", "p99", "mean"])
def test_output_tokens_meet_the_published_figures_within_a_fiftieth(figure: str) -> None:
    assert ROWS["output tokens", figure].ratio == pytest.approx(1, abs=0.02)


@pytest.mark.parametrize(
    ("figure", "within"),
    [
        ("p50", 0.13),
        ("p90", 0.05),
        ("p99", 0.05),
        ("mean", 0.05),
        ("share of values < 1", 0.05),
        ("share of values 1-10", 0.05),
        ("share of values 10-60", 0.05),
        ("share of values > 60", 0.05),
        ("share of sum > 60", 0.05),
    ],
)
def test_tool_times_meet_the_published_figures_within_a_twentieth_but_the_median(figure: str, within: float) -> None:
    """The page on calibration says why the median stays 12 % too high."""
    assert ROWS["tool time", figure].ratio == pytest.approx(1, abs=within)


@pytest.mark.parametrize("figure", ["p50", "p90", "p99", "mean"])
def test_steps_of_a_request_rounded_to_whole_ones_meet_the_published_figures(figure: str) -> None:
    assert ROWS["steps of a request", figure].ratio == pytest.approx(1, abs=0.03)


@pytest.mark.parametrize("figure", ["p50", "p90", "p99", "share of values < 300", "share of values < 3600"])
def test_human_waits_meet_the_published_figures(figure: str) -> None:
    assert ROWS["human wait", figure].ratio == pytest.approx(1, abs=0.01)


def test_the_report_shows_the_worst_ratio_first_and_leaves_nothing_out() -> None:
    rows = compare(drawn_values(Draws(2, 0), 2000))
    assert len(rows) == len(ROWS) == 25
    sizes = [max(row.ratio, 1 / row.ratio) for row in rows]
    assert sizes == sorted(sizes, reverse=True)


def test_a_simulation_may_be_compared_on_one_quantity_alone() -> None:
    rows = compare({"tool time": [0.3] * 99 + [216.0]})
    assert {row.quantity for row in rows} == {"tool time"}
    assert next(row.ratio for row in rows if row.figure == "p50") == 1


def test_a_ratio_inside_a_published_range_is_one() -> None:
    row = Row(quantity="x", figure="p99", unit="s", low=4.0, high=5.0, simulated=4.5, source="TL")
    assert row.ratio == 1
    assert Row(quantity="x", figure="p99", unit="s", low=4.0, high=5.0, simulated=10.0, source="TL").ratio == 2


@pytest.mark.parametrize(
    ("figure", "value"),
    [
        ("mean", 3.0),
        ("p50", 2.0),
        ("p99", 9.0),
        ("share of values < 2", 0.4),
        ("share of values 2-9", 0.4),
        ("share of values > 2", 0.2),
        ("share of sum > 2", 0.6),
    ],
)
def test_figures_of_five_values(figure: str, value: float) -> None:
    assert figure_of([0.0, 1.0, 2.0, 2.0, 10.0] if value == 3.0 else [1.0, 1.0, 2.0, 2.0, 9.0], figure) == value


@pytest.mark.parametrize(
    "figure", ["median", "p", "pfifty", "share of values", "share of sum ~ 3", "share of luck < 1"]
)
def test_a_figure_that_nobody_knows_is_told(figure: str) -> None:
    with pytest.raises(SimlabError, match="marginals: no "):
        figure_of([1.0], figure)


def test_unknown_quantities_and_empty_samples_are_told() -> None:
    with pytest.raises(SimlabError, match=r"no published figures for 'luck'; known: human wait, output tokens"):
        compare({"luck": [1.0]})
    with pytest.raises(SimlabError, match=r"no values for 'tool time'"):
        compare({"tool time": []})


def test_a_mixture_chooses_by_share_and_its_last_kind_catches_rounding() -> None:
    mixture = [(0.1, Constant(value=1.0)), (0.2, Constant(value=2.0)), (0.3, Constant(value=3.0))]
    values = [_of_mixture(mixture, (index + 0.5) / 600, 0.5) for index in range(600)]
    assert [values.count(value) for value in (1.0, 2.0, 3.0)] == [100, 200, 300]
    assert _of_mixture(mixture, 1 + 1e-9, 0.5) == 3.0
