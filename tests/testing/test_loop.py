"""The virtual-time loop: a real asyncio loop whose clock moves only when nothing else can happen."""

import asyncio
import gc
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import pytest

from simlab.testing.errors import DeadlockError, NoSocketsError, StalledWorkerError
from simlab.testing.loop import VirtualLoop, run
from simlab.testing.threads import thread_sleep

DAY_S = 86_400.0


def the_loop() -> VirtualLoop:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, VirtualLoop)
    return loop


def test_a_sleep_of_three_weeks_takes_no_real_time_and_ends_exactly() -> None:
    async def main() -> float:
        await asyncio.sleep(21 * DAY_S)
        await asyncio.sleep(0.001)
        return the_loop().time()

    began = time.monotonic()
    assert run(main()) == 21 * DAY_S + 0.001
    assert time.monotonic() - began < 1


def test_deadlines_that_are_equal_run_in_the_order_in_which_they_were_set() -> None:
    order: list[int] = []

    async def main() -> None:
        loop = the_loop()
        for index in range(50):
            loop.call_at(5.0, order.append, index)
        await asyncio.sleep(6)

    run(main())
    assert order == list(range(50))


def test_a_sum_of_decimals_and_its_total_are_one_instant() -> None:
    async def main() -> tuple[float, float]:
        await asyncio.sleep(0.1)
        await asyncio.sleep(0.2)
        first = the_loop().time()
        await asyncio.sleep(0.3 - first)
        return first, the_loop().time()

    assert run(main()) == (0.3, 0.3)


