"""Worker threads in virtual time.

The clock must stand while a worker thread computes, and it must do so until the *worker* ends: cancelling the task that
waits for a thread does not stop the thread. Workers of one loop run one at a time, in the order in which the loop let
them start, and only between two iterations of the loop, so that a program with threads gives the same trace every time.
A worker that sleeps in virtual time (:func:`thread_sleep`) steps back and lets the clock move.
"""

import asyncio
import threading
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from simlab.testing.errors import AbandonedWorker, NoSocketsError, StalledWorkerError

PATIENCE_S = 10.0  # real seconds for which one worker may keep the clock standing
GRACE_S = 0.05  # real seconds for a worker that posted to the loop and may now wait for an answer

_here = threading.local()


@dataclass(eq=False, slots=True)
class Job:
    """One function in one worker thread. ``slot`` is the executor whose capacity it uses."""

    name: str
    work: Callable[[], Any]
    future: "asyncio.Future[Any] | Future[Any]"
    workers: "Workers"
    slot: int
    abandoned: bool = False


def current_job() -> Job | None:
    """Return the job of this worker thread; None on any other thread."""
    return getattr(_here, "job", None)


def thread_sleep(seconds: float) -> None:
    """Sleep in virtual time inside a worker thread. Raises RuntimeError on the thread of the loop itself."""
    job = current_job()
    if job is None:
        raise RuntimeError(
            "a virtual sleep needs a worker thread of a VirtualLoop: on the loop's own thread the clock could "
            "never move; make the tool async, or run it with asyncio.to_thread"
        )
    job.workers.sleep(job, seconds)


