"""Schedules are text that a person can read, and that reads back as what it was."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simlab.core.errors import SimlabError
from simlab.testing.schedule import Move, parse_move, parse_schedule, schedule_text

WORDS = st.text(alphabet="abcU1:-_", min_size=1, max_size=6)


@given(subject=WORDS, verb=WORDS, words=st.lists(WORDS, max_size=4).map(tuple), wait_ms=st.integers(0, 10_000))
def test_a_move_reads_back_as_what_was_written(subject: str, verb: str, words: tuple[str, ...], wait_ms: int) -> None:
    move = Move(subject=subject, verb=verb, words=words, wait_ms=wait_ms)
    assert parse_move(str(move)) == move


def test_a_schedule_reads_back_as_what_was_written_without_comments() -> None:
    text = "# why\n\nU1 arrives user.input from user\n+1 model says look\n"
    assert schedule_text(parse_schedule(text)) == "U1 arrives user.input from user\n+1 model says look\n"


@pytest.mark.parametrize("line", ["", "U1", "+5", "+5 U1"])
def test_a_line_that_is_no_move_is_refused(line: str) -> None:
    with pytest.raises(SimlabError, match="no move"):
        parse_move(line)
