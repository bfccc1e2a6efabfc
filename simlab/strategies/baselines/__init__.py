"""Policies that no product ships: bounds and yardsticks, one plug-in a file."""
