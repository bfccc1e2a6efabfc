"""Profiles of Hypothesis: ``quick`` for every change, ``nightly`` for long searches. Needs Hypothesis."""

import os

from hypothesis import HealthCheck, settings

VARIABLE = "SIMLAB_PROFILE"


def load_profile(name: str | None = None) -> None:
    """Register both profiles and load one: the named one, that of the environment variable, or ``quick``.

    ``quick`` is the same search every time; ``nightly`` is a new one each time, with its seed printed on failure.
    """
    settings.register_profile("quick", max_examples=60, deadline=None, derandomize=True, database=None)
    settings.register_profile(
        "nightly",
        max_examples=5_000,
        deadline=None,
        derandomize=False,
        print_blob=True,
        suppress_health_check=list(HealthCheck),
    )
    settings.load_profile(name or os.environ.get(VARIABLE, "quick"))
