"""The fake model and the tool with its ledger."""

import asyncio

import pytest

from simlab.testing.contract import ASIDE, EXTRA, TASK, Message, assistant_message
from simlab.testing.fakes import Workload, World, decide, pieces_of
from simlab.testing.loop import run

USER: Message = {"role": "user", "content": TASK}


def test_the_model_starts_the_first_round_that_the_transcript_lacks() -> None:
    first = decide(Workload(), [USER], 0)
    assert [call.label for call in first.calls] == ["a1", "a2"]
    assert [call.label for call in decide(Workload(), [USER, first.message], 1).calls] == ["b1"]


def test_the_model_asks_again_only_for_what_was_lost() -> None:
    kept = assistant_message("", [("call_0_a2", "work", {"label": "a2", "duration_ms": 1})])
    assert [call.label for call in decide(Workload(), [USER, kept], 1).calls] == ["a1"]


def test_the_model_ends_in_words_when_all_is_there_or_a_question_on_the_side_is_asked() -> None:
    aside: Message = {"role": "user", "content": f"{ASIDE}-0] and?"}
    assert decide(Workload(), [USER, aside], 3).calls == ()
    all_called = [(f"call_0_{label}", "work", {"label": label}) for label in ("a1", "a2", "b1")]
    assert decide(Workload(), [USER, assistant_message("", all_called)], 3).calls == ()


def test_a_request_is_recorded_as_it_was_even_if_the_loop_edits_its_messages_later() -> None:
    async def main() -> World:
        world = World(Workload())
        messages = [dict(USER)]
        await world.model(messages)
        messages[0]["content"] = EXTRA
        return world

    assert run(main()).requests[0].messages == [USER]


def test_an_effect_commits_in_the_middle_and_a_result_is_no_guess() -> None:
    async def main() -> World:
        world = World(Workload(), now_s=asyncio.get_running_loop().time)
        first, second = await world.tool("a1", 2000), await world.tool("a1", 2000)
        assert first != second
        return world

    world = run(main())
    moments = [
        [world.times_s[tick] for tick in (run.began, run.effect or -1, run.finished or -1)] for run in world.ledger
    ]
    assert moments == [[0.0, 1.0, 2.0], [2.0, 3.0, 4.0]]


@pytest.mark.parametrize(("after_s", "took_effect"), [(0.5, False), (1.5, True)])
def test_a_cancelled_tool_keeps_the_effect_that_it_had(after_s: float, took_effect: bool) -> None:
    async def main() -> World:
        world = World(Workload())
        task = asyncio.create_task(world.tool("a1", 2000))
        await asyncio.sleep(after_s)
        task.cancel()
        await asyncio.wait([task])
        return world

    (done,) = run(main()).ledger
    assert (done.effect is not None, done.finished, done.cancelled is not None) == (took_effect, None, True)


def test_a_tool_in_a_thread_goes_on_when_its_caller_is_cancelled() -> None:
    async def main() -> World:
        world = World(Workload())
        task = asyncio.create_task(asyncio.to_thread(world.tool_sync, "a1", 2000))
        await asyncio.sleep(0.5)
        task.cancel()
        await asyncio.sleep(5)
        return world

    (done,) = run(main()).ledger
    assert (done.effect is not None, done.finished is not None, done.cancelled) == (True, True, None)


def test_an_answer_that_is_cut_off_is_not_a_finished_one() -> None:
    async def main() -> World:
        world = World(Workload())
        task = asyncio.create_task(world.model([USER]))
        await asyncio.sleep(0.75)
        task.cancel()
        await asyncio.wait([task])
        await world.model([USER])
        return world

    assert run(main()).finished_plans == {1}


def test_the_pieces_of_a_text_make_the_text() -> None:
    assert pieces_of("abcdefg", 3) == ["ab", "cd", "efg"]
