"""A run in words: what happened, when, to whom."""

from typing import get_args

import pytest

from simlab.analysis import timeline as told
from simlab.analysis.timeline import timeline
from simlab.core import commands as c
from simlab.core import inputs as i
from simlab.core.record import RunRecord
from simlab.experiment.scenario import shipped_scenarios
from simlab.strategies import STRATEGIES
from tests.strategies_for_tests import KeepThenCancel
from tests.worked_runs import with_strategy, worked


def lines(run: RunRecord) -> list[str]:
    return [f"{line.at_ms} {line.whom} {line.what}" for line in timeline(run)]


def test_a_cancelled_run_reads_as_it_went() -> None:
    assert lines(worked("02-stop-said-it-wrong-at-5500", "cancel")) == [
        '0 U1 arrives, user.input from user: "send the offer to Ana"',
        "0 U1 the router says queue (routine type)",
        "0 agent appends U1",
        "0 model call 1 begins on 1 message",
        "2000 model call 1 ends and calls send_email as c1",
        "2000 agent appends A[c1]",
        "2000 c1 send_email starts",
        "5000 c1 takes effect in the world (mistaken)",
        '5500 U2 arrives, user.input from user: "stop, I said it wrong"',
        "5500 U2 the router says queue (routine type)",
        "5500 c1 is told to stop",
        "5500 c1 has stopped: cancelled after it took effect",
        "5500 agent appends P(c1 cancelled after it took effect)",
        "5500 agent appends U2",
        "5500 model call 2 begins on 4 messages",
        "7500 model call 2 ends and answers U2",
        "7500 agent appends A",
        "7500 agent goes idle",
    ]


def test_an_effect_stands_at_its_time_and_says_what_was_wrong_with_it() -> None:
    found = lines(worked("13-background-correction", "cancel-background"))
    assert "9500 c1 takes effect in the world (mistaken, after its correction)" in found
    assert found.index("9500 c1 takes effect in the world (mistaken, after its correction)") < found.index(
        "12000 c1 ends: send_email: done"
    )


def test_a_discarded_call_a_side_session_a_preparation_and_a_notice_are_told() -> None:
    assert "6000 model call 2 has stopped after 50 tokens; nothing of it is recorded" in lines(
        worked("04-report-in-chinese", "cancel")
    )
    side = lines(worked("12-late-side-dependent", "parallel"))
    assert "6500 U2 a side session begins (side:U2)" in side
    assert "8500 side:U2 side session ends: for main" in side
    assert "2500 c1 is ready to start" in lines(worked("10-before-tools-start", "queue"))
    assert "7000 agent appends N(c1 cancelled before it took effect)" in lines(
        with_strategy("13-background-correction", KeepThenCancel())
    )


@pytest.mark.parametrize("case", shipped_scenarios())
def test_lines_never_go_back_in_time_and_hold_every_arrival_and_every_effect(case: str) -> None:
    if not case.startswith("worked/"):
        pytest.skip("a long scenario")
    for strategy in STRATEGIES:
        run = worked(case, strategy)
        found = timeline(run)
        assert [line.at_ms for line in found] == sorted(line.at_ms for line in found)
        arrived = [record for _, record in run.trace.records if isinstance(record, i.EventArrived)]
        assert sum(line.what.startswith("arrives, ") for line in found) == len(arrived)
        assert sum(line.what.startswith("takes effect") for line in found) == len(run.effects)


def test_every_input_and_command_is_told_or_left_out_on_purpose() -> None:
    silent = {i.Settled, i.StreamItem, c.Settle, c.Route}
    assert set(told._WORDS) | silent == {*get_args(i.Input), *get_args(c.Command)}
