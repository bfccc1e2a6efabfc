"""What is said of a call agrees with what is known of it, by the truth rules' own reading."""

import pytest

from simlab.check.neutral import Entry
from simlab.check.record import is_placeholder
from simlab.core.messages import PlaceholderMessage, PlaceholderState, Wording
from simlab.dialects.render import wording


@pytest.mark.parametrize("how", Wording)
@pytest.mark.parametrize("state", PlaceholderState)
def test_a_placeholder_is_never_worded_as_a_result(state: PlaceholderState, how: Wording) -> None:
    text = wording.placeholder(PlaceholderMessage(call_id="c1", state=state, wording=how), "c1")
    assert is_placeholder(Entry(kind="result", turn=0, index=0, text=text))


@pytest.mark.parametrize("how", [Wording.TERSE, Wording.ERROR])
@pytest.mark.parametrize("state", PlaceholderState)
def test_a_short_placeholder_says_the_state_itself(state: PlaceholderState, how: Wording) -> None:
    assert str(state) in wording.placeholder(PlaceholderMessage(call_id="c1", state=state, wording=how), "c1")


def test_a_missing_wording_says_nothing_of_the_state() -> None:
    texts = {
        wording.placeholder(PlaceholderMessage(call_id="c1", state=state, wording=Wording.MISSING), "c1")
        for state in PlaceholderState
    }
    assert texts == {"[no result]"}


def test_five_states_have_five_explicit_texts() -> None:
    texts = {wording.placeholder(PlaceholderMessage(call_id="c1", state=state), "c1") for state in PlaceholderState}
    assert len(texts) == 5
