"""Plug-ins by name."""

from importlib.metadata import EntryPoint

import pytest

from simlab.core.errors import SimlabError
from simlab.core.plugins import AT_ONCE
from simlab.core.registry import Registry

SHIPPED = {"queue": "simlab.strategies.queue:QueueAll", "bare": "simlab.core.errors:SimlabError"}


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> Registry:
    points = [
        EntryPoint(name="zebra", value="simlab.strategies.cancel:Cancel", group="g"),
        EntryPoint(name="gone", value="simlab.nowhere:Nothing", group="g"),
        EntryPoint(name="queue", value="simlab.strategies.cancel:Cancel", group="g"),
    ]
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: points if group == "g" else [])
    return Registry(kind="strategy", group="g", shipped=SHIPPED, needed=("name", "on_event"))


def test_names_are_the_shipped_ones_in_their_order_then_the_installed_ones(registry: Registry) -> None:
    assert registry.names() == ["queue", "bare", "gone", "zebra"]
    assert list(registry) == registry.names()


def test_a_shipped_plug_in_goes_before_an_installed_one_of_the_same_name(registry: Registry) -> None:
    assert registry.get("queue").name == "queue"
    assert registry.get("queue") is not registry.get("queue")


def test_an_installed_plug_in_is_found(registry: Registry) -> None:
    assert registry.get("zebra").name == "cancel"


def test_a_plug_in_may_be_an_object_that_is_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint(name="ready", value="simlab.core.plugins:AT_ONCE", group="g")
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [point])
    assert Registry(kind="service", group="g", shipped={}, needed=("workers",)).get("ready") is AT_ONCE


def test_an_unknown_name_is_told_with_the_known_ones(registry: Registry) -> None:
    with pytest.raises(SimlabError, match=r"^no strategy 'lion'; known: queue, bare, gone, zebra$"):
        registry.get("lion")


def test_a_plug_in_that_cannot_be_loaded_is_told_with_its_place(registry: Registry) -> None:
    with pytest.raises(SimlabError, match=r"^strategy 'gone' \(simlab.nowhere:Nothing\) cannot be loaded: "):
        registry.get("gone")


def test_a_plug_in_that_lacks_something_is_told_with_what_it_lacks(registry: Registry) -> None:
    with pytest.raises(SimlabError, match=r"^strategy 'bare' \(SimlabError\) lacks name, on_event$"):
        registry.get("bare")


class NeedsMore:
    """A plug-in that cannot be made from nothing."""

    def __init__(self, needed: int) -> None: ...


def test_a_plug_in_that_cannot_be_made_is_told_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint(name="more", value="tests.core.test_registry:NeedsMore", group="g")
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [point])
    with pytest.raises(SimlabError, match=r"^strategy 'more' \(NeedsMore\) cannot be made: TypeError\("):
        Registry(kind="strategy", group="g", shipped={}, needed=("name",)).get("more")


def test_a_plug_in_that_says_itself_why_it_cannot_be_made_is_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_self: object) -> None:
        raise SimlabError("needs an extra")

    monkeypatch.setattr(NeedsMore, "__init__", refuse)
    point = EntryPoint(name="more", value="tests.core.test_registry:NeedsMore", group="g")
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [point])
    with pytest.raises(SimlabError, match=r"^needs an extra$"):
        Registry(kind="strategy", group="g", shipped={}, needed=("name",)).get("more")


def test_a_plug_in_whose_package_is_missing_is_not_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [])
    shipped = {"with": "a:b", "without": "c:d", "plain": "e:f"}
    made = Registry(kind="k", group="g", shipped=shipped, needed=(), extras={"with": "json", "without": "no_such_one"})
    assert made.names() == ["with", "plain"]
