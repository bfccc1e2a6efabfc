from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simlab.check.readers.values import as_text, instant_ms, joined_text, parsed, word

VALUES: list[Any] = ["x", [], {}, None, 1]


@pytest.mark.parametrize(
    "value",
    [
        "2026-02-01T00:00:00Z",
        "2026-02-01T01:00:00+01:00",
        "2026-02-01T00:00:00",
        1_769_904_000,
        1_769_904_000.0,
        1_769_904_000_000,
        1_769_904_000_000_000,
        1_769_904_000_000_000_000,
        "1769904000000000000",
    ],
)
def test_an_instant_is_milliseconds_however_it_was_written(value: Any) -> None:
    assert instant_ms(value) == 1_769_904_000_000


@pytest.mark.parametrize("value", [None, True, "", "soon", [], {}, float("nan"), float("inf"), 10**400, "9" * 5000])
def test_what_is_no_instant_is_zero(value: Any) -> None:
    assert instant_ms(value) == 0


@given(st.text() | st.integers() | st.floats())
def test_an_instant_never_raises(value: Any) -> None:
    assert isinstance(instant_ms(value), float)


def test_text_is_kept_and_anything_else_is_json_text() -> None:
    assert [as_text(value) for value in ("é", None, {"a": "é"}, 0, False)] == ["é", "", '{"a": "é"}', "0", "false"]


def test_json_text_is_undone_once_and_structures_are_kept() -> None:
    assert [parsed(value) for value in ('"[1]"', "[1]", "{", [1], None)] == ["[1]", [1], None, [1], None]


def test_the_text_of_parts_leaves_other_parts_out() -> None:
    assert joined_text(["a", {"type": "text", "text": "b"}, {"type": "image"}, {"text": 7}, 7]) == "a\nb"
    assert [joined_text(value) for value in VALUES] == ["x", "", "", "", ""]


def test_only_a_string_is_a_word() -> None:
    assert [word({"a": value}, "a") for value in VALUES] == ["x", "", "", "", ""]
