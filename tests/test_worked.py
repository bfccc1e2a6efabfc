"""The worked cases (docs/worked-cases.md): every statement of every case, to the millisecond."""

import pytest

from simlab.core.commands import Append, CallModel, Sleep, StartSide
from simlab.core.inputs import ModelFinished, ToolEnded
from simlab.core.messages import (
    AssistantMessage,
    EventMessage,
    LateResultMessage,
    PlaceholderMessage,
    ResultMessage,
    SideMessage,
    SideOutcome,
    notation,
)
from simlab.core.record import RunOutcome, RunRecord
from simlab.experiment.scenario import load_scenario, shipped_scenarios
from simlab.invariants import Blame, Breach, check
from simlab.sim.laws import Constant
from simlab.strategies import LEAVES_CALLS_OPEN, STRATEGIES
from tests.strategies_for_tests import KeepThenCancel
from tests.worked_runs import (
    acted,
    answered,
    appended,
    begun,
    consumed,
    done,
    main_calls,
    mistaken_after,
    points,
    ran,
    said,
    side_calls,
    thrown_away_ms,
    trajectory,
    with_strategy,
    worked,
)

BEFORE = "P(c1 cancelled before it took effect)"
AFTER = "P(c1 cancelled after it took effect)"
RUNNING = "P(c1 still running)"


def at(run: RunRecord, kind: type[object]) -> list[int]:
    """When inputs or commands of a kind happened."""
    return [at_ms for at_ms, record in run.trace.records if isinstance(record, kind)]


def when_appended(run: RunRecord, kind: type[object]) -> list[int]:
    return [at_ms for at_ms, message in appended(run) if isinstance(message, kind)]


def effects(run: RunRecord) -> list[tuple[str, int]]:
    return [(effect.call_id, effect.at_ms) for effect in run.effects]


ALL_CASES = [name for name in shipped_scenarios() if name.startswith("worked/")]


def test_there_is_a_scenario_for_each_of_the_fourteen_cases() -> None:
    assert {int(name.removeprefix("worked/")[:2]) for name in ALL_CASES} == set(range(1, 15))


@pytest.mark.parametrize("case", [case for case in ALL_CASES if not case.endswith("06-three-scripts")])
def test_every_model_call_takes_exactly_2000_ms_and_routing_takes_no_time(case: str) -> None:
    assert load_scenario(case).world.model.call_ms == Constant(value=2000.0)
    for strategy in ("queue", "cancel", "cancel-background", "parallel"):
        run = worked(case, strategy)
        assert {call.planned_ms for call in run.model_calls} == {2000}
        assert all(event.routed_ms == event.arrived_ms for event in run.events.values())


# --- 1 email-weather --------------------------------------------------------------------------------------------


def test_case_1_the_search_is_called_at_2000_and_takes_8000_without_an_effect() -> None:
    run = worked("01-email-weather", "queue")
    assert said(run)[0] == (2000, (), 1)
    assert (ran(run, "c1").tool, ran(run, "c1").started_ms, ran(run, "c1").stopped_ms) == (
        "search_contacts",
        2000,
        10000,
    )
    assert run.effects == []


@pytest.mark.parametrize(
    ("strategy", "expected", "u2_answered", "task_done", "main", "side"),
    [
        ("cancel-background", f"U1 A[c1] {RUNNING} U2 A L(c1) A", 7000, 12000, 3, 0),
        ("queue", "U1 A[c1] R(c1) U2 A", 12000, 12000, 2, 0),
        ("parallel", "U1 A[c1] R(c1) S(U2) A", 7000, 12000, 2, 1),
    ],
)
def test_case_1_the_table(strategy: str, expected: str, u2_answered: int, task_done: int, main: int, side: int) -> None:
    run = worked("01-email-weather", strategy)
    assert trajectory(run) == expected
    assert (answered(run), done(run)) == (u2_answered, task_done)
    assert (len(main_calls(run)), len(side_calls(run))) == (main, side)


