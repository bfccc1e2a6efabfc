"""The guard of speed work: whole runs are byte for byte what they were."""

import json

import pytest

from tests.sim.recorded_bytes import PATH, cases

RECORDED = json.loads(PATH.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", RECORDED)
def test_a_run_has_the_bytes_that_were_recorded(name: str) -> None:
    assert cases()[name]() == RECORDED[name], (
        "if results were meant to change: python -m tests.sim.recorded_bytes, and say so in the change log"
    )


def test_everything_that_is_made_is_recorded() -> None:
    assert list(cases()) == list(RECORDED)