class Workers:
    """The worker threads of one loop: how many hold the clock, and whose turn it is."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._changed = threading.Condition()
        self._due: deque[Job] = deque()  # the first one runs, the others wait for it
        self._living: set[Job] = set()
        self._held: defaultdict[int, deque[Job]] = defaultdict(deque)  # submitted while its executor is full
        self._taken: defaultdict[int, int] = defaultdict(int)
        self._blocked: list[tuple[Job, Callable[[], bool]]] = []  # workers that wait for other workers
        self._posts = 0
        self._posts_seen = 0
        self._open = False  # the loop stands: a worker may start or go on
        self._asks = False  # the running worker posted and did not end: it may wait for the loop
        self._all_ended: list[asyncio.Future[None]] = []
        self.patience_s = PATIENCE_S

    def submit(self, executor: Executor, work: Callable[[], Any]) -> asyncio.Future[Any]:
        """Run ``work`` in a thread of the executor; the future ends when the worker has reported."""
        if isinstance(executor, ProcessPoolExecutor):
            raise NoSocketsError("run_in_executor: a process pool cannot run under virtual time; use a thread pool")
        future = self._loop.create_future()
        job = Job(name=_name_of(work), work=work, future=future, workers=self, slot=id(executor))
        with self._changed:
            self._living.add(job)
            if self._taken[job.slot] < getattr(executor, "_max_workers", 1_000_000):
                self._taken[job.slot] += 1
                self._due.append(job)
            else:
                self._held[job.slot].append(job)
        executor.submit(self._run, job)
        return future

    def sleep(self, job: Job, seconds: float) -> None:
        """Give the clock free, and go on when ``seconds`` of virtual time have passed. Called in the worker."""
        with self._changed:  # in one piece: the loop must not see the alarm set and the worker still running
            self._loop.call_soon_threadsafe(self._loop.call_later, seconds, self._wake, job)
            self._due.popleft()
            self._changed.notify_all()
        self._wait_for_turn(job)

    def spawn(self, work: Callable[[], Any]) -> "Future[Any]":
        """Run ``work`` in one more thread, on behalf of a worker that can wait for it."""
        future: Future[Any] = _VirtualFuture()
        job = Job(name=_name_of(work), work=work, future=future, workers=self, slot=id(future))
        with self._changed:
            self._living.add(job)
            self._taken[job.slot] += 1
            self._due.append(job)
        threading.Thread(target=self._run, args=(job,), daemon=True).start()
        return future

    def wait(self, job: Job, ready: Callable[[], bool]) -> None:
        """Let others run until ``ready``, which the end of another worker brings about. Called in the worker."""
        with self._changed:
            if ready():
                return
            self._due.popleft()
            self._blocked.append((job, ready))
            self._changed.notify_all()
        self._wait_for_turn(job)

    def posted(self) -> None:
        """Note that some thread handed the loop a callback."""
        with self._changed:
            self._posts += 1
            self._changed.notify_all()

    def stand(self, *, ready: bool) -> None:
        """Block the loop, in real time, while a worker holds the clock.

        A worker that posted to the loop may be waiting for the answer: after a short grace the loop then goes on with
        what is ``ready``, but the clock does not move before the worker has ended.
        """
        with self._changed:
            if not self._due:
                self._asks = False
                return
            self._open = True
            self._changed.notify_all()
            if not (ready and self._asks):
                self._wait_for_worker()
            self._changed.wait_for(lambda: not self._due, timeout=GRACE_S)
            self._open = False
            self._asks = bool(self._due)
            self._posts_seen = self._posts

    def _wait_for_worker(self) -> None:
        if not self._changed.wait_for(self._may_go_on, timeout=self.patience_s):
            raise StalledWorkerError(
                f"worker thread {self._due[0].name!r} kept the virtual clock standing for {self.patience_s:g} real "
                "seconds: it sleeps in real time (use simlab.testing.thread_sleep) or waits for another thread"
            )

    def _may_go_on(self) -> bool:
        return not self._due or self._posts > self._posts_seen

    def busy(self) -> bool:
        """Say whether a worker holds the clock."""
        return bool(self._due)

    async def join(self) -> None:
        """Wait, in virtual time, until no worker is left, asleep ones included."""
        if self._living:
            waiter = self._loop.create_future()
            self._all_ended.append(waiter)
            await waiter

    def abandon(self) -> None:
        """End every worker that waits or sleeps; their loop is gone."""
        with self._changed:
            for job in self._living:
                job.abandoned = True
            self._changed.notify_all()

    def _wake(self, job: Job) -> None:
        with self._changed:
            self._due.append(job)
            self._changed.notify_all()

    def _wait_for_turn(self, job: Job) -> None:
        with self._changed:
            self._changed.wait_for(lambda: job.abandoned or (self._open and bool(self._due) and self._due[0] is job))
            if job.abandoned:
                raise AbandonedWorker

    def _run(self, job: Job) -> None:
        _here.job = job
        report: Callable[[], None]
        try:
            self._wait_for_turn(job)
            report = partial(self._report, job, job.work(), None)
        except BaseException as error:
            report = partial(self._report, job, None, error)
        finally:
            _here.job = None
        with self._changed:
            if isinstance(job.future, Future):
                report()
            else:
                with suppress(RuntimeError):  # the loop was closed while the worker ran
                    self._loop.call_soon_threadsafe(report)
            self._end(job)

    def _report(self, job: Job, result: object, error: BaseException | None) -> None:
        self._living.discard(job)
        _settle(job.future, result, error)
        while self._all_ended and not self._living:
            self._all_ended.pop().set_result(None)

    def _end(self, job: Job) -> None:
        with self._changed:
            self._taken[job.slot] -= 1
            if job in self._due:
                self._due.remove(job)
            if self._held[job.slot]:
                self._taken[job.slot] += 1
                self._due.append(self._held[job.slot].popleft())
            for entry in [entry for entry in self._blocked if entry[1]()]:
                self._blocked.remove(entry)
                self._due.append(entry[0])
            self._changed.notify_all()


def _settle(future: "asyncio.Future[Any] | Future[Any]", result: object, error: BaseException | None) -> None:
    if future.done():
        return
    if isinstance(error, StopIteration):
        error = RuntimeError(f"worker raised {error!r}")
    if error is None:
        future.set_result(result)
    else:
        future.set_exception(error)


def _name_of(work: Callable[..., Any]) -> str:
    inner: Any = work
    while isinstance(inner, partial):
        inner = inner.args[0] if inner.args and callable(inner.args[0]) else inner.func
    return str(getattr(inner, "__qualname__", repr(inner)))


class _VirtualFuture(Future[Any]):
    """A future whose result is waited for in virtual time."""

    def result(self, timeout: float | None = None) -> Any:
        job = current_job()
        if job is not None:
            job.workers.wait(job, self.done)
        return super().result(timeout)


class ThreadPool(Executor):
    """Stands in for ``ThreadPoolExecutor`` where a worker thread of a VirtualLoop starts threads of its own."""

    def __init__(self, max_workers: int | None = None) -> None:
        self._futures: list[Future[Any]] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        """Run a function in one more counted thread."""
        job = _job_here()
        future = job.workers.spawn(partial(fn, *args, **kwargs))
        self._futures.append(future)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Wait for all, in virtual time."""
        job = current_job()
        if wait and job is not None:
            job.workers.wait(job, lambda: all(future.done() for future in self._futures))


def as_completed(futures: "Iterable[Future[Any]]") -> "Iterator[Future[Any]]":
    """Yield the futures of a :class:`ThreadPool` as they end, in virtual time."""
    job, waiting = _job_here(), list(futures)
    while waiting:
        job.workers.wait(job, lambda: any(future.done() for future in waiting))
        done = next(future for future in waiting if future.done())
        waiting.remove(done)
        yield done


def _job_here() -> Job:
    job = current_job()
    if job is None:
        raise RuntimeError("a ThreadPool works in a worker thread of a VirtualLoop only")
    return job
