"""The scenario library: enough worlds, told in words that real people write, with the truth that those words have."""

import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from simlab.core.events import EventType, Handling
from simlab.experiment.league import library
from simlab.experiment.scenario import load_scenario
from simlab.routers.messages import all_messages
from simlab.sim.spec import EventSpec, true_handling

PUBLISHED_BEFORE = {"coding-assistant"}  # the README's answer rests on its bytes
LABELS = {message.text: message for message in all_messages()}


def templates(name: str) -> Iterator[EventSpec]:
    """Yield what may arrive in mid-run: the variants of streams and of placed events, without machines' ticks."""
    world = load_scenario(name).world
    for variants in [*(each.variants for each in world.streams), *(each.variants for each in world.placed)]:
        for _, spec in variants:
            if spec.type is not EventType.TIMER_TRIGGER:
                yield spec


def test_there_are_at_least_twelve_besides_the_worked_cases() -> None:
    assert len(library()) >= 12
    assert not any(name.startswith("worked/") for name in library())


@pytest.mark.parametrize("name", sorted(set(library()) - PUBLISHED_BEFORE))
def test_every_wording_is_a_labelled_message_of_the_test_half_with_the_same_truth(name: str) -> None:
    for spec in templates(name):
        message = LABELS[spec.text]
        assert message.split == "test", spec.text
        typed = spec.type is EventType.EXTERNAL_TRIGGER and spec.marked_urgent
        assert message.handling is true_handling(spec.intent, typed), spec.text


@pytest.mark.parametrize("name", sorted(set(library()) - PUBLISHED_BEFORE))
def test_people_say_one_thing_in_several_ways(name: str) -> None:
    wordings: dict[str, set[str]] = {}
    for spec in templates(name):
        if spec.type is EventType.USER_INPUT:
            wordings.setdefault(spec.id, set()).add(spec.text)
    assert all(len(texts) >= 2 for texts in wordings.values())


@pytest.mark.parametrize("name", library())
def test_a_paragraph_says_who_meets_it(name: str) -> None:
    assert len(load_scenario(name).description.split()) >= 40


@pytest.mark.parametrize("name", sorted(set(library()) - PUBLISHED_BEFORE))
def test_the_truths_of_a_scenario_are_not_all_alike(name: str) -> None:
    assert len({true_handling(spec.intent, spec.marked_urgent) for spec in templates(name)}) >= 2


def test_the_burst_is_one_of_twenty() -> None:
    text: Mapping[str, Any] = tomllib.loads(load_scenario("burst-of-20").path.read_text(encoding="utf-8"))
    assert text["plans"]["ten"]["calls"] == 10
    assert [stream["burst"] for stream in text["streams"]] == [5, 5]
    for stream in text["streams"]:  # one arrival each
        assert stream["gap_ms"] == stream["until_ms"]


def test_payments_cannot_be_taken_back_or_cancelled() -> None:
    (transfer,) = (tool.spec for tool in load_scenario("payments").world.tools if tool.spec.name == "transfer")
    assert transfer.irreversible
    assert not transfer.can_be_cancelled


def test_a_supervisors_channel_is_urgent_even_where_the_message_is_not() -> None:
    handlings = {
        true_handling(spec.intent, True)
        for spec in templates("supervisor-overrides")
        if spec.type is EventType.SUPERVISOR_INSTRUCTION
    }
    assert handlings == {Handling.CANCEL, Handling.QUEUE}
