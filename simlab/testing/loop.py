"""A real asyncio event loop whose clock is virtual.

Under virtual time everything except sleeping takes no time at all, so a moment is a pair: the *instant* (seconds of
virtual time) and the *hop* (the number of the loop's iteration inside that instant). :meth:`VirtualLoop.place` puts a
callback at such a pair, exactly where asyncio would put a callback that comes from outside (behind the handles that are
ready, before the timers that are due), so that every schedule produced here is one that asyncio's own first-in
first-out loop can produce.

The loop has no sockets, no subprocesses and no signals. Connect clients through in-process transports. It uses the
internals of ``asyncio.BaseEventLoop`` that are the same in CPython 3.11 to 3.14: ``_run_once``, ``_ready``,
``_scheduled``, ``_selector`` and ``_clock_resolution``.
"""

import asyncio
import heapq
import math
from collections.abc import Callable, Coroutine
from concurrent.futures import Executor, ThreadPoolExecutor
from contextvars import Context
from functools import partial
from itertools import count
from threading import get_ident
from types import CodeType, FrameType
from typing import Any, NoReturn, TypeVar, TypeVarTuple

from simlab.testing.anyio_threads import count_anyio_threads
from simlab.testing.errors import DeadlockError, NoSocketsError
from simlab.testing.threads import Workers

T = TypeVar("T")
Ts = TypeVarTuple("Ts")
WORKER_THREADS = 64
MAX_HOPS = 100_000  # iterations in one instant, beyond which the program is taken to spin

_NO_SOCKETS = (  # noqa: SIM905 - a table of names reads better as words
    "create_connection create_server create_datagram_endpoint create_unix_connection create_unix_server start_tls "
    "sendfile sock_recv sock_recv_into sock_recvfrom sock_recvfrom_into sock_sendall sock_sendto sock_connect "
    "sock_accept sock_sendfile connect_read_pipe connect_write_pipe subprocess_shell subprocess_exec getaddrinfo "
    "getnameinfo add_reader add_writer connect_accepted_socket"
).split()


class _Timer(asyncio.TimerHandle):
    """A timer that yields to earlier timers of the same deadline: equal deadlines run first-in first-out."""

    __slots__ = ("sequence",)
    sequence: int
    _scheduled: bool

    def __lt__(self, other: asyncio.TimerHandle) -> bool:
        return (self.when(), self.sequence) < (other.when(), getattr(other, "sequence", -1))


class Task(asyncio.Task[T]):
    """A task whose hash is a number of its loop, so that a set of tasks has the same order in every run."""

    def __init__(self, number: int, coro: Coroutine[Any, Any, T], **options: Any) -> None:
        self._number = number
        super().__init__(coro, **options)

    def __hash__(self) -> int:
        return self._number


class Future(asyncio.Future[T]):
    """The same for futures."""

    def __init__(self, number: int, *, loop: asyncio.AbstractEventLoop) -> None:
        self._number = number
        super().__init__(loop=loop)

    def __hash__(self) -> int:
        return self._number


class _Selector:
    """Stands where the loop asks the operating system to wait."""

    def __init__(self, wait: Callable[[], None]) -> None:
        self._wait = wait

    def select(self, _timeout_s: float | None) -> list[Any]:
        self._wait()
        return []

    def close(self) -> None:
        pass


