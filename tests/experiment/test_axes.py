"""One axis at a time."""

from dataclasses import replace

import pytest

from simlab.core.errors import SimlabError
from simlab.experiment.axes import MEASURES, base_policy, changes, measure, sweep, switches_that_matter, told
from simlab.sim.laws import Exponential
from simlab.sim.spec import EventSpec, StreamSpec, WorldSpec
from simlab.strategies.space import OnModel, OnTool, Policy, Trigger
from tests.strategies.products.kit import event, request, run, tool, world

SMALL = ("stops_on", "drain_how", "wrap")


def _busy() -> WorldSpec:
    """Return a world with a tool of 20 s and a stream of light questions while it runs."""
    template: EventSpec = event("E", 0)
    stream = StreamSpec(name="s", gap_ms=Exponential(scale=8000.0), variants=((1.0, template),), until_ms=20_000)
    return replace(world([request()], [tool("t", 20_000)], horizon_ms=120_000), streams=(stream,))


def test_every_change_differs_from_the_base_in_one_axis_only() -> None:
    base = base_policy("book-cancel")
    for change in changes(base):
        assert getattr(change.policy, change.axis) == change.value != getattr(base, change.axis)
        assert change.policy == Policy(**{**_fields(base), change.axis: change.value})  # type: ignore[arg-type]


def _fields(policy: Policy) -> dict[str, object]:
    return {name: getattr(policy, name) for name in Policy.__slots__}  # type: ignore[attr-defined]


def test_every_axis_has_a_change() -> None:
    assert {change.axis for change in changes(Policy())} == set(_fields(Policy()))


def test_the_switch_that_matters_is_found_and_a_wrapping_changes_nothing() -> None:
    base = Policy(on_model=OnModel.DISCARD, on_tool=OnTool.BACKGROUND)
    effects = sweep(_busy(), base, replications=20, seed=1, axes=SMALL)
    (first, *_rest) = switches_that_matter(effects, MEASURES[0])
    assert first.change.axis == "stops_on"
    assert first.change.value in (Trigger.ANY, Trigger.PERSON)
    assert first.difference.high < 0
    assert all(effect.is_nothing for effect in effects if effect.change.axis == "wrap")
    assert all(effect.outcome is None for effect in effects if effect.is_nothing)


def test_a_sweep_repeats_itself() -> None:
    first, second = (sweep(_busy(), Policy(), replications=3, axes=("drain_how",)) for _ in range(2))
    assert first == second


def test_the_measures_of_a_run_are_those_of_its_rows() -> None:
    record = run("cancel", world([request(), event("U2", 5000)]))  # U1 acted on at 17,000, U2 2,000 ms after 5,000
    assert measure(record) == (9.5, 3.0, 0.0, 3.0, 0.0, 1.0)


def test_values_are_told_in_words() -> None:
    assert (told(None), told(True), told(frozenset()), told(5)) == ("none", "yes", "nowhere", "5")


def test_unknown_names_and_a_single_replication_are_refused_in_one_line() -> None:
    with pytest.raises(SimlabError, match="no policy 'quick' in the space"):
        base_policy("quick")
    with pytest.raises(SimlabError, match="no axis 'speed'; known: stops_on"):
        changes(Policy(), ("speed",))
    with pytest.raises(SimlabError, match="needs at least 2"):
        sweep(_busy(), Policy(), replications=1)
