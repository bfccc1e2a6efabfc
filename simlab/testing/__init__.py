"""Put your own agent into the storm: real asyncio programs under virtual time, judged by what they leave behind."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simlab.testing.contract import Env, Ev, Plan, Refused, Runtime
    from simlab.testing.errors import DeadlockError
    from simlab.testing.loop import VirtualLoop, run
    from simlab.testing.storm import assert_survives, sweep
    from simlab.testing.threads import thread_sleep

_HOMES = {
    "contract": ("Env", "Ev", "Plan", "Refused", "Runtime"),
    "errors": ("DeadlockError",),
    "loop": ("VirtualLoop", "run"),
    "storm": ("assert_survives", "sweep"),
    "threads": ("thread_sleep",),
}

__all__ = [
    "DeadlockError",
    "Env",
    "Ev",
    "Plan",
    "Refused",
    "Runtime",
    "VirtualLoop",
    "assert_survives",
    "run",
    "sweep",
    "thread_sleep",
]


def __getattr__(name: str) -> object:
    """Load a name when it is first used: the pytest plug-in is imported by every test run of its users."""
    for module, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"simlab.testing.{module}"), name)
    raise AttributeError(f"module 'simlab.testing' has no attribute {name!r}")
