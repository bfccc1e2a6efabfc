"""The JSON Schema of laws accepts what the reader accepts, and refuses what it refuses."""

from typing import Any, get_args

import pytest

from simlab.core.errors import SimlabError
from simlab.sim.laws import LAW_NAMES, Unit, parse_law
from simlab.sim.laws.schema import law_schema

GOOD: list[Any] = [
    5,
    0.5,
    {"law": "constant", "value_ms": 5},
    {"law": "exponential", "mean_s": 5, "cap_ms": 9},
    {"law": "uniform", "low_ms": 1, "high_ms": 2},
    {"law": "lognormal", "median_s": 5, "sigma": 1},
    {"law": "two-lognormal", "median_1_s": 5, "median_2_s": 9, "weight": 0.5, "sigma_1": 1, "sigma_2": 1},
    {"law": "gamma", "shape": 2, "mean_s": 3},
    {"law": "weibull", "shape": 2, "scale_s": 3},
    {"law": "pareto", "minimum_ms": 2, "alpha": 1.5},
    {"law": "pareto-tail", "threshold_s": 9, "alpha": 2, "body": {"law": "lognormal", "median_s": 1, "sigma": 1}},
    {"law": "empirical", "values_ms": [1, 2]},
    {"law": "stall", "median_s": 1, "sigma": 1, "stall_probability": 0.1},
    {"law": "discrete", "values_ms": [1, 2], "weights": [0.5, 0.5]},
    {"law": "zero-inflated", "zero_probability": 0.5, "body": {"law": "exponential", "mean_s": 3}},
]
BAD: list[Any] = [
    -1,
    "5",
    True,
    [],
    {"law": "cauchy"},
    {"value_ms": 5},
    {"law": "constant", "value_ms": -5},
    {"law": "lognormal", "median_s": 5, "sigma": 1, "mean_s": 2},
    {"law": "lognormal", "median_s": 5},
    {"law": "discrete", "values_ms": 1, "weights": [1]},
]


def validator(unit: Unit) -> Any:
    import jsonschema  # type: ignore[import-untyped]

    return jsonschema.Draft202012Validator(
        {"$defs": {"law": law_schema(unit, itself="#/$defs/law")}, "$ref": "#/$defs/law"}
    )


def test_every_law_is_among_the_examples() -> None:
    assert {each["law"] for each in GOOD if isinstance(each, dict)} == set(LAW_NAMES)


@pytest.mark.parametrize("value", GOOD, ids=str)
def test_what_the_reader_accepts_the_schema_accepts(value: Any) -> None:
    parse_law(value, "x", "ms")
    validator("ms").validate(value)


@pytest.mark.parametrize("value", BAD, ids=str)
def test_what_the_schema_refuses_the_reader_refuses(value: Any) -> None:
    assert not validator("ms").is_valid(value)
    with pytest.raises(SimlabError):
        parse_law(value, "x", "ms")


def test_a_unit_that_has_no_second_one_is_required() -> None:
    assert validator("tokens").is_valid({"law": "lognormal", "median_tokens": 5, "sigma": 1})
    assert not validator("tokens").is_valid({"law": "lognormal", "sigma": 1})
    assert not validator("plain").is_valid({"law": "constant", "value_ms": 1})
    assert {*get_args(Unit)} == {"ms", "s", "tokens", "plain"}