def test_case_1_weather_and_draft_come_apart_or_together() -> None:
    background, queue = worked("01-email-weather", "cancel-background"), worked("01-email-weather", "queue")
    assert said(background)[1:] == [(7000, ("answer:U2",), 0), (12000, ("final:U1",), 0)]
    assert said(queue)[1:] == [(12000, ("answer:U2", "final:U1"), 0)]


def test_case_1_the_side_session_runs_from_5000_to_7000_and_the_draft_is_the_main_calls_own() -> None:
    run = worked("01-email-weather", "parallel")
    assert side_calls(run) == [(5000, 7000)]
    assert said(run)[1:] == [(12000, ("final:U1",), 0)]


def test_case_1_the_turn_closes_at_7000_with_c1_pending_and_its_arrival_wakes_the_idle_agent() -> None:
    run = worked("01-email-weather", "cancel-background")
    assert at(run, Sleep) == [7000, 12000]
    assert at(run, ToolEnded) == [10000]
    assert [(call.started_ms, call.ended_ms) for call in main_calls(run)] == [(0, 2000), (5000, 7000), (10000, 12000)]


def test_case_1_the_call_at_5000_is_the_one_decision_point() -> None:
    run = worked("01-email-weather", "cancel-background")
    assert points(run) == [(5000, "U1", "final", "search", "c1")]
    assert run.decision_points[0].generation == main_calls(run)[1].generation
    assert worked("01-email-weather", "queue").decision_points == []
    assert worked("01-email-weather", "parallel").decision_points == []


# --- 2 stop-said-it-wrong ---------------------------------------------------------------------------------------


def test_case_2_the_mail_is_irreversible_takes_6000_and_commits_at_half() -> None:
    (tool,) = load_scenario("02-stop-said-it-wrong").world.tools
    assert tool.spec.irreversible
    run = worked("02-stop-said-it-wrong", "queue")
    assert (ran(run, "c1").started_ms, ran(run, "c1").committed_ms, ran(run, "c1").stopped_ms) == (2000, 5000, 8000)


@pytest.mark.parametrize(
    ("strategy", "case", "expected", "effect", "mistaken", "u2_consumed", "u2_answered"),
    [
        ("cancel", "02-stop-said-it-wrong", f"U1 A[c1] {BEFORE} U2 A", [], 0, 4000, 6000),
        ("cancel", "02-stop-said-it-wrong-at-5500", f"U1 A[c1] {AFTER} U2 A", [("c1", 5000)], 0, 5500, 7500),
        ("queue", "02-stop-said-it-wrong", "U1 A[c1] R(c1) U2 A", [("c1", 5000)], 1, 8000, 10000),
        ("parallel", "02-stop-said-it-wrong", "U1 A[c1] R(c1) S(U2) A", [("c1", 5000)], 1, 8000, 10000),
    ],
)
def test_case_2_the_table(
    strategy: str,
    case: str,
    expected: str,
    effect: list[tuple[str, int]],
    mistaken: int,
    u2_consumed: int,
    u2_answered: int,
) -> None:
    run = worked(case, strategy)
    assert trajectory(run) == expected
    assert effects(run) == effect
    assert mistaken_after(run) == mistaken
    assert (consumed(run), acted(run)) == (u2_consumed, u2_answered)
    assert said(run)[-1][0] == u2_answered
    assert done(run) is None


def test_case_2_the_side_session_answers_at_6000_without_power_over_c1() -> None:
    run = worked("02-stop-said-it-wrong", "parallel")
    assert (answered(run), acted(run)) == (6000, 10000)
    assert side_calls(run) == [(4000, 6000)]
    (side,) = [message for _, message in appended(run) if isinstance(message, SideMessage)]
    assert side.outcome is SideOutcome.FOR_MAIN
    assert ran(run, "c1").cancel_asked_ms is None


def test_case_2_hard_cancel_goes_on_with_the_call_open() -> None:
    run = worked("02-stop-said-it-wrong", "hard-cancel")
    assert trajectory(run).startswith("U1 A[c1] U2")
    assert consumed(run) == 4000
    closings = PlaceholderMessage | ResultMessage | LateResultMessage
    assert not any(isinstance(message, closings) for _, message in appended(run))


