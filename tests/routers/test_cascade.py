"""A cascade pays for its last router only where the first ones are not sure."""

from simlab.core.events import EventType, Handling
from simlab.routers.cascade import Cascade
from simlab.sim.driver import simulate
from simlab.strategies import STRATEGIES
from tests.routers.hints import FixedHints, said
from tests.validation.building import constant, light_stream

SURE, UNSURE = "stop, wrong branch", "the window seat would be nicer"


def test_typed_urgent_events_and_sure_words_are_decided_at_once() -> None:
    hints = FixedHints(Handling.CANCEL)
    for event in (said(UNSURE, EventType.SUPERVISOR_INSTRUCTION), said(SURE)):
        assert Cascade().route(event, hints).handling is Handling.CANCEL
        assert Cascade().latency_ms(event, hints) == 0


def test_what_no_word_decides_goes_to_the_classifier_and_takes_its_time() -> None:
    hints = FixedHints(Handling.PARALLEL)
    assert Cascade().route(said(UNSURE), hints).handling is Handling.PARALLEL
    assert Cascade().latency_ms(said(UNSURE), hints) == 600


def test_the_report_of_a_tool_is_known_by_its_type() -> None:
    event = said("stop: the disk is full", EventType.TOOL_RESULT)
    assert Cascade().route(event, FixedHints()).handling is Handling.QUEUE
    assert Cascade().latency_ms(event, FixedHints()) == 0


def test_a_higher_bar_leaves_more_to_the_classifier() -> None:
    assert Cascade(sure=1.1).latency_ms(said(SURE), FixedHints()) > 0


def test_a_verdict_at_once_costs_nothing_and_a_classified_one_its_price() -> None:
    spec = light_stream(mean_gap_ms=1000, until_ms=20_000, call_ms=constant(1))
    free = simulate(spec, STRATEGIES.get("queue"), Cascade(sure=0.0), seed=1)
    paid = simulate(spec, STRATEGIES.get("queue"), Cascade(sure=1.1), seed=1)
    assert free.router_cost_usd == 0
    assert abs(paid.router_cost_usd - 0.0002 * len(paid.events)) < 1e-12
