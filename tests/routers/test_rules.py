"""Rules with guards: imperatives stop, mentions and negations do not."""

import pytest

from simlab.core.events import Event, EventType, Handling
from simlab.routers.keyword import Keyword
from simlab.routers.messages import messages
from simlab.routers.rules import Rules
from simlab.routers.substring import Substring
from tests.routers.hints import FixedHints, said

HINTS = FixedHints()


def right(router: Rules | Keyword | Substring, *, split: str, trap: str) -> float:
    chosen = [each for each in messages("train" if split == "train" else "test") if each.trap == trap]
    return sum(router.route(said(each.text), HINTS).handling is each.handling for each in chosen) / len(chosen)


@pytest.mark.parametrize(
    ("text", "handling"),
    [
        ("stop, that's the wrong branch", Handling.CANCEL),
        ("don't stop until it's done", Handling.QUEUE),
        ("nonstop flights only", Handling.QUEUE),
        ("rename the 'Cancel' button to Dismiss", Handling.QUEUE),
        ("by the way, what's the capital of Mongolia?", Handling.PARALLEL),
        ("which option did you pick in the end?", Handling.QUEUE),
        ("停，分支选错了", Handling.CANCEL),
        ("别忘了附上收据", Handling.QUEUE),
        ("HTTP 409 是什么意思？", Handling.PARALLEL),
    ],
)
def test_a_word_counts_for_what_it_does_in_its_sentence(text: str, handling: Handling) -> None:
    assert Rules().route(said(text), HINTS).handling is handling


def test_a_declared_urgent_event_cancels_whatever_it_says() -> None:
    event = said("what's the time?", EventType.USER_INTERRUPT)
    for router in (Rules(), Keyword(), Substring()):
        assert router.route(event, HINTS).handling is Handling.CANCEL


def test_only_what_no_rule_matches_is_unsure() -> None:
    assert Rules().route(said("the window seat would be nicer"), HINTS).confidence == 0
    assert Rules().route(said("stop"), HINTS).confidence == 1


@pytest.mark.parametrize("trap", ["substring", "mention", "negation"])
def test_plain_substrings_fall_into_the_known_traps_and_rules_avoid_most(trap: str) -> None:
    assert right(Substring(), split="test", trap=trap) < 0.5
    assert right(Rules(), split="test", trap=trap) > right(Substring(), split="test", trap=trap) + 0.2


def test_urgent_messages_without_a_word_of_stopping_escape_every_router_by_words() -> None:
    assert right(Keyword(), split="test", trap="no-word") < 0.2
    assert right(Substring(), split="test", trap="no-word") < 0.2


def test_the_rules_know_the_half_they_were_written_from_better_than_the_other() -> None:
    """The reason why only the test half may measure: the gap is what was learnt by heart."""

    def share(split: str) -> float:
        chosen = messages("train" if split == "train" else "test")
        return sum(Rules().route(said(each.text), HINTS).handling is each.handling for each in chosen) / len(chosen)

    assert share("train") > share("test") + 0.05


def test_words_take_no_time() -> None:
    event: Event = said("stop")
    for router in (Rules(), Keyword(), Substring()):
        assert router.latency_ms(event, HINTS) == 0
