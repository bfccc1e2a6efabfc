"""pytest plug-in: the fixture ``storm``, whose ``assert_survives`` shows its progress and a summary at the end."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from simlab.testing.contract import MakeRuntime, Policy
    from simlab.testing.fakes import Workload
    from simlab.testing.storm import Events, Report

_LINES = pytest.StashKey[list[str]]()


@dataclass(frozen=True, slots=True)
class Storm:
    """What the fixture gives to a test."""

    lines: list[str]
    progress: Callable[[str], None]

    def assert_survives(
        self,
        make: "MakeRuntime",
        events: "Events" = "one anywhere",
        *,
        policies: "Sequence[Policy] | None" = None,
        workload: "Workload | None" = None,
        limit: int | None = None,
    ) -> "list[Report]":
        """Fail the test, with the smallest failing schedules, unless the runtime survives under every policy."""
        from simlab.testing import storm
        from simlab.testing.contract import POLICIES

        name = storm.target_of(make)

        def note(line: str) -> None:
            self.lines.append(f"{name} {line}")
            self.progress(f"{name} {line}")

        return storm.assert_survives(
            make, events, policies=policies or POLICIES, workload=workload, limit=limit, progress=note
        )


@pytest.fixture
def storm(request: pytest.FixtureRequest) -> Storm:
    """Sweep a runtime of yours: ``storm.assert_survives(MyRuntime, events="one anywhere")``."""
    reporter = request.config.pluginmanager.get_plugin("terminalreporter")
    verbose = request.config.get_verbosity() > 0

    def progress(line: str) -> None:
        if verbose and reporter is not None:
            reporter.ensure_newline()
            reporter.write_line(f"  {line}")

    return Storm(request.config.stash.setdefault(_LINES, []), progress)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Show a line for every policy that was swept."""
    lines = config.stash.get(_LINES, [])
    if lines:
        terminalreporter.section("simlab storm")
        for line in lines:
            terminalreporter.write_line(line)
