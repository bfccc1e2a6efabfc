"""Statements that are true of every trace: small generators, with evidence for a breach."""
