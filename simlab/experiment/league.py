"""Every policy in every scenario of the library."""

from simlab.experiment.scenario import shipped_scenarios


def library() -> list[str]:
    """Return the names of the scenario library: everything that ships but the worked cases."""
    return [name for name in shipped_scenarios() if not name.startswith("worked/")]
