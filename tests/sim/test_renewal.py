"""The mean wait to the end of a cycle: closed form against theory's table and against Monte Carlo."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from math import log1p, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simlab.sim import calibration
from simlab.sim.laws import Constant, Law, Lognormal
from simlab.sim.marginals import _of_mixture, step_latencies_s
from simlab.sim.renewal import CycleWait, Moments, capped_mixture, moments, step_latency
from simlab.sim.streams import Draws

CAPS_S = (120, 600, 1800)
CYCLES = 60_000
STANDARD_ERRORS = 4.5  # two-sided chance 7e-6 for each comparison

LLM = Lognormal(median=5700, sigma=1.11, cap=600_000)
TOOL = Lognormal(median=300, sigma=2.90)


@pytest.mark.parametrize(
    ("cap_s", "tool_s", "share", "residual_tool_s", "wait_s"),
    [(120, 6.4, 0.38, 35, 28), (600, 10.5, 0.50, 139, 84), (1800, 13.3, 0.56, 339, 203)],
)
def test_the_published_table_of_waits_comes_out(
    cap_s: int, tool_s: float, share: float, residual_tool_s: float, wait_s: float
) -> None:
    """Lognormal fits of TraceLab: model median 5.7 s, sigma 1.11; tool median 0.3 s, sigma 2.90; tool time-outs."""
    wait = CycleWait(model=moments(LLM), tool=moments(replace(TOOL, cap=cap_s * 1000)))
    assert wait.model.mean / 1000 == pytest.approx(10.6, abs=0.05)
    assert wait.model.residual / 1000 == pytest.approx(18, abs=0.5)
    assert wait.tool.mean / 1000 == pytest.approx(tool_s, abs=0.05)
    assert wait.share_in_tool == pytest.approx(share, abs=0.005)
    assert wait.tool.residual / 1000 == pytest.approx(residual_tool_s, abs=0.5)
    assert wait.mean_wait_ms / 1000 == pytest.approx(wait_s, abs=0.5)


@cache
def lognormal_cycles() -> tuple[list[float], list[float]]:
    """Model and tool times in ms, the latter without a cap."""
    draws = Draws(11, 0)
    model = [LLM.quantile(u) for u in draws.uniforms("model", count=CYCLES)]
    return model, [TOOL.quantile(u) for u in draws.uniforms("tool", count=CYCLES)]


@cache
def calibrated_cycles() -> tuple[list[float], list[float]]:
    """The same of the calibrated laws: whole model calls, and the mixture of tools."""
    draws = Draws(12, 0)
    mixture = list(calibration.tool_mixture().values())
    kinds, values = draws.uniforms("kind", count=CYCLES), draws.uniforms("tool", count=CYCLES)
    tool = [_of_mixture(mixture, kind, value) for kind, value in zip(kinds, values, strict=True)]
    return [1000 * value for value in step_latencies_s(draws, CYCLES)], tool


def monte_carlo(
    cycles: tuple[list[float], list[float]], cap_s: int, rate_per_ms: float = 1 / 20_000
) -> tuple[float, float]:
    """Let messages arrive as a Poisson process over all cycles; return their mean wait to a cycle's end and its error.

    Messages of one cycle are not independent, cycles are: so the standard error is that of a ratio over cycles.
    """
    model, tool = cycles
    draws = Draws(13, cap_s)
    waits, counts = np.zeros(len(model)), np.zeros(len(model))
    clock, arrival, arrivals = 0.0, -log1p(-draws.uniform("gap", 0)) / rate_per_ms, 0
    for index, (thinking, running) in enumerate(zip(model, tool, strict=True)):
        clock += thinking + min(running, cap_s * 1000)
        while arrival < clock:
            waits[index] += clock - arrival
            counts[index] += 1
            arrivals += 1
            arrival += -log1p(-draws.uniform("gap", arrivals)) / rate_per_ms
    mean = waits.sum() / counts.sum()
    error = np.sqrt(((waits - mean * counts) ** 2).sum()) / counts.sum()
    return float(mean), float(error)


@pytest.mark.parametrize("cap_s", CAPS_S)
def test_waits_of_the_lognormal_fits_agree_with_monte_carlo(cap_s: int) -> None:
    closed = CycleWait(model=moments(LLM), tool=moments(replace(TOOL, cap=cap_s * 1000))).mean_wait_ms
    mean, error = monte_carlo(lognormal_cycles(), cap_s)
    assert abs(mean - closed) < STANDARD_ERRORS * error
    assert error < 0.06 * closed, "too few cycles to tell anything"


@pytest.mark.parametrize("cap_s", CAPS_S)
def test_waits_of_the_calibrated_laws_agree_with_monte_carlo(cap_s: int) -> None:
    tool = capped_mixture(calibration.tool_mixture().values(), cap_s * 1000)
    closed = CycleWait(model=step_latency(), tool=tool).mean_wait_ms
    mean, error = monte_carlo(calibrated_cycles(), cap_s)
    assert abs(mean - closed) < STANDARD_ERRORS * error
    assert error < 0.06 * closed, "too few cycles to tell anything"


def sample_error(values: list[float]) -> float:
    return float(np.std(values)) / sqrt(len(values))


@pytest.mark.parametrize("order", [1, 2])
def test_the_moments_of_a_model_call_agree_with_monte_carlo(order: int) -> None:
    draws = Draws(14, 0)
    values = [(1000 * value) ** order for value in step_latencies_s(draws, CYCLES)]
    closed = step_latency()
    expected = closed.mean if order == 1 else closed.second
    # The draws are stratified, so the plain standard error is an upper bound.
    assert abs(float(np.mean(values)) - expected) < STANDARD_ERRORS * sample_error(values)


@pytest.mark.parametrize("cap_s", CAPS_S)
@pytest.mark.parametrize("order", [1, 2])
def test_the_moments_of_the_capped_mixture_of_tools_agree_with_monte_carlo(cap_s: int, order: int) -> None:
    _, tool = calibrated_cycles()
    values = [min(value, cap_s * 1000) ** order for value in tool]
    closed = capped_mixture(calibration.tool_mixture().values(), cap_s * 1000)
    expected = closed.mean if order == 1 else closed.second
    assert abs(float(np.mean(values)) - expected) < STANDARD_ERRORS * sample_error(values)


def test_a_wrong_closed_form_would_be_noticed() -> None:
    """Half the mean cycle is what one would say who forgets that long cycles catch more messages."""
    mean, error = monte_carlo(lognormal_cycles(), 120)
    naive = CycleWait(model=moments(LLM), tool=moments(replace(TOOL, cap=120_000)))
    assert abs(mean - (naive.model.mean + naive.tool.mean) / 2) > 20 * error


@given(st.floats(0.1, 1e4), st.floats(0.1, 1e4), st.floats(0.1, 10))
def test_constants_add_multiply_and_scale_like_numbers(left: float, right: float, factor: float) -> None:
    a, b = moments(Constant(value=left)), moments(Constant(value=right))
    for made, value in ((a.plus(b), left + right), (a.times(b), left * right), (a.scaled(factor), left * factor)):
        assert made.mean == pytest.approx(value)
        assert made.second == pytest.approx(value**2)
        assert made.deviation == pytest.approx(0, abs=1e-5 * value)
        assert made.residual == pytest.approx(value / 2)


def test_shares_of_a_mixture_need_not_sum_to_one() -> None:
    parts: list[tuple[float, Law]] = [(1, Constant(value=2.0)), (3, Constant(value=50.0))]
    assert capped_mixture(parts, 10.0) == Moments(mean=8.0, second=76.0)


def test_only_a_lognormal_decode_rate_has_a_reciprocal(monkeypatch: pytest.MonkeyPatch) -> None:
    real = calibration.parameter
    flat: Callable[[str], calibration.Parameter] = lambda name: (  # noqa: E731
        replace(real(name), laws={"base": Constant(value=70.0)}) if name == "llm.decode_tok_s" else real(name)
    )
    monkeypatch.setattr(calibration, "parameter", flat)
    with pytest.raises(TypeError, match="lognormal law only"):
        step_latency()
