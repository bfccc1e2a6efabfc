"""simlab: a wind tunnel for interruptible LLM agents."""

from typing import TYPE_CHECKING, Any

from simlab.core.version import VERSION

if TYPE_CHECKING:
    from simlab.experiment.results import load

__all__ = ["load"]
__version__ = VERSION


def __getattr__(name: str) -> Any:
    """Import what is asked for, and not before (PEP 562)."""
    if name == "load":
        from simlab.experiment.results import load

        return load
    raise AttributeError(f"module 'simlab' has no attribute {name!r}")
