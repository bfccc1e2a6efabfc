"""Hazards as values: presets and constants."""

from typing import Any

import pytest

from simlab.core.errors import SimlabError
from simlab.sim.faults import PRESETS, Hazards, calibrated, preset


def test_none_is_a_model_that_makes_no_mistakes() -> None:
    assert preset("none") is None


def test_presets_are_the_three_columns_of_the_calibration() -> None:
    assert PRESETS == ("none", "conservative", "default", "stress")
    assert [preset(name) for name in PRESETS[1:]] == [calibrated("low"), calibrated("base"), calibrated("high")]


def test_a_harder_preset_has_no_smaller_hazard_and_less_recovery() -> None:
    low, base, high = calibrated("low"), calibrated("base"), calibrated("high")
    for name in ("act", "forget", "derail", "confuse", "misread", "false_success"):
        assert 0 < getattr(low, name) < getattr(base, name) < getattr(high, name) <= 1
    assert low.recover > base.recover > high.recover > 0


def test_an_unknown_preset_is_told_with_the_known_ones() -> None:
    with pytest.raises(SimlabError, match="no preset 'harsh'; known: none, conservative, default, stress"):
        preset("harsh")


@pytest.mark.parametrize("value", [-0.1, 1.5, "often", None, True])
def test_a_chance_lies_between_zero_and_one(value: Any) -> None:
    with pytest.raises(SimlabError, match="hazards: forget: a chance from 0 to 1 is expected"):
        Hazards(forget=value)
