"""Planted bugs: strategies and cores that are wrong in one way each, and the invariant that must say so."""