def test_case_2_hard_cancel_breaches_every_call_is_closed_once_at_message_1() -> None:
    breaches = check(worked("02-stop-said-it-wrong", "hard-cancel"))
    assert [(breach.call_id, breach.message_index, breach.blame) for breach in breaches if _is_open(breach)] == [
        ("c1", 1, Blame.STRATEGY)
    ]


def _is_open(breach: Breach) -> bool:
    return breach.invariant == "every_call_is_closed_once"


@pytest.mark.parametrize("case", ALL_CASES)
def test_no_other_strategy_breaches_an_invariant(case: str) -> None:
    for strategy in STRATEGIES:
        if strategy not in LEAVES_CALLS_OPEN:
            assert check(worked(case, strategy)) == [], strategy


# --- 3 only-last-month ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("strategy", "expected", "finished", "calls"),
    [
        ("queue", "U1 A[c1] R(c1) U2 A", 10000, 2),
        ("queue-turn", "U1 A[c1] R(c1) A U2 A", 12000, 3),
        ("cancel", f"U1 A[c1] {BEFORE} U2 A[c2] R(c2) A", 14000, 3),
    ],
)
def test_case_3_the_table(strategy: str, expected: str, finished: int, calls: int) -> None:
    run = worked("03-only-last-month", strategy)
    assert trajectory(run) == expected
    assert done(run) == finished
    assert acted(run) == finished
    assert len(main_calls(run)) == calls


def test_case_3_the_amendment_is_about_the_answer_not_the_search() -> None:
    (amendment,) = [event for event in load_scenario("03-only-last-month").world.events if event.id == "U2"]
    assert amendment.intent.step is None
    assert [run.step for run in worked("03-only-last-month", "queue").tool_runs] == ["search"]


def test_case_3_cancel_throws_away_the_2000_ms_of_c1() -> None:
    run = worked("03-only-last-month", "cancel")
    assert thrown_away_ms(run) == [2000]
    assert (ran(run, "c1").started_ms, ran(run, "c1").stopped_ms) == (2000, 4000)
    assert thrown_away_ms(worked("03-only-last-month", "queue")) == []


def test_case_3_queueing_saves_one_round_trip_against_a_turn_each() -> None:
    turns, queue = worked("03-only-last-month", "queue-turn"), worked("03-only-last-month", "queue")
    assert len(main_calls(turns)) - len(main_calls(queue)) == 1


# --- 4 report-in-chinese ----------------------------------------------------------------------------------------


def test_case_4_the_event_comes_in_the_middle_of_the_final_call() -> None:
    run = worked("04-report-in-chinese", "queue")
    assert (ran(run, "c1").started_ms, ran(run, "c1").stopped_ms) == (2000, 5000)
    assert (main_calls(run)[1].started_ms, main_calls(run)[1].ended_ms) == (5000, 7000)
    assert run.events["U2"].arrived_ms == 6000


def test_case_4_queue_needs_one_call_more_because_the_event_came_in_the_final_call() -> None:
    run = worked("04-report-in-chinese", "queue")
    assert trajectory(run) == "U1 A[c1] R(c1) A U2 A"
    assert said(run)[1:] == [(7000, ("final:U1",), 0), (9000, ("answer:U2", "final:U1"), 0)]
    assert (done(run), len(main_calls(run))) == (9000, 3)


def test_case_4_cancel_discards_the_call_that_was_under_way() -> None:
    run = worked("04-report-in-chinese", "cancel")
    assert trajectory(run) == "U1 A[c1] R(c1) U2 A"
    assert (done(run), begun(run)) == (8000, [0, 5000, 6000])
    assert [call.kept for call in main_calls(run)] == [True, False, True]
    assert when_appended(run, AssistantMessage) == [2000, 8000]