class VirtualLoop(asyncio.BaseEventLoop):
    """An asyncio loop with its own clock, in seconds from 0. Raises DeadlockError when nothing can ever happen."""

    _ready: Any
    _scheduled: list[asyncio.TimerHandle]
    _stopping: bool
    _thread_id: int | None
    _clock_resolution: float
    _default_executor: Executor | None
    _check_closed: Callable[[], None]

    def __init__(self) -> None:
        super().__init__()
        self._now_s = 0.0
        self._clock_resolution = math.ulp(0.0)
        self._sequence = count()
        self._selector = _Selector(self._wait)
        self._placed: list[tuple[float, int, int, asyncio.Handle]] = []
        self._hop = -1
        self.workers = Workers(self)
        self.hops_at: dict[float, int] = {}  # instant -> iterations run in it so far
        self.missed: list[str] = []  # what asyncio would have logged: exceptions that nobody retrieved
        self.set_exception_handler(_note_missed)
        self.set_task_factory(self._make_task)  # type: ignore[arg-type]

    def time(self) -> float:
        """Virtual seconds since the loop was made."""
        return self._now_s

    @property
    def moment(self) -> tuple[float, int]:
        """The current instant in seconds, and the number of the iteration in it."""
        return self._now_s, self._hop

    def place(self, instant_s: float, hop: int, callback: Callable[..., object], *args: object) -> None:
        """Call back at this instant and hop; where the loop goes idle before the hop, as the last thing of the instant.

        An instant that has passed already means now.
        """
        handle = asyncio.Handle(callback, args, self)
        heapq.heappush(self._placed, (max(instant_s, self._now_s), hop, next(self._sequence), handle))

    def call_at(
        self, when: float, callback: Callable[[*Ts], object], *args: *Ts, context: Context | None = None
    ) -> asyncio.TimerHandle:
        """Set a timer. Deadlines are rounded to the nanosecond, so that 0.1 + 0.2 and 0.3 are the same instant."""
        self._check_closed()
        timer = _Timer(max(round(when, 9), self._now_s), callback, args, self, context)
        timer.sequence = next(self._sequence)
        heapq.heappush(self._scheduled, timer)
        timer._scheduled = True
        return timer

    def create_future(self) -> asyncio.Future[Any]:
        """Make a future that hashes by its number."""
        return Future(next(self._sequence), loop=self)

    def _make_task(
        self, loop: asyncio.AbstractEventLoop, coro: Coroutine[Any, Any, T], **options: Any
    ) -> asyncio.Task[T]:
        return Task(next(self._sequence), coro, loop=loop, **options)

    def run_in_executor(  # type: ignore[override]
        self, executor: Executor | None, func: Callable[..., T], *args: Any
    ) -> asyncio.Future[T]:
        """Run a function in a worker thread; the clock stands until the worker ends or sleeps in virtual time."""
        self._check_closed()
        if executor is None:
            if self._default_executor is None:
                self._default_executor = ThreadPoolExecutor(WORKER_THREADS, thread_name_prefix="simlab")
            executor = self._default_executor
        return self.workers.submit(executor, partial(func, *args))

    async def shutdown_default_executor(self, timeout: float | None = None) -> None:
        """Wait in virtual time for the workers, then end the pool."""
        await self.workers.join()
        if self._default_executor is not None:
            self._default_executor.shutdown(wait=True)

    def close(self) -> None:
        """Close the loop and end the worker threads that still sleep."""
        self.workers.abandon()
        super().close()

    def _wait(self) -> None:
        """Decide what this iteration is: one more hop, or the first of the next instant."""
        self.workers.stand(ready=bool(self._ready))
        idle = not (self._ready or self._stopping)
        if idle and self._placed and self._placed[0][0] <= self._now_s:
            self._hop += 1
            self._release(self._placed[0][1])
        elif idle and not self.workers.busy():
            self._move_clock()
        else:
            self._hop += 1
            self._release(self._hop)
        self.hops_at[self._now_s] = self._hop + 1
        if self._hop > MAX_HOPS:
            raise DeadlockError(f"more than {MAX_HOPS} hops at {self._now_s:g} s: tasks spin; {waiting_tasks(self)}")

    def _move_clock(self) -> None:
        timers = [self._scheduled[0].when()] if self._scheduled else []
        places = [self._placed[0][0]] if self._placed else []
        if not timers and not places:
            raise DeadlockError(f"nothing can ever happen after {self._now_s:g} s; {waiting_tasks(self)}")
        self._now_s = min(timers + places)
        self._clock_resolution = math.ulp(self._now_s)
        self._hop = 0
        self._release(0)

    def _release(self, hop: int) -> None:
        while self._placed and self._placed[0][0] <= self._now_s and self._placed[0][1] <= hop:
            self._ready.append(heapq.heappop(self._placed)[3])

    def _process_events(self, event_list: list[Any]) -> None:
        pass

    def _write_to_self(self) -> None:
        if get_ident() != self._thread_id:
            self.workers.posted()


def _no_sockets(name: str) -> Callable[..., NoReturn]:
    def refuse(self: VirtualLoop, *args: object, **kwargs: object) -> NoReturn:
        raise NoSocketsError(
            f"{name}: a VirtualLoop has no sockets, pipes or subprocesses; "
            "connect through an in-process transport (a fake model, httpx.ASGITransport, httpx.MockTransport)"
        )

    return refuse


for _name in _NO_SOCKETS:
    setattr(VirtualLoop, _name, _no_sockets(_name))


def _note_missed(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    assert isinstance(loop, VirtualLoop)
    error = context.get("exception")
    loop.missed.append(f"{context['message']}: {error!r}" if error else context["message"])


def waiting_tasks(loop: asyncio.AbstractEventLoop) -> str:
    """Name the tasks that wait, each with the innermost line at which it does."""
    asking = asyncio.current_task() if asyncio._get_running_loop() is loop else None
    tasks = [task for task in asyncio.all_tasks(loop) if task is not asking]
    lines = sorted(f"{_name_of(task)} waits in {_where(task.get_coro())}" for task in tasks)
    return "; ".join(lines) if lines else "no task waits"


def _name_of(task: "asyncio.Task[Any]") -> str:
    """Name a task; asyncio's own Task-17 depends on what the process did before, so the coroutine stands for it."""
    name = task.get_name()
    return getattr(task.get_coro(), "__qualname__", name) if name.startswith("Task-") else name


def _where(awaitable: Any) -> str:
    frame: FrameType | None = None
    while awaitable is not None:
        frame = _first(awaitable, "cr_frame", "gi_frame", "ag_frame") or frame
        awaitable = _first(awaitable, "cr_await", "gi_yieldfrom", "ag_await")
    if frame is None:
        return "a finished coroutine"
    code: CodeType = frame.f_code
    return f"{code.co_qualname} ({code.co_filename.rsplit('/', 1)[-1]}:{frame.f_lineno})"


def _first(thing: Any, *names: str) -> Any:
    for name in names:
        value = getattr(thing, name, None)
        if value is not None:
            return value
    return None


def run(
    main: Coroutine[Any, Any, T],
    *,
    prepare: Callable[[VirtualLoop], None] = lambda _loop: None,
    on_failure: Callable[[], None] = lambda: None,
) -> T:
    """Run a coroutine on a fresh virtual loop, as ``asyncio.run`` does.

    ``prepare`` sees the loop before it starts; ``on_failure`` is called before the tasks of a failed run are cancelled.
    """
    count_anyio_threads(VirtualLoop)
    runner = asyncio.Runner(loop_factory=VirtualLoop)
    try:
        loop = runner.get_loop()
        assert isinstance(loop, VirtualLoop)
        prepare(loop)
        result = runner.run(main)
    except BaseException:
        on_failure()
        _close_quietly(runner)
        raise
    runner.close()
    return result


def _close_quietly(runner: asyncio.Runner) -> None:
    """Close after a failure: a task that will not be cancelled must not hide the first error."""
    try:
        runner.close()
    except Exception:
        return
