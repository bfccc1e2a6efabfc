import re
from typing import Any

import pytest

from simlab.check.cases import read_case
from simlab.core.errors import SimlabError


def test_a_case_brings_its_ground_truth() -> None:
    read = read_case(
        {
            "id": "x1",
            "dialect": "mistral",
            "messages": [1],
            "request": {"mode": "test"},
            "events": [2],
            "baseline": {"responses": [3]},
            "note": "ignored",
        }
    )

    assert (read.format, read.dialect, read.messages, read.id) == ("case", "mistral", [1], "x1")
    assert (read.request, read.events, read.baseline) == ({"mode": "test"}, [2], [3])


def test_what_a_case_leaves_out_is_empty() -> None:
    read = read_case({"dialect": "gemini", "messages": [], "request": 7, "events": None, "baseline": "x", "id": 4})

    assert (read.request, read.events, read.baseline, read.id) == ({}, [], None, None)


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ([], "a.json: a case is an object with 'dialect' and a list of 'messages'"),
        ({"dialect": "gemini"}, "a.json: a case is an object with 'dialect' and a list of 'messages'"),
        ({"dialect": "gpt", "messages": []}, "a.json: dialect: 'gpt' is not one of openai_chat"),
    ],
)
def test_what_is_no_case_is_told_in_one_line(value: Any, told: str) -> None:
    with pytest.raises(SimlabError, match=re.escape(told)):
        read_case(value, "a.json")
