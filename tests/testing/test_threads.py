"""Worker threads in virtual time: one at a time, between two iterations, and those that start threads of their own."""

import asyncio
import time

import pytest

from simlab.testing.loop import VirtualLoop, run
from simlab.testing.threads import ThreadPool, as_completed, thread_sleep


def now() -> float:
    return asyncio.get_running_loop().time()


def test_a_worker_runs_between_two_iterations_of_the_loop_and_never_beside_one() -> None:
    async def main() -> list[str]:
        seen: list[str] = []
        work = asyncio.get_running_loop().run_in_executor(None, seen.append, "worker")
        time.sleep(0.05)  # real time, in which a thread beside the loop would have run
        seen.append("loop")
        await work
        return seen

    assert run(main()) == ["loop", "worker"]


def test_workers_take_their_turns_in_the_order_in_which_they_were_started() -> None:
    async def main() -> list[int]:
        seen: list[int] = []

        def work(name: int) -> None:
            thread_sleep(1)
            time.sleep(0.01 if name % 2 else 0)
            seen.append(name)

        await asyncio.gather(*(asyncio.to_thread(work, name) for name in range(6)))
        return seen

    assert run(main()) == list(range(6))


def test_a_worker_may_start_threads_and_wait_for_them_in_virtual_time() -> None:
    async def main() -> tuple[list[str], float]:
        def child(name: str, seconds: float) -> str:
            thread_sleep(seconds)
            return name

        def parent() -> list[str]:
            with ThreadPool() as pool:
                futures = [pool.submit(child, name, seconds) for name, seconds in (("slow", 5.0), ("quick", 2.0))]
                return [future.result() for future in as_completed(futures)]

        return await asyncio.to_thread(parent), now()

    assert run(main()) == (["quick", "slow"], 5.0)


def test_leaving_a_pool_waits_for_its_threads() -> None:
    async def main() -> float:
        def parent() -> None:
            with ThreadPool() as pool:
                pool.submit(thread_sleep, 30.0)

        await asyncio.to_thread(parent)
        return now()

    assert run(main()) == 30.0


def test_an_exception_in_a_thread_of_a_thread_stays_in_its_future() -> None:
    async def main() -> None:
        def child() -> None:
            raise LookupError("deep")

        def parent() -> None:
            with ThreadPool() as pool:
                pool.submit(child).result()

        await asyncio.to_thread(parent)

    with pytest.raises(LookupError, match="deep"):
        run(main())


def test_a_pool_outside_of_a_worker_says_where_it_works() -> None:
    with pytest.raises(RuntimeError, match="worker thread of a VirtualLoop"):
        ThreadPool().submit(abs, 1)


def test_leaving_the_loop_waits_for_workers_whose_callers_gave_up() -> None:
    ended: list[float] = []
    loops: list[VirtualLoop] = []

    async def main() -> None:
        def work() -> None:
            thread_sleep(1000)
            ended.append(loops[0].time())

        task = asyncio.create_task(asyncio.to_thread(work))
        await asyncio.sleep(1)
        task.cancel()

    run(main(), prepare=loops.append)
    assert ended == [1000.0]
