"""anyio starts its worker threads itself; under a VirtualLoop they must be counted like the others."""

import asyncio
import sys
from collections.abc import Callable
from contextvars import copy_context
from functools import partial
from importlib import import_module
from typing import Any


def count_anyio_threads(loop_type: type[asyncio.AbstractEventLoop]) -> None:
    """Make ``anyio.to_thread`` use the executor of loops of this type. Does nothing without anyio, or a second time.

    Written against ``anyio._backends._asyncio`` of anyio 4.
    """
    if "anyio" not in sys.modules:
        return
    backend: Any = import_module("anyio._backends._asyncio")
    original = backend.AsyncIOBackend.run_sync_in_worker_thread
    if getattr(original, "counts_threads", False):
        return

    async def run_sync_in_worker_thread(
        cls: Any, func: Callable[..., Any], args: tuple[Any, ...], abandon_on_cancel: bool = False, limiter: Any = None
    ) -> Any:
        loop = asyncio.get_running_loop()
        if not isinstance(loop, loop_type):
            return await original(func, args, abandon_on_cancel, limiter)
        await cls.checkpoint()
        async with limiter or cls.current_default_thread_limiter():
            with backend.CancelScope(shield=not abandon_on_cancel):
                context = copy_context()
                context.run(backend.set_current_async_library, None)
                work = partial(_in_thread, backend, loop, func, args)
                return await loop.run_in_executor(None, context.run, work)

    run_sync_in_worker_thread.counts_threads = True  # type: ignore[attr-defined]
    backend.AsyncIOBackend.run_sync_in_worker_thread = classmethod(run_sync_in_worker_thread)


def _in_thread(backend: Any, loop: object, func: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    with backend.claim_worker_thread(backend.AsyncIOBackend, loop):
        return func(*args)
