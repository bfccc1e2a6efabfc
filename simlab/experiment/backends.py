"""Where chunks are made: in this process, in several on this machine, or on a Dask cluster. The same bytes from each.

A back end takes keys and gives parts, in any order. Nothing here knows what is to be done next (``sweeping`` does), and
nothing here schedules: the standard library and Dask do.
"""

from collections import deque
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from simlab.core.errors import SimlabError
from simlab.experiment.parts import Part, make_part
from simlab.experiment.pools import spawned_pool
from simlab.experiment.sweep import Key, Sweep, work_on

if TYPE_CHECKING:
    from concurrent.futures.process import BrokenProcessPool

NAMES = ("serial", "processes", "dask")


class Backend(Protocol):
    """Makes chunks. At most ``slots`` keys are handed in before a part is taken out."""

    slots: int

    def submit(self, key: Key) -> None:
        """Begin to make a chunk."""

    def take(self) -> Part:
        """Wait for one of the chunks and return it. Raises what went wrong."""


# --- in this process --------------------------------------------------------------------------------------------------


class Serial:
    """Makes one chunk after the other, when it is asked for it."""

    slots = 1

    def __init__(self, sweep: Sweep) -> None:
        self._sweep = sweep
        self._digest = work_on(sweep)
        self._keys: deque[Key] = deque()

    def submit(self, key: Key) -> None:
        """Note what to make."""
        self._keys.append(key)

    def take(self) -> Part:
        """Make it."""
        return make_part(self._sweep, self._digest, self._keys.popleft())


# --- in several processes ---------------------------------------------------------------------------------------------

_sweep: Sweep | None = None


def _take_sweep(sweep: Sweep) -> None:
    global _sweep  # noqa: PLW0603 - a worker process holds one sweep, given to it when it starts
    _sweep = sweep
    work_on(sweep)


def _make(key: Key) -> Part:
    assert _sweep is not None
    return make_part(_sweep, _sweep.digest, key)


class Processes:
    """A pool of processes, spawned so that no state leaks in. One chunk waits for each that is being made."""

    def __init__(self, sweep: Sweep, jobs: int) -> None:
        self.slots = 2 * jobs
        self._pool = spawned_pool(jobs, _take_sweep, sweep)
        self._flying: set[Future[Part]] = set()

    def submit(self, key: Key) -> None:
        """Hand a key to the pool."""
        self._flying.add(self._pool.submit(_make, key))

    def take(self) -> Part:
        """Wait for the next chunk. Raises SimlabError if a worker process was killed."""
        from concurrent.futures.process import BrokenProcessPool

        done, _ = wait(self._flying, return_when=FIRST_COMPLETED)
        first = done.pop()
        self._flying.discard(first)
        try:
            return first.result()
        except BrokenProcessPool as error:
            raise _worker_is_gone(error) from None

    def close(self) -> None:
        """Drop what has not been begun, and let the workers go."""
        self._pool.shutdown(cancel_futures=True)


def _worker_is_gone(error: "BrokenProcessPool") -> SimlabError:
    return SimlabError(f"a worker process was killed ({error}); the same command goes on from what is complete")


# --- on a cluster -----------------------------------------------------------------------------------------------------


def _make_on_cluster(sweep: Sweep, key: tuple[int, int]) -> Part:
    return make_part(sweep, work_on(sweep), Key(*key))


class Dask:
    """A Dask cluster: at an address, or one of local processes. Results come back here and are written here."""

    def __init__(self, sweep: Sweep, client: Any) -> None:
        self._client = client
        self._sweep = client.scatter(sweep, broadcast=True, hash=False)
        self._done: deque[Any] = deque()
        self._flying: set[Any] = set()
        self.slots = 2 * max(1, sum(client.nthreads().values()))

    def submit(self, key: Key) -> None:
        """Hand a key to the cluster."""
        self._flying.add(self._client.submit(_make_on_cluster, self._sweep, tuple(key), pure=False))

    def take(self) -> Part:
        """Wait for the next chunk. Raises what went wrong there."""
        import distributed

        wait_for: Any = distributed.wait
        done = wait_for(list(self._flying), return_when="FIRST_COMPLETED").done
        first = next(iter(done))
        self._flying.discard(first)
        part: Part = first.result()
        return part


@contextmanager
def _dask(sweep: Sweep, jobs: int, scheduler: str | None) -> Iterator[Dask]:
    try:
        from distributed import Client
    except ImportError:
        raise SimlabError("--backend dask: Dask is not installed; pip install 'simlab[dask]'") from None
    client = _connect(Client, jobs, scheduler)
    try:
        yield Dask(sweep, client)
    finally:
        client.close()


def _connect(make: Any, jobs: int, scheduler: str | None) -> Any:
    if scheduler is None:
        return make(n_workers=jobs, threads_per_worker=1, dashboard_address=None)
    try:
        return make(scheduler, timeout="10s")
    except (OSError, ValueError) as error:
        raise SimlabError(f"--scheduler {scheduler}: no Dask scheduler answers there ({error})") from None


# --- by name ----------------------------------------------------------------------------------------------------------


@contextmanager
def open_backend(name: str, sweep: Sweep, *, jobs: int, scheduler: str | None = None) -> Iterator[Backend]:
    """Open a back end by name (one of ``NAMES``) with ``jobs`` processes. Raises SimlabError."""
    if name not in NAMES:
        raise SimlabError(f"--backend {name!r}: known: {', '.join(NAMES)}")
    if scheduler is not None and name != "dask":
        raise SimlabError("--scheduler: only --backend dask has one")
    if name == "dask":
        with _dask(sweep, jobs, scheduler) as cluster:
            yield cluster
    elif name == "processes" and jobs > 1:
        pool = Processes(sweep, jobs)
        try:
            yield pool
        finally:
            pool.close()
    else:
        yield Serial(sweep)
