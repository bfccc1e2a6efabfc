"""The catalogue: names that are sentences, numbers, statements, and a page that is fresh."""

from pathlib import Path
from random import Random

import pytest

from simlab.core.inputs import Input
from simlab.core.record import RunRecord
from simlab.invariants import CATALOGUE, ELSEWHERE, Digest, Entry, Kind, check, check_safety
from simlab.routers import ROUTERS
from simlab.sim.driver import simulate
from simlab.strategies import STRATEGIES
from simlab.testing.catalogue_page import catalogue_page, catalogue_text
from simlab.testing.worlds import random_world
from tests.planted.catalogue import PLANTED, Planted

ROOT = Path(__file__).parents[2]
entries = pytest.mark.parametrize("entry", CATALOGUE, ids=lambda each: each.name)


@entries
def test_a_name_is_a_sentence_and_the_statement_says_more(entry: Entry) -> None:
    assert entry.name.count("_") >= 2
    assert entry.statement.endswith(".")
    assert len(entry.statement.split()) > 6


def test_every_number_of_the_list_has_an_invariant_or_a_place() -> None:
    numbers = {entry.number for entry in CATALOGUE} | {each.number for each in ELSEWHERE}
    assert numbers >= {f"I{number}" for number in range(1, 16)}


def test_names_are_unique() -> None:
    names = [entry.name for entry in CATALOGUE]
    assert len(set(names)) == len(names)


def test_the_page_is_fresh() -> None:
    page = (ROOT / "docs" / "invariants.md").read_text(encoding="utf-8")
    assert page == catalogue_page(), "make it again: simlab invariants --markdown > docs/invariants.md"


def test_the_text_names_every_invariant_and_every_report() -> None:
    text = " ".join(catalogue_text().split())
    for entry in CATALOGUE:
        assert f"{entry.number} {entry.name} [{entry.kind}]" in text
        assert all(report in text for report in entry.reports)


def runs() -> list[RunRecord]:
    worlds = [random_world(Random(seed)) for seed in range(12)]
    names = ("cancel", "hard-cancel", "langgraph-rollback", "deepagents-interrupt", "pipecat-cancel", "claude-esc")
    return [simulate(world, STRATEGIES.get(name), ROUTERS.get("by_type")) for world in worlds for name in names]


def test_a_breach_of_a_safety_invariant_never_mends() -> None:
    """So that checking once, at the end, finds what checking after every step finds."""
    for record in runs():
        seen: set[tuple[str, str | None, str | None]] = set()
        digest = Digest(record, ())
        records = record.trace.records
        starts = [place for place, (_, item) in enumerate(records) if isinstance(item, Input)]
        for start, end in zip(starts, [*starts[1:], len(records)], strict=True):
            digest.read(records[start:end])
            now = {(breach.invariant, breach.call_id, breach.event_id) for breach in check_safety(digest)}
            assert seen <= now
            seen = now
        safety = {entry.name for entry in CATALOGUE if entry.kind is Kind.SAFETY}
        whole = {(each.invariant, each.call_id, each.event_id) for each in check(record) if each.invariant in safety}
        assert seen == whole


@pytest.mark.parametrize("planted", PLANTED[:12], ids=lambda each: each.name)
def test_a_digest_read_in_steps_is_the_one_read_at_once(planted: Planted) -> None:
    stage = planted.perform(planted.schedule())
    assert {str(each) for each in check_safety(Digest(stage.record))} == {
        str(each) for each in check_safety(stage.digest)
    }


def test_a_trace_in_any_order_is_judged_and_not_stumbled_over() -> None:
    for seed, record in enumerate(runs()[:30]):
        Random(seed).shuffle(record.trace.records)
        assert check(record)
