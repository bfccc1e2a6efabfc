"""Asyncio driver for the same core: a strategy that won in simulation, in a real program."""

from simlab.runtime.driver import AgentRuntime
from simlab.runtime.parts import Parts, Stream, Tool, ToolHandle, by_type

__all__ = ["AgentRuntime", "Parts", "Stream", "Tool", "ToolHandle", "by_type"]
