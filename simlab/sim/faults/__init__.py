"""Faults of the mocked model: one file each, with its hazard, its parameters and what follows from it."""

from simlab.sim.faults.hazards import PRESETS, Hazards, calibrated, preset

__all__ = ["PRESETS", "Hazards", "calibrated", "preset"]