def test_case_4_cancel_throws_away_half_of_the_output_tokens() -> None:
    discarded = main_calls(worked("04-report-in-chinese", "cancel"))[1]
    assert discarded.ended_ms == 6000
    assert discarded.planned_tokens > 0
    assert discarded.output_tokens == discarded.planned_tokens / 2


def test_case_4_said_at_4000_queue_needs_2_calls_and_ends_at_7000() -> None:
    run = worked("04-report-in-chinese-at-4000", "queue")
    assert (len(main_calls(run)), done(run), run.ended_ms) == (2, 7000, 7000)
    assert acted(run) == 7000


# --- 5 weather-during-analysis ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("strategy", "u2_answered", "finished", "thrown_away"),
    [
        ("parallel", 12000, 34000, []),
        ("queue", 34000, 34000, []),
        ("cancel", 12000, 44000, [8000]),
        ("cancel-background", 12000, 34000, []),
    ],
)
def test_case_5_answers_ends_and_waste(strategy: str, u2_answered: int, finished: int, thrown_away: list[int]) -> None:
    run = worked("05-weather-during-analysis", strategy)
    assert (answered(run), done(run)) == (u2_answered, finished)
    assert thrown_away_ms(run) == thrown_away


def test_case_5_the_analysis_takes_30000_and_ends_at_32000() -> None:
    run = ran(worked("05-weather-during-analysis", "queue"), "c1")
    assert (run.started_ms, run.stopped_ms) == (2000, 32000)


def test_case_5_cancel_answers_and_starts_the_analysis_again_in_one_message() -> None:
    run = worked("05-weather-during-analysis", "cancel")
    assert said(run)[1] == (12000, ("answer:U2",), 1)
    assert trajectory(run) == f"U1 A[c1] {BEFORE} U2 A[c2] R(c2) A"
    assert (ran(run, "c2").step, ran(run, "c2").started_ms, ran(run, "c2").stopped_ms) == ("analyse", 12000, 42000)


# --- 6 three-scripts --------------------------------------------------------------------------------------------


def results(run: RunRecord) -> dict[str, tuple[int, str]]:
    return {m.call_id: (at_ms, m.result.content) for at_ms, m in appended(run) if isinstance(m, ResultMessage)}


def test_case_6_each_start_returns_its_task_id_at_once() -> None:
    run = worked("06-three-scripts", "queue")
    assert [results(run)[call] for call in ("c1", "c2", "c3")] == [
        (0, f"start_script: started, id job:U1:{step}") for step in ("s1", "s2", "s3")
    ]


def test_case_6_progress_is_3_2_and_1_percent_a_second_to_the_first_whole_millisecond() -> None:
    jobs = {run.step: run for run in worked("06-three-scripts", "queue").tool_runs if run.call_id.startswith("job:")}
    assert (jobs["s1"].started_ms, jobs["s1"].stopped_ms) == (0, 33334)
    assert 3 * 33333 / 1000 < 100 <= 3 * 33334 / 1000
    assert (jobs["s2"].started_ms, jobs["s2"].stopped_ms) == (0, 50000)
    assert 2 * 50000 / 1000 == 100


def test_case_6_the_trajectory() -> None:
    run = worked("06-three-scripts", "queue")
    assert trajectory(run) == (
        "U1 A[c1,c2,c3] R(c1) R(c2) R(c3) A job:U1:s1 A[c4,c5] R(c4) R(c5) A[c6] R(c6) A job:U1:s2 A"
    )
    calls = {call.id: call for _, m in appended(run) if isinstance(m, AssistantMessage) for call in m.calls}
    steps = {run.call_id: run.step for run in run.tool_runs}
    assert [(calls[each].tool, steps[each]) for each in ("c4", "c5", "c6")] == [
        ("script_status", "look2"),
        ("script_status", "look3"),
        ("cancel_script", "cancel3"),
    ]


