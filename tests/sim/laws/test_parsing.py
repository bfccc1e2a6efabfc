from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simlab.core.errors import SimlabError
from simlab.sim.laws import (
    LAW_NAMES,
    Constant,
    Discrete,
    Empirical,
    Exponential,
    Gamma,
    Law,
    Lognormal,
    Pareto,
    ParetoTail,
    StallMixture,
    TwoLognormals,
    Uniform,
    Unit,
    Weibull,
    ZeroInflated,
    parse_law,
    read_column,
)

WHERE = "demo.toml: tools.shell.time"

WRITTEN: list[tuple[dict[str, Any], Unit, Law]] = [
    ({"law": "constant", "value_s": 2}, "ms", Constant(value=2000.0)),
    ({"law": "exponential", "mean_ms": 5, "cap_s": 1}, "ms", Exponential(scale=5.0, cap=1000.0)),
    ({"law": "uniform", "low_ms": 5, "high_s": 1}, "s", Uniform(low=5.0, high=1000.0)),
    (
        {"law": "lognormal", "median_s": 5.7, "sigma": 1.1, "cap_s": 600},
        "ms",
        Lognormal(median=5700, sigma=1.1, cap=6e5),
    ),
    ({"law": "lognormal", "median_tokens": 214, "sigma": 1.35}, "tokens", Lognormal(median=214, sigma=1.35)),
    (
        {"law": "two-lognormal", "weight": 0.2, "median_1_s": 1, "sigma_1": 1, "median_2_s": 2, "sigma_2": 2},
        "ms",
        TwoLognormals(weight=0.2, median_1=1000, sigma_1=1, median_2=2000, sigma_2=2),
    ),
    ({"law": "gamma", "shape": 2, "scale_ms": 3}, "ms", Gamma(shape=2, scale=3)),
    ({"law": "gamma", "shape": 2, "mean_ms": 3}, "ms", Gamma(shape=2, scale=1.5)),
    ({"law": "weibull", "shape": 0.5, "mean_ms": 4}, "ms", Weibull(shape=0.5, scale=2)),
    ({"law": "weibull", "shape": 0.5, "scale_ms": 4}, "ms", Weibull(shape=0.5, scale=4)),
    ({"law": "pareto", "minimum_s": 1, "alpha": 1.5}, "ms", Pareto(minimum=1000, alpha=1.5)),
    (
        {
            "law": "pareto-tail",
            "threshold_s": 60,
            "alpha": 1.1,
            "cap_s": 3600,
            "body": {"law": "lognormal", "median_ms": 300, "sigma": 2},
        },
        "ms",
        ParetoTail(body=Lognormal(median=300, sigma=2), threshold=60_000, alpha=1.1, cap=3_600_000),
    ),
    ({"law": "empirical", "values_s": [3, 1]}, "ms", Empirical(values=(1000.0, 3000.0))),
    (
        {"law": "stall", "median_s": 0.8, "sigma": 0.5, "stall_probability": 0.015},
        "ms",
        StallMixture(median=800, sigma=0.5, stall_probability=0.015),
    ),
    ({"law": "discrete", "values": [1, 2], "weights": [9, 1]}, "plain", Discrete(values=(1, 2), weights=(9, 1))),
    (
        {"law": "zero-inflated", "zero_probability": 0.3, "body": {"law": "lognormal", "median": 4, "sigma": 1}},
        "plain",
        ZeroInflated(zero_probability=0.3, body=Lognormal(median=4, sigma=1)),
    ),
]


@pytest.mark.parametrize(("table", "unit", "law"), WRITTEN)
def test_a_table_becomes_the_law_it_names_in_internal_units(table: dict[str, Any], unit: Unit, law: Law) -> None:
    assert parse_law(table, WHERE, unit) == law


def test_every_law_has_a_written_form_here() -> None:
    assert {table["law"] for table, _, _ in WRITTEN} == set(LAW_NAMES)


@pytest.mark.parametrize(("unit", "value"), [("ms", 3.0), ("s", 3000.0), ("tokens", 3.0), ("plain", 3.0)])
def test_a_bare_number_is_a_constant_in_the_unit_of_its_key(unit: Unit, value: float) -> None:
    assert parse_law(3, WHERE, unit) == Constant(value=value)


