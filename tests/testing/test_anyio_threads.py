"""Threads that anyio starts, on the virtual clock and beside it."""

import asyncio
import time
from typing import Any

import pytest

from simlab.testing.loop import run
from simlab.testing.threads import thread_sleep

anyio: Any = pytest.importorskip("anyio")
to_thread: Any = pytest.importorskip("anyio.to_thread")
from_thread: Any = pytest.importorskip("anyio.from_thread")


def now() -> float:
    return asyncio.get_running_loop().time()


def test_the_clock_stands_while_a_thread_of_anyio_computes_and_moves_while_it_sleeps() -> None:
    async def main() -> tuple[float, float]:
        await to_thread.run_sync(time.sleep, 0.02)
        stood = now()
        await to_thread.run_sync(thread_sleep, 60.0)
        return stood, now()

    assert run(main()) == (0.0, 60.0)


def test_a_cancelled_scope_waits_for_its_thread() -> None:
    async def main() -> float:
        with anyio.move_on_after(1):
            await to_thread.run_sync(thread_sleep, 5.0)
        return now()

    assert run(main()) == 5.0


def test_a_thread_may_call_back_into_the_loop() -> None:
    async def answer() -> int:
        return 42

    async def main() -> Any:
        return await to_thread.run_sync(from_thread.run, answer)

    assert run(main()) == 42


def test_anyio_on_the_real_clock_is_as_before() -> None:
    async def main() -> Any:
        return await to_thread.run_sync(abs, -3)

    run(main())
    assert asyncio.run(main()) == 3
