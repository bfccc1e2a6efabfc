"""The figures of a run agree with what the worked cases say."""

from simlab.analysis.outcome import outcome_of
from simlab.core.record import RunRecord, TaskTruth
from simlab.core.trace import Trace
from tests.worked_runs import worked


def test_an_uninterrupted_run_throws_nothing_away() -> None:
    outcome = outcome_of(worked("01-email-weather", "queue"))
    assert (outcome.scenario, outcome.strategy, outcome.router) == ("worked/01-email-weather", "queue", "by_type")
    assert (outcome.seed, outcome.replication, outcome.ended_ms, outcome.complete) == (0, 0, 12000, True)
    assert (outcome.requests, outcome.requests_open, outcome.request_ms) == (1, 0, 12000)
    assert (outcome.others, outcome.others_open) == (1, 0)
    assert (outcome.first_answer_ms, outcome.acted_ms) == (7000, 7000)
    assert (outcome.main_calls, outcome.main_calls_discarded, outcome.side_calls) == (2, 0, 0)
    assert (outcome.tool_ms, outcome.tool_thrown_away_ms) == (8000, 0)
    assert (outcome.decision_points, outcome.synchronous_call_share) == (0, 1.0)


def test_what_an_interrupt_costs_is_counted() -> None:
    outcome = outcome_of(worked("05-weather-during-analysis", "cancel"))
    assert (outcome.tool_ms, outcome.tool_thrown_away_ms) == (38000, 8000)
    assert (outcome.main_calls, outcome.decision_points, outcome.request_ms) == (3, 1, 44000)


def test_a_discarded_call_counts_with_its_tokens() -> None:
    outcome = outcome_of(worked("04-report-in-chinese", "cancel"))
    assert (outcome.main_calls, outcome.main_calls_discarded, outcome.discarded_tokens) == (3, 1, 50)


def test_a_mistaken_effect_counts_only_after_its_correction() -> None:
    late, early = worked("02-stop-said-it-wrong", "queue"), worked("02-stop-said-it-wrong-at-5500", "queue")
    assert (outcome_of(late).effects, outcome_of(late).late_mistakes) == (1, 1)
    assert (outcome_of(early).effects, outcome_of(early).late_mistakes) == (1, 0)


def test_a_withdrawn_request_is_not_waited_for_and_an_answer_aside_is_no_act() -> None:
    outcome = outcome_of(worked("02-stop-said-it-wrong", "parallel"))
    assert (outcome.requests, outcome.request_ms) == (0, None)
    assert (outcome.first_answer_ms, outcome.acted_ms, outcome.side_calls) == (2000, 6000, 1)


def test_a_job_that_the_plan_itself_cancels_is_not_thrown_away() -> None:
    assert outcome_of(worked("06-three-scripts", "cancel")).tool_thrown_away_ms == 0


def test_a_request_that_is_never_done_is_open_and_enters_no_mean() -> None:
    outcome = outcome_of(worked("01-email-weather", "hard-cancel"))
    assert (outcome.requests, outcome.requests_open, outcome.request_ms) == (1, 1, None)


def test_a_run_in_which_nothing_happened_has_no_means() -> None:
    record = RunRecord(scenario="s", strategy="q", router="r", seed=1, replication=2, trace=Trace(strategy="q"))
    outcome = outcome_of(record)
    assert (outcome.requests, outcome.others, outcome.main_calls) == (0, 0, 0)
    assert outcome.request_ms is outcome.acted_ms is outcome.synchronous_call_share is None
    record.tasks["U1"] = TaskTruth(task_id="U1", asked_ms=0, voided_ms=5)
    assert outcome_of(record).requests == 0
