"""Pools of worker processes: spawned, so that no state leaks in, and never outliving the process that made them."""

import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context, parent_process


def spawned_pool(jobs: int, take: Callable[..., object] | None = None, *given: object) -> ProcessPoolExecutor:
    """Return a pool of ``jobs`` processes; each calls ``take(*given)`` once, when it starts."""
    return ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=_begin, initargs=(take, given))


def _begin(take: Callable[..., object] | None, given: tuple[object, ...]) -> None:
    if take is not None:
        take(*given)
    _end_with_the_parent()


def _end_with_the_parent() -> None:
    """End this process when its parent is gone, however it went: a pool's workers would wait for ever."""
    from multiprocessing.connection import wait
    from threading import Thread

    parent = parent_process()
    if parent is None:
        return

    def watch() -> None:
        wait([parent.sentinel])
        os._exit(1)

    Thread(target=watch, daemon=True).start()
