"""simlab: a wind tunnel for interruptible LLM agents."""

__version__ = "0.1.0"
