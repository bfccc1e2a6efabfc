"""Metrics, statistics, charts and reports."""
