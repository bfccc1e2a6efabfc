"""Asyncio driver for the same core."""