@pytest.mark.parametrize(
    ("value", "unit", "message"),
    [
        (-1, "ms", r"^demo.toml: tools.shell.time: must be a finite number from 0 up, not -1"),
        (float("nan"), "ms", r"must be a finite number from 0 up, not nan"),
        (True, "ms", r"must be a number or a table with a law, not True"),
        ("fast", "ms", r"must be a number or a table with a law, not 'fast'"),
        ({}, "ms", r"^demo.toml: tools.shell.time.law: no law None; known: constant, exponential"),
        ({"law": ["x"]}, "ms", r"no law \['x'\]"),
        ({"law": "lognormal", "median_s": 1}, "ms", r"missing sigma$"),
        ({"law": "lognormal", "sigma": 1}, "ms", r"missing median_ms or median_s$"),
        (
            {"law": "lognormal", "median": 1, "sigma": 1},
            "ms",
            r"time.median: unknown key .* allowed: median_ms, median_s",
        ),
        ({"law": "lognormal", "median_s": 1, "sigma": 1}, "tokens", r"time.median_s: unknown key .* median_tokens"),
        ({"law": "lognormal", "median_s": 1, "median_ms": 1, "sigma": 1}, "ms", r"median is given twice"),
        ({"law": "lognormal", "median_s": -1, "sigma": 1}, "ms", r"time.median_s: must be a finite number from 0 up"),
        ({"law": "lognormal", "median_s": "1", "sigma": 1}, "ms", r"time.median_s: must be a number, not '1'"),
        ({"law": "lognormal", "median_s": 0, "sigma": 1}, "ms", r"time: median must be a finite number above 0"),
        ({"law": "gamma", "shape": 1}, "ms", r"time: give either the scale or the mean"),
        ({"law": "gamma", "shape": 0, "mean_s": 1}, "ms", r"time: shape must be a finite number above 0"),
        ({"law": "weibull", "shape": 0, "mean_s": 1}, "ms", r"time: shape must be a finite number above 0"),
        ({"law": "pareto-tail", "threshold_s": 1, "alpha": 1, "body": 3}, "ms", r"time.body.law: must be exponential"),
        ({"law": "discrete", "values": 3, "weights": [1]}, "plain", r"time.values: must be a list of numbers, not 3"),
        ({"law": "discrete", "values": [-3], "weights": [1]}, "plain", r"time.values\[0\]: must be a finite number"),
        ({"law": "empirical"}, "ms", r"time: give either values or file and column"),
        ({"law": "empirical", "file": "a.csv"}, "ms", r"time: give either values or file and column"),
        ({"law": "empirical", "file": 3, "column": "x_s"}, "ms", r"time.file: must be the path of a CSV file"),
        ({"law": "empirical", "file": "a.csv", "column": 3}, "ms", r"time.column: must be the name of a column"),
        ({"law": "empirical", "file": "a.csv", "column": "x"}, "ms", r"must end with its unit, _ms or _s; it is 'x'"),
        ({"law": "empirical", "file": "absent.csv", "column": "x_s"}, "ms", r"absent.csv: cannot be read"),
    ],
)
def test_a_mistake_is_told_with_file_key_and_what_is_allowed(value: object, unit: Unit, message: str) -> None:
    with pytest.raises(SimlabError, match=message):
        parse_law(value, WHERE, unit)


def test_an_empirical_law_reads_a_column_in_the_unit_that_the_column_names(tmp_path: Path) -> None:
    (tmp_path / "times.csv").write_text("tool,time_s\nshell,0.5\nshell,\nedit,2\n")
    law = parse_law({"law": "empirical", "file": "times.csv", "column": "time_s"}, WHERE, "ms", base=tmp_path)
    assert law == Empirical(values=(500.0, 2000.0))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"no column 'time_s'; there are: $"),
        ("a,b\n1,2\n", r"times.csv: no column 'time_s'; there are: a, b"),
        ("time_s\n1\nfast\n", r"times.csv:3: time_s: must be a number, not 'fast'"),
        ("time_s\n-1\n", r"times.csv:2: time_s: must be a finite number from 0 up, not -1.0"),
        ("time_s\nnan\n", r"times.csv:2: time_s: must be a finite number from 0 up"),
        ("time_s\n", r"time: values must hold at least one number"),
    ],
)
def test_a_csv_file_that_does_not_fit_is_named_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "times.csv").write_text(text)
    with pytest.raises(SimlabError, match=message):
        parse_law({"law": "empirical", "file": "times.csv", "column": "time_s"}, WHERE, "ms", base=tmp_path)


def test_a_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    (tmp_path / "times.csv").write_bytes(b"time_s\n\xff\xfe\n")
    with pytest.raises(SimlabError, match=r"times.csv: cannot be read as a CSV file"):
        read_column(tmp_path / "times.csv", "time_s")


KEYS = sorted({key for table, _, _ in WRITTEN for key in table if key != "law"})
VALUES: st.SearchStrategy[object] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 5),
    st.floats(),
    st.text(max_size=3),
    st.lists(st.floats(0, 3), max_size=3),
)


def told_or_law(value: object, unit: Unit) -> str | Law:
    """Return the law, or what the caller is told. Any other exception fails the test."""
    try:
        return parse_law(value, WHERE, unit)
    except SimlabError as error:
        return str(error)


@given(
    name=st.sampled_from([*LAW_NAMES, "nonsense"]),
    rest=st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=6),
    unit=st.sampled_from(("ms", "s", "tokens", "plain")),
)
def test_any_table_is_either_a_law_or_the_callers_mistake_told_in_one_line(
    name: str, rest: dict[str, object], unit: Unit
) -> None:
    outcome = told_or_law({"law": name, **rest}, unit)
    assert "\n" not in outcome if isinstance(outcome, str) else outcome.quantile(0.5) >= 0


@given(table_index=st.integers(0, len(WRITTEN) - 1), key=st.sampled_from(KEYS), value=VALUES)
def test_a_good_table_with_one_changed_value_is_still_a_law_or_a_told_mistake(
    table_index: int, key: str, value: object
) -> None:
    table, unit, _ = WRITTEN[table_index]
    outcome = told_or_law({**table, key: value}, unit)
    assert "\n" not in outcome if isinstance(outcome, str) else outcome.quantile(0.5) >= 0
