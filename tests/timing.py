"""Processor time of a piece of work, without the cycle collector's looks through all that other tests have left."""

from collections.abc import Callable
from time import process_time

from simlab.experiment.runner import quiet_collector


def cpu_seconds(work: Callable[[], object]) -> float:
    """Do the work once and return the processor time of it, s."""
    with quiet_collector():
        start = process_time()
        work()
        return process_time() - start


def least_cpu_seconds(work: Callable[[], object], times: int = 3) -> float:
    """Do the work some times and return the least processor time, s: what else the machine does only adds."""
    return min(cpu_seconds(work) for _ in range(times))