def test_timeouts_cancellation_queues_and_groups_work_as_ever() -> None:
    async def main() -> list[str]:
        seen = []
        queue: asyncio.Queue[str] = asyncio.Queue()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(2):
                await asyncio.sleep(5)
        seen.append(f"timed out at {the_loop().time():g}")
        async with asyncio.TaskGroup() as group:
            group.create_task(queue.put("from a task"))
            seen.append(await queue.get())
        task = asyncio.create_task(asyncio.sleep(100))
        await asyncio.sleep(1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        seen.append(f"cancelled at {the_loop().time():g}")
        return seen

    assert run(main()) == ["timed out at 2", "from a task", "cancelled at 3"]


def test_when_nothing_can_ever_happen_the_error_names_each_waiting_task_and_its_line() -> None:
    async def inner(gate: asyncio.Event) -> None:
        await gate.wait()

    async def main() -> None:
        gate = asyncio.Event()
        waiter = asyncio.create_task(inner(gate), name="the one who waits")
        await asyncio.sleep(3)
        await waiter

    with pytest.raises(DeadlockError, match=r"after 3 s; .*the one who waits waits in Event\.wait \(locks\.py:\d+\)"):
        run(main())


def test_a_task_that_will_not_be_cancelled_does_not_hide_the_deadlock() -> None:
    async def stubborn() -> None:
        while True:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                continue

    with pytest.raises(DeadlockError, match="nothing can ever happen"):
        run(stubborn())
    gc.collect()


def test_tasks_that_spin_inside_one_instant_are_an_error_and_not_a_hang(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simlab.testing.loop.MAX_HOPS", 500)

    async def main() -> None:
        while True:
            await asyncio.sleep(0)

    with pytest.raises(DeadlockError, match="more than 500 hops at 0 s"):
        run(main())


def test_the_clock_stands_while_a_worker_thread_computes() -> None:
    async def main() -> float:
        alarm = asyncio.create_task(asyncio.sleep(1))
        await asyncio.to_thread(time.sleep, 0.05)
        now = the_loop().time()
        await alarm
        return now

    assert run(main()) == 0.0


def test_the_clock_stands_until_the_worker_ends_and_not_until_its_caller_gives_up() -> None:
    ended: list[float] = []

    async def main() -> float:
        loop = the_loop()
        started = threading.Event()

        def work() -> None:
            started.set()
            time.sleep(0.1)
            ended.append(loop.time())

        task = asyncio.create_task(asyncio.to_thread(work))
        while not started.is_set():
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.sleep(7)
        return loop.time()

    assert run(main()) == 7.0
    assert ended == [0.0]


def test_threads_sleep_in_virtual_time_side_by_side() -> None:
    def work(seconds: float) -> float:
        thread_sleep(seconds)
        thread_sleep(seconds)
        return seconds

    async def main() -> tuple[list[float], float]:
        results = await asyncio.gather(*(asyncio.to_thread(work, seconds) for seconds in (3.0, DAY_S, 1.0)))
        return results, the_loop().time()

    assert run(main()) == ([3.0, DAY_S, 1.0], 2 * DAY_S)


def test_a_virtual_sleep_on_the_thread_of_the_loop_is_refused() -> None:
    async def main() -> None:
        thread_sleep(1)

    with pytest.raises(RuntimeError, match="make the tool async"):
        run(main())


def test_an_executor_with_one_thread_runs_its_work_one_after_the_other() -> None:
    async def main(pool: ThreadPoolExecutor) -> list[float]:
        loop = the_loop()

        def work() -> float:
            thread_sleep(5)
            return loop.time()

        return list(await asyncio.gather(*(loop.run_in_executor(pool, work) for _ in range(3))))

    with ThreadPoolExecutor(1) as pool:
        assert run(main(pool)) == [5.0, 10.0, 15.0]


def test_an_exception_in_a_worker_reaches_its_caller() -> None:
    def work() -> None:
        raise LookupError("not here")

    async def main() -> None:
        await asyncio.to_thread(work)

    with pytest.raises(LookupError, match="not here"):
        run(main())


def test_a_worker_may_ask_the_loop_and_wait_for_the_answer() -> None:
    async def answer() -> int:
        await asyncio.sleep(0)
        return 42

    async def main() -> int:
        loop = the_loop()
        return await asyncio.to_thread(lambda: asyncio.run_coroutine_threadsafe(answer(), loop).result())

    assert run(main()) == 42


def test_a_worker_that_sleeps_in_real_time_for_too_long_is_named() -> None:
    release = threading.Event()

    def oversleeper() -> None:
        release.wait()

    def impatient(loop: VirtualLoop) -> None:
        loop.workers.patience_s = 0.05

    async def main() -> None:
        try:
            await asyncio.to_thread(oversleeper)
        finally:
            release.set()

    with pytest.raises(StalledWorkerError, match="oversleeper"):
        run(main(), prepare=impatient)


def test_a_deadlock_ends_the_threads_that_still_sleep() -> None:
    async def main() -> None:
        task = asyncio.create_task(asyncio.to_thread(thread_sleep, 1e9))
        await asyncio.sleep(1)
        task.cancel()

    before = threading.active_count()
    run(main())
    deadline = time.monotonic() + 5
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threading.active_count() == before


def test_sockets_subprocesses_and_process_pools_are_refused_with_the_way_out() -> None:
    async def connect() -> None:
        await asyncio.open_connection("localhost", 80)

    async def spawn() -> None:
        await asyncio.create_subprocess_exec("true")

    async def fork() -> None:
        with ProcessPoolExecutor(1) as pool:
            await asyncio.get_running_loop().run_in_executor(pool, abs, 1)

    with pytest.raises(NoSocketsError, match=r"create_connection: .* httpx\.ASGITransport"):
        run(connect())
    with pytest.raises(NoSocketsError, match="subprocess_exec"):
        run(spawn())
    with pytest.raises(NoSocketsError, match="use a thread pool"):
        run(fork())


def test_a_placed_callback_runs_at_its_instant_and_hop() -> None:
    seen: list[object] = []

    async def main() -> None:
        loop = the_loop()
        for hop in (2, 0, 1, 9):
            loop.place(4.0, hop, lambda: seen.append(loop.moment))
        loop.place(2.5, 0, lambda: seen.append(loop.moment))
        await asyncio.sleep(4)
        seen.append("woken")
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        seen.append("gone on")
        await asyncio.sleep(1)

    run(main())
    assert seen == [(2.5, 0), (4.0, 0), "woken", (4.0, 1), (4.0, 2), "gone on", (4.0, 4)]


def test_a_callback_placed_on_a_due_timer_comes_before_it_and_behind_what_was_ready() -> None:
    seen: list[str] = []

    async def main() -> None:
        loop = the_loop()
        loop.call_at(1.0, seen.append, "timer")
        loop.place(1.0, 0, seen.append, "from outside")
        await asyncio.sleep(2)
        loop.place(2.0, 2, seen.append, "from outside, later")
        loop.call_soon(seen.append, "ready")
        await asyncio.sleep(1)

    run(main())
    assert seen == ["from outside", "timer", "ready", "from outside, later"]


def _busy_program() -> str:
    lines: list[str] = []

    def in_thread(name: str) -> None:
        thread_sleep(0.75)
        lines.append(f"thread {name}")

    async def worker(name: int, queue: asyncio.Queue[int]) -> None:
        for step in range(4):
            await asyncio.sleep(0.25 * (name % 3 + 1))
            await queue.put(name * 10 + step)
            if step == 2:
                await asyncio.to_thread(in_thread, str(name))

    async def main() -> None:
        loop = the_loop()
        queue: asyncio.Queue[int] = asyncio.Queue(2)
        tasks = [asyncio.create_task(worker(name, queue)) for name in range(8)]
        for _ in range(32):
            lines.append(f"{loop.moment} {await queue.get()}")
        await asyncio.gather(*tasks)
        lines.append(repr(sorted(loop.hops_at.items())))

    run(main())
    return "\n".join(lines)


def test_ten_repeats_of_a_program_with_threads_give_the_same_bytes() -> None:
    assert len({_busy_program() for _ in range(10)}) == 1


def _cancelled_in_the_order_of_a_set(junk: int) -> list[int]:
    seen: list[int] = []

    async def sleeper(name: int) -> None:
        try:
            await asyncio.sleep(100)
        finally:
            seen.append(name)

    async def main() -> None:
        tasks = set()
        for name in range(6):
            clutter = [object() for _ in range(junk * name)]
            tasks.add(asyncio.create_task(sleeper(name)))
            del clutter
        await asyncio.sleep(1)
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)

    run(main())
    return seen


def test_a_set_of_tasks_has_the_same_order_in_every_run() -> None:
    assert len({tuple(_cancelled_in_the_order_of_a_set(junk)) for junk in range(10)}) == 1


def test_an_exception_that_nobody_retrieves_is_kept_on_the_loop() -> None:
    async def fails() -> None:
        raise LookupError("lost")

    async def main() -> list[str]:
        task = asyncio.create_task(fails())
        await asyncio.sleep(1)
        del task
        gc.collect()
        return the_loop().missed

    assert run(main()) == ["Task exception was never retrieved: LookupError('lost')"]