def test_case_6_the_statuses_are_two_thirds_and_one_third() -> None:
    told = results(worked("06-three-scripts", "queue"))
    shares = [(told[call][0], round(float(told[call][1].partition("=")[2]), 1)) for call in ("c4", "c5")]
    assert shares == [(33334, 66.7), (33334, 33.3)]


def test_case_6_s3_ends_cancelled_at_a_third_the_others_complete_and_nothing_runs_on() -> None:
    run = worked("06-three-scripts", "queue")
    jobs = {each.step: each for each in run.tool_runs if each.call_id.startswith("job:")}
    assert (jobs["s3"].outcome, jobs["s3"].stopped_ms) == (RunOutcome.CANCELLED, 33334)
    assert results(run)["c6"][1] == "cancel_script: cancelled, id job:U1:s3, progress=33.334000"
    assert jobs["s1"].outcome is jobs["s2"].outcome is RunOutcome.FINISHED
    assert all(each.outcome is not RunOutcome.RUNNING for each in run.tool_runs)
    assert run.trace.complete


def test_case_6_six_model_calls_of_no_time() -> None:
    run = worked("06-three-scripts", "queue")
    assert {call.planned_ms for call in run.model_calls} == {0}
    assert begun(run) == [0, 0, 33334, 33334, 33334, 50000]
    before = [
        notation(record.messages[: record.length]).split()[-1]
        for _, record in run.trace.records
        if isinstance(record, CallModel)
    ]
    assert before == ["U1", "R(c3)", "job:U1:s1", "R(c5)", "R(c6)", "job:U1:s2"]
    assert said(run)[-1] == (50000, ("answer:job:U1:s2", "final:U1"), 0)
    assert done(run) == 50000


# --- 7 a-batch --------------------------------------------------------------------------------------------------

FOUR = ("timer", "peer", "user", "alert")


@pytest.mark.parametrize(
    ("strategy", "expected", "finished"),
    [
        ("routed", f"U1 A[c1] {BEFORE} timer peer user alert A[c2] R(c2) A", 23000),
        ("routed-background", f"U1 A[c1] {RUNNING} timer peer user alert A L(c1) A", 14000),
        ("queue", "U1 A[c1] R(c1) timer peer user alert A", 14000),
    ],
)
def test_case_7_trajectories_and_ends(strategy: str, expected: str, finished: int) -> None:
    run = worked("07-a-batch", strategy)
    assert trajectory(run) == expected
    assert done(run) == finished


@pytest.mark.parametrize("strategy", ["routed", "routed-background"])
def test_case_7_three_wait_and_the_alert_stops_the_operation_at_9000(strategy: str) -> None:
    run = worked("07-a-batch", strategy)
    assert [run.events[event].arrived_ms for event in FOUR] == [3000, 5000, 7000, 9000]
    assert [consumed(run, event) for event in FOUR] == [9000] * 4
    assert [answered(run, event) for event in FOUR] == [11000] * 4
    assert begun(run)[1] == 9000


def test_case_7_one_message_answers_all_four_and_asks_again_for_the_cancelled_call() -> None:
    run = worked("07-a-batch", "routed")
    assert said(run)[1] == (11000, tuple(f"answer:{event}" for event in FOUR), 1)
    assert (ran(run, "c2").step, ran(run, "c2").started_ms, ran(run, "c2").stopped_ms) == ("build", 11000, 21000)


@pytest.mark.parametrize("strategy", ["routed", "routed-background", "queue"])
def test_case_7_the_batch_stands_in_order_of_arrival_and_one_model_call_sees_all_four(strategy: str) -> None:
    run = worked("07-a-batch", strategy)
    batch = [m.events[0].id for _, m in appended(run) if isinstance(m, EventMessage)][1:]
    assert batch == list(FOUR)
    seen = [
        sum(_is_one_of_four(message) for message in record.messages[: record.length])
        for _, record in run.trace.records
        if isinstance(record, CallModel)
    ]
    assert seen == [0, *[4] * (len(seen) - 1)]
    answering = [says for _, says, _ in said(run) if any(each.startswith("answer:") for each in says)]
    assert len(answering) == 1


