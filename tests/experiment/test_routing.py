"""Routers from a file: every key does something, and a mistake is one line with file and key."""

from pathlib import Path

import pytest

from simlab.core.errors import SimlabError
from simlab.core.events import EventType, Handling
from simlab.experiment.design import Design, World
from simlab.experiment.population import run_population
from simlab.experiment.routing import find_router, router_digest
from simlab.experiment.scenario import load_scenario
from tests.routers.hints import FixedHints, said

CONFUSION = """
[confusion]
cancel = { cancel = 0.9, queue = 0.1 }
queue = { queue = 1.0 }
parallel = { parallel = 0.5, queue = 0.5 }
"""
CLASSIFIER = f"""
kind = "classifier"
latency_ms = {{ law = "lognormal", median_ms = 600, sigma = 0.4 }}
usd_per_event = 0.001
workers = 3
keeps_order = false
timeout_ms = 2000
fallback = "cancel"
{CONFUSION}"""
KEYWORD = """
kind = "keyword"
[[rules]]
handling = "queue"
pattern = "nonstop"
[[rules]]
handling = "cancel"
pattern = "stop"
"""


def write(folder: Path, text: str) -> str:
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_a_classifier_has_the_matrix_latency_price_and_capacity_of_its_file(tmp_path: Path) -> None:
    router = find_router(write(tmp_path, CLASSIFIER))
    service = router.service
    assert (service.workers, service.usd_per_event, service.keeps_order) == (3, 0.001, False)
    assert (service.timeout_ms, service.fallback) == (2000, Handling.CANCEL)
    assert router.latency_ms(said(""), FixedHints(uniform=0.5)) == pytest.approx(600)
    low, high = FixedHints(Handling.CANCEL, 0.89), FixedHints(Handling.CANCEL, 0.91)
    assert [router.route(said(""), each).handling for each in (low, high)] == [Handling.CANCEL, Handling.QUEUE]


def test_the_rules_of_a_file_are_tried_in_order(tmp_path: Path) -> None:
    router = find_router(write(tmp_path, KEYWORD))
    found = [router.route(said(text), FixedHints()).handling for text in ("Nonstop only", "STOP", "go on")]
    assert found == [Handling.QUEUE, Handling.CANCEL, Handling.QUEUE]
    assert router.latency_ms(said("stop"), FixedHints()) == 0


def test_the_report_of_a_tool_pays_no_latency(tmp_path: Path) -> None:
    router = find_router(write(tmp_path, CLASSIFIER))
    assert router.latency_ms(said("", EventType.TOOL_RESULT), FixedHints()) == 0


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("kind = 'oracle'", "kind: must be 'classifier' or 'keyword', not 'oracle'"),
        ("", "kind: missing"),
        ("kind = 'keyword'", r"rules: missing; at least one \[\[rules\]\]"),
        (KEYWORD + "\n[confusion]\nqueue = { queue = 1.0 }", "confusion: for kind = 'classifier' only"),
        (KEYWORD.replace('"stop"', '"("'), r"rules\[1\].pattern: not a regular expression"),
        (KEYWORD.replace('"cancel"', '"abort"'), r"rules\[1\].handling: must be 'cancel', 'queue' or 'parallel'"),
        ("usd_per_event = 0.1" + KEYWORD, "usd_per_event: a verdict that takes no time costs nothing"),
        ("kind = 'classifier'", "confusion.cancel: missing; a row for each true handling"),
        (CLASSIFIER.replace("0.9,", "0.8,"), "confusion.cancel: shares must add up to 1, not 0.9"),
        (CLASSIFIER.replace("workers = 3", "workers = 0"), "workers: must be greater than or equal to 1, not 0"),
        (CLASSIFIER.replace("median_ms", "median"), "latency_ms"),
        ("speed = 3" + KEYWORD, "speed: unknown key; allowed: kind, latency_ms"),
        ("kind = ", "not TOML"),
    ],
)
def test_a_mistake_is_told_in_one_line_with_file_and_key(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(SimlabError, match=rf"mine\.toml: {told}") as caught:
        find_router(write(tmp_path, text))
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there_is_told() -> None:
    with pytest.raises(SimlabError, match=r"nowhere\.toml: cannot be read"):
        find_router("nowhere.toml")


def test_a_router_file_takes_part_in_an_experiment_and_in_its_hash(tmp_path: Path) -> None:
    def design(text: str) -> Design:
        scenario = load_scenario("01-email-weather")
        world = World.of(scenario)
        return Design(
            worlds=(world,),
            strategies=("routed",),
            routers=("by_type", write(tmp_path, text)),
            replications=2,
            seed=1,
        )

    other = design(KEYWORD).digest
    found = run_population(design(CLASSIFIER))
    assert not found.failures
    assert set(found.runs["router"]) == {"by_type", str(tmp_path / "mine.toml")}
    assert design(CLASSIFIER).digest != other
    assert router_digest("by_type") == ""
