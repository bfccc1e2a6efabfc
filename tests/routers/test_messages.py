"""The labelled messages: enough of them, in both languages, in two halves that share nothing."""

from collections import Counter
from pathlib import Path

import pytest

from simlab.core.events import Handling
from simlab.routers.messages import COLUMNS, all_messages, messages

TRAPS = {"", "substring", "negation", "mention", "no-word", "polite", "false-aside"}
DOC = Path(__file__).parents[2] / "docs" / "messages.md"


def test_there_are_at_least_300_about_half_of_them_chinese() -> None:
    languages = Counter(message.language for message in all_messages())
    assert languages.keys() == {"en", "zh"}
    assert sum(languages.values()) >= 300
    assert 0.4 < languages["zh"] / sum(languages.values()) < 0.6


def test_every_id_and_every_text_occurs_once() -> None:
    assert len({message.id for message in all_messages()}) == len(all_messages())
    assert len({" ".join(message.text.lower().split()) for message in all_messages()}) == len(all_messages())


def test_the_language_is_that_of_the_text() -> None:
    for message in all_messages():
        chinese = any("\u4e00" <= letter <= "\u9fff" for letter in message.text)
        assert chinese == (message.language == "zh"), message.text


def test_the_halves_hold_the_same_share_of_every_stratum() -> None:
    def strata(split: str) -> Counter[tuple[str, Handling, str]]:
        chosen = [message for message in all_messages() if message.split == split]
        return Counter((message.language, message.handling, message.trap) for message in chosen)

    train, test = strata("train"), strata("test")
    assert train.keys() == test.keys()
    assert all(abs(train[key] - test[key]) <= 1 for key in train)
    assert len(messages("train")) + len(messages("test")) == len(all_messages())


def test_every_trap_has_a_name_that_the_documentation_explains() -> None:
    assert {message.trap for message in all_messages()} == TRAPS
    told = DOC.read_text(encoding="utf-8")
    assert all(f"| `{trap}` |" in told for trap in TRAPS - {""})


def test_the_documentation_counts_them_right() -> None:
    count = Counter(message.language for message in all_messages())
    told = " ".join(DOC.read_text(encoding="utf-8").split())
    assert f"holds {len(all_messages())} short messages" in told
    assert f"{count['en']} in English, {count['zh']} in Chinese" in told
    shares = Counter(message.handling for message in all_messages())
    part = {handling: round(100 * number / len(all_messages())) for handling, number in shares.items()}
    assert f"{part[Handling.CANCEL]} % cancel, {part[Handling.QUEUE]} % queue, {part[Handling.PARALLEL]} % par" in told
    assert f"({round(100 * sum(bool(m.trap) for m in all_messages()) / len(all_messages()))} % of the messages)" in told


@pytest.mark.parametrize("column", COLUMNS)
def test_every_column_of_the_file_is_a_field(column: str) -> None:
    assert hasattr(all_messages()[0], column)