def _is_one_of_four(message: object) -> bool:
    return isinstance(message, EventMessage) and message.events[0].id in FOUR


def test_case_7_queue_answers_all_in_the_call_from_12000_to_14000() -> None:
    run = worked("07-a-batch", "queue")
    assert (main_calls(run)[1].started_ms, main_calls(run)[1].ended_ms) == (12000, 14000)
    assert [answered(run, event) for event in FOUR] == [14000] * 4


# --- 8 nested-preemption ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("strategy", "expected", "begin", "e3", "t2", "t1", "thrown_away"),
    [
        (
            "cancel-background",
            "U1 A[c1] P(c1 still running) E2 A[c2] P(c2 still running) E3 A L(c2) A L(c1) A",
            [0, 6000, 10000, 14000, 22000],
            12000,
            16000,
            24000,
            [],
        ),
        (
            "cancel",
            f"U1 A[c1] {BEFORE} E2 A[c2] P(c2 cancelled before it took effect) E3 A[c3] R(c3) A[c4] R(c4) A",
            [0, 6000, 10000, 18000, 40000],
            12000,
            20000,
            42000,
            [4000, 2000],
        ),
    ],
)
def test_case_8_trajectories_times_and_waste(
    strategy: str, expected: str, begin: list[int], e3: int, t2: int, t1: int, thrown_away: list[int]
) -> None:
    run = worked("08-nested-preemption", strategy)
    assert trajectory(run) == expected
    assert begun(run) == begin
    assert (answered(run, "E3"), done(run, "E2"), done(run, "U1")) == (e3, t2, t1)
    assert thrown_away_ms(run) == thrown_away


def test_case_8_each_answer_stands_in_its_message() -> None:
    background, cancel = worked("08-nested-preemption", "cancel-background"), worked("08-nested-preemption", "cancel")
    assert said(background)[2:] == [(12000, ("answer:E3",), 0), (16000, ("final:E2",), 0), (24000, ("final:U1",), 0)]
    assert said(cancel)[2:] == [(12000, ("answer:E3",), 1), (20000, ("final:E2",), 1), (42000, ("final:U1",), 0)]
    assert [(each.task_id, each.step) for each in cancel.tool_runs] == [
        ("U1", "crawl"),
        ("E2", "lookup"),
        ("E2", "lookup"),
        ("U1", "crawl"),
    ]


@pytest.mark.parametrize("strategy", ["cancel-background", "cancel"])
def test_case_8_t2_resumes_before_t1(strategy: str) -> None:
    run = worked("08-nested-preemption", strategy)
    finals = [says for _, says, _ in said(run) if any(each.startswith("final:") for each in says)]
    assert finals == [("final:E2",), ("final:U1",)]


# --- 9 two-tools ------------------------------------------------------------------------------------------------


def test_case_9_queue_waits_for_both_tools() -> None:
    run = worked("09-two-tools", "queue")
    assert trajectory(run) == "U1 A[c1,c2] R(c1) R(c2) U2 A"
    assert (consumed(run), done(run), len(main_calls(run))) == (10000, 12000, 2)
    assert run.decision_points == []


def test_case_9_queue_first_return_flushes_when_the_first_returns() -> None:
    run = worked("09-two-tools", "queue-first-return")
    assert trajectory(run) == "U1 A[c1,c2] R(c1) P(c2 still running) U2 A L(c2) A"
    assert (consumed(run), done(run), len(main_calls(run))) == (6000, 12000, 3)
    assert points(run) == [(6000, "U1", "final", "long", "c2")]
    assert said(run)[1] == (8000, ("answer:U2",), 0)


# --- 10 before-tools-start --------------------------------------------------------------------------------------


def test_case_10_c1_never_starts() -> None:
    run = worked("10-before-tools-start", "cancel")
    assert trajectory(run) == "U1 A[c1] P(c1 not started) U2 A"
    assert (consumed(run), answered(run)) == (2300, 4300)
    assert run.tool_runs == []
    assert run.effects == []


