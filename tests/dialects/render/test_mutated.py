"""A random mutation of a request that simlab wrote is either still valid by a second reading, or reported."""

from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simlab.dialects.registry import check
from simlab.dialects.render import render
from simlab.testing.worlds import random_world
from tests.dialects.generators import mutated
from tests.dialects.oracles import anthropic_accepts, chat_accepts, mistral_accepts
from tests.dialects.oracles_blocks import bedrock_accepts, gemini_accepts, responses_accept
from tests.dialects.render.prompts import prompts, run

ORACLES: dict[str, Callable[[list[Any]], bool]] = {
    "openai_chat": chat_accepts,
    "openai_responses": responses_accept,
    "anthropic": anthropic_accepts,
    "gemini": gemini_accepts,
    "bedrock": bedrock_accepts,
    "mistral": mistral_accepts,
}
STRATEGIES = ("cancel", "routed-background", "parallel", "claude-reminder", "pipecat-cancel", "codex-steer")


@cache
def written(dialect: str) -> list[list[dict[str, Any]]]:
    """Return the requests of a few runs, those of at least four messages."""
    runs = [run(random_world(Random(seed)), name, seed=seed) for seed in (1, 2, 3) for name in STRATEGIES]
    made = [render(messages, dialect).messages for record in runs for messages in prompts(record)]
    return [each for each in made if 4 <= len(each) <= 30]


@pytest.mark.parametrize("dialect", ORACLES)
def test_what_is_written_is_accepted_by_the_second_reading(dialect: str) -> None:
    assert len(written(dialect)) > 50
    assert all(map(ORACLES[dialect], written(dialect)))


@pytest.mark.parametrize("dialect", ORACLES)
@given(data=st.data())
def test_a_mutated_request_is_judged_as_by_the_second_reading(dialect: str, data: st.DataObject) -> None:
    messages = data.draw(mutated(st.sampled_from(written(dialect))))
    errors = [(one.rule, one.index) for one in check(dialect, messages) if one.severity == "error"]
    assert (errors == []) == ORACLES[dialect](messages), errors
