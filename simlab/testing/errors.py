"""What can go wrong in a simulated asyncio program, apart from the caller's own exceptions."""

from simlab.core.errors import SimlabError


class StormError(SimlabError):
    """A request to the storm that cannot be carried out: an unknown policy, token or adapter."""


class DeadlockError(SimlabError):
    """Nothing can ever happen again: no handle is ready, no timer is set, no worker runs. Names the waiting tasks."""


class StalledWorkerError(SimlabError):
    """A worker thread has kept the virtual clock standing for too long in real time."""


class NoSocketsError(SimlabError):
    """A real socket, pipe or subprocess was asked of a loop that has none."""


class AbandonedWorker(BaseException):
    """Raised inside a worker thread that sleeps in virtual time when its loop closes; nobody's error."""
