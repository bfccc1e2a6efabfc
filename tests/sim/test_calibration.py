import importlib.util
import pickle
from pathlib import Path
from types import ModuleType

import pytest

from simlab.core.errors import SimlabError
from simlab.sim import calibration
from simlab.sim.calibration import LEVELS, Parameter, parameter, parameters
from simlab.sim.laws import Constant, Discrete

DOCS = Path(__file__).parents[2] / "docs"
STATUSES = {"measured", "fitted", "quantile_fit", "derived", "assumption", "assumption (anchored)"}
EVERY = list(parameters().values())

# Medians of laws that are not the parameter's base, and why the file says so.
MEDIAN_IS_NOT_BASE = {
    "llm.output_tokens_chat": "law from one data set, base from another",
    "llm.output_tokens_reasoning": "fit of a whole distribution, base is the sample's median",
    "wl.steps_per_request": "base is the mean",
    "wl.tool_calls_per_step": "base is the mean",
    "ev.burst_size": "base is the mean",
    "tool.shell": "fitted to all calls together",
    "tool.read_search": "four quantiles by one lognormal",
    "tool.web": "four quantiles by one lognormal",
    "tool.subagent": "law mixes acknowledgements with blocking runs",
}


def by_id(one: Parameter) -> str:
    return one.id


@pytest.mark.parametrize("one", EVERY, ids=by_id)
def test_every_value_carries_its_source_or_says_that_it_is_an_assumption(one: Parameter) -> None:
    assert one.status in STATUSES
    assert one.sources or one.is_assumption
    assert all(source.name and source.ref for source in one.sources)
    assert one.description
    assert one.confidence


@pytest.mark.parametrize("one", EVERY, ids=by_id)
def test_low_base_and_high_are_in_order(one: Parameter) -> None:
    if isinstance(one.base, float | int):
        assert one.value("low") <= one.value("base") <= one.value("high")


@pytest.mark.parametrize("one", EVERY, ids=by_id)
def test_the_median_of_a_law_is_the_base_value_or_the_file_says_why_not(one: Parameter) -> None:
    if "base" not in one.laws or one.base == 0:
        return
    law = one.law()
    median = law.quantile(0.5) / (1000 if one.unit == "s" else 1)
    assert (abs(median / one.value() - 1) < 0.05) == (one.id not in MEDIAN_IS_NOT_BASE)


@pytest.mark.parametrize("one", [one for one in EVERY if len(one.laws) == 3], ids=by_id)
def test_laws_at_low_base_and_high_are_in_order_at_every_draw(one: Parameter) -> None:
    for u in (0.01, 0.3, 0.5, 0.9, 0.999):
        low, base, high = (one.law(level).quantile(u) for level in LEVELS)
        assert low <= base * (1 + 1e-9)
        assert base <= high * (1 + 1e-9)


def test_a_moved_law_keeps_shape_and_cap() -> None:
    one = parameter("tool.web")
    assert one.law("high").quantile(0.5) == pytest.approx(one.law().quantile(0.5) * 12 / 5.9)
    assert one.law("high").cap == one.law("low").cap == one.law().cap == 600_000


def test_a_parameter_that_is_one_number_is_a_constant_law_in_internal_units() -> None:
    assert parameter("llm.cache_ttl_s").law("high") == Constant(value=3_600_000.0)
    assert parameter("ev.user_stop_per_turn").law() == Constant(value=0.07)


def test_what_cannot_be_moved_has_no_law_at_that_level() -> None:
    assert isinstance(parameter("wl.tool_calls_per_step").law(), Discrete)
    with pytest.raises(SimlabError, match=r"wl.tool_calls_per_step has no law for 'high'; it has: base"):
        parameter("wl.tool_calls_per_step").law("high")


def test_tables_and_numbers_are_not_confused() -> None:
    assert sum(parameter("tool.mix").shares().values()) == pytest.approx(1.0)
    with pytest.raises(SimlabError, match=r"tool.mix has no single number for 'base'"):
        parameter("tool.mix").value()
    with pytest.raises(SimlabError, match=r"tool.error is a number, not a table"):
        parameter("tool.error").shares()
    with pytest.raises(SimlabError, match=r"tool.mix has no law for 'base'; it has: none"):
        parameter("tool.mix").law()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("llm.tfft", r"no parameter 'llm.tfft'; known: llm.ttft_base,"),
        ("speed", r"no parameter 'speed'; known: bat.\*,"),
    ],
)
def test_an_unknown_parameter_is_told_with_the_known_ones(name: str, message: str) -> None:
    with pytest.raises(SimlabError, match=message):
        parameter(name)


def test_the_families_that_scenarios_use_are_there() -> None:
    families = {name.split(".")[0] for name in parameters()}
    assert families == {"llm", "wl", "tool", "ev", "fab", "cls", "bat", "int", "flt"}
    assert {"hazard", "neglect", "step_latency_s"} <= set(calibration.formulas())


def test_the_mix_of_tools_has_a_law_for_every_kind() -> None:
    mixture = calibration.tool_mixture()
    assert set(mixture) == set(parameter("tool.mix").shares())


def test_every_source_is_used_and_every_target_names_one() -> None:
    used = {source.key for one in EVERY for source in one.sources} | {one.source.key for one in calibration.targets()}
    assert used == set(calibration.sources())


def test_a_parameter_survives_a_trip_to_another_worker() -> None:
    for one in EVERY:
        assert pickle.loads(pickle.dumps(one)) == one


def script(name: str) -> ModuleType:
    """Load a script of the documentation."""
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_law_of_shell_commands_is_what_the_documented_fit_gives() -> None:
    shell, _, _ = script("fit_laws").fit()
    law = parameter("tool.shell").law()
    for value_s in (0.05, 0.3, 1.0, 10.0, 60.0, 200.0, 3600.0):
        assert law.cdf(value_s * 1000) == pytest.approx(shell.cdf(value_s), abs=2e-4)


def test_the_law_of_human_waits_meets_three_published_quantiles() -> None:
    law = parameter("ev.user_think").law()
    assert [law.quantile(u) / 1000 for u in (0.5, 0.9, 0.99)] == pytest.approx([86, 1236, 50_040], rel=0.002)


def test_the_law_of_steps_meets_three_published_quantiles() -> None:
    law = parameter("wl.steps_per_request").law()
    assert [law.quantile(u) for u in (0.5, 0.9, 0.99)] == pytest.approx([1, 20, 86], rel=0.005)


def test_the_page_on_calibration_is_fresh() -> None:
    """Run ``python docs/make_calibration.py`` after a change of the parameters."""
    assert (DOCS / "calibration.md").read_text(encoding="utf-8") == script("make_calibration").page()