def test_case_10_left_alone_the_tool_starts_500_ms_after_its_message() -> None:
    run = worked("10-before-tools-start", "queue")
    assert when_appended(run, AssistantMessage)[0] == 2000
    assert ran(run, "c1").started_ms == 2500


# --- 11 one-finished --------------------------------------------------------------------------------------------


def test_case_11_only_the_unfinished_call_is_asked_for_again() -> None:
    run = worked("11-one-finished", "cancel")
    assert trajectory(run) == "U1 A[c1,c2] R(c1) P(c2 cancelled before it took effect) U2 A[c3] R(c3) A"
    assert (ran(run, "c3").step, ran(run, "c3").started_ms, ran(run, "c3").stopped_ms) == ("long", 9000, 17000)
    assert done(run) == 19000
    assert [each.step for each in run.tool_runs].count("short") == 1
    assert thrown_away_ms(run) == [5000]


# --- 12 late-side -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", ["12-late-side-independent", "12-late-side-dependent"])
def test_case_12_the_side_session_runs_on_a_copy_that_ends_with_the_result(case: str) -> None:
    run = worked(case, "parallel")
    assert (main_calls(run)[1].started_ms, main_calls(run)[1].ended_ms) == (5000, 7000)
    assert side_calls(run) == [(6500, 8500)]
    (side,) = [record for _, record in run.trace.records if isinstance(record, StartSide)]
    assert notation(side.messages) == "U1 A[c1] R(c1)"


def test_case_12_an_independent_answer_is_appended_and_wakes_nobody() -> None:
    run = worked("12-late-side-independent", "parallel")
    assert trajectory(run) == "U1 A[c1] R(c1) A S(U2)"
    assert when_appended(run, SideMessage) == [8500]
    assert begun(run) == [0, 5000]
    assert run.ended_ms == 8500


def test_case_12_a_dependent_one_is_for_the_main_task_and_wakes_it() -> None:
    run = worked("12-late-side-dependent", "parallel")
    assert trajectory(run) == "U1 A[c1] R(c1) A S(U2) A"
    (side,) = [message for _, message in appended(run) if isinstance(message, SideMessage)]
    assert side.outcome is SideOutcome.FOR_MAIN
    assert begun(run) == [0, 5000, 8500]
    assert at(run, ModelFinished)[-1] == 10500


# --- 13 background-correction -----------------------------------------------------------------------------------


def test_case_13_a_later_correction_reaches_the_tool_in_the_background() -> None:
    run = with_strategy("13-background-correction", KeepThenCancel())
    assert trajectory(run) == f"U1 A[c1] {RUNNING} U2 A N(c1 cancelled before it took effect) U3 A"
    assert run.effects == []
    assert answered(run, "U3") == 9000


def test_case_13_cancel_background_alone_lets_the_mistaken_effect_commit() -> None:
    run = worked("13-background-correction", "cancel-background")
    assert trajectory(run) == f"U1 A[c1] {RUNNING} U2 A U3 A L(c1) A"
    assert answered(run, "U3") == 9000
    assert effects(run) == [("c1", 9500)]
    assert mistaken_after(run) == 1
    assert when_appended(run, LateResultMessage) == [12000]
    assert said(run)[-1][0] == 14000


# --- 14 ties ----------------------------------------------------------------------------------------------------


def test_case_14_at_5000_the_commit_comes_first() -> None:
    run = worked("14-ties-at-5000", "cancel")
    assert trajectory(run) == f"U1 A[c1] {AFTER} U2 A"
    assert effects(run) == [("c1", 5000)]
    assert mistaken_after(run) == 0


def test_case_14_at_8000_the_result_is_recorded_first() -> None:
    run = worked("14-ties-at-8000", "cancel")
    assert trajectory(run) == "U1 A[c1] R(c1) U2 A"
    assert answered(run) == 10000
    order = [record.message for _, record in run.trace.records if isinstance(record, Append)]
    assert [type(message) for message in order[2:4]] == [ResultMessage, EventMessage]
