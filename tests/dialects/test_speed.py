"""Checking a Chat Completions conversation costs at most as much CPU time as reading its JSON."""

import json
import random
import sys
from typing import Any

import pytest

from simlab.dialects.registry import check
from tests.dialects.planted import call, calls, says, tool, user
from tests.timing import least_cpu_seconds

WORDS = "the file was read and its tests were run again since a value had changed".split()  # noqa: SIM905


def written(draws: random.Random) -> list[dict[str, Any]]:
    """Make a conversation of a few turns with parallel calls and short texts: reading such JSON is quickest."""

    def words(most: int) -> str:
        return " ".join(draws.choices(WORDS, k=draws.randint(1, most)))

    messages = [{"role": "system", "content": words(30)}]
    for _ in range(draws.randint(1, 8)):
        messages.append(user(words(20)))
        for _ in range(draws.randint(0, 3)):
            ids = [f"call_{draws.getrandbits(80):x}" for _ in range(draws.choice([1, 1, 2, 3]))]
            messages.append(calls(*(call(name, json.dumps({"path": words(2)})) for name in ids)))
            messages += [tool(name, words(40)) for name in ids]
        messages.append(says(words(40)))
    return messages


@pytest.mark.skipif(sys.gettrace() is not None, reason="line tracing slows the checker, not the parser in C")
@pytest.mark.parametrize("mode", ["recording", "request"])
def test_checking_costs_at_most_as_much_as_reading(mode: Any) -> None:
    draws = random.Random(7)
    lines = [json.dumps(written(draws)) for _ in range(400)]
    conversations = [json.loads(line) for line in lines]
    assert all(check("openai_chat", one, mode=mode) == [] for one in conversations)

    reading = least_cpu_seconds(lambda: [json.loads(line) for line in lines], 7)
    checking = least_cpu_seconds(lambda: [check("openai_chat", one, mode=mode) for one in conversations], 7)

    assert checking <= reading
