"""A progress bar on standard error, when that is a terminal."""

import sys


class Bar:
    """Counts up to a total. Use as a context."""

    def __init__(self, what: str, total: int) -> None:
        self._what = what
        self._total = total

    def __enter__(self) -> "Bar":
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        self._progress = Progress(
            TextColumn(self._what),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=Console(file=sys.stderr),
            disable=not sys.stderr.isatty(),
            transient=True,
        )
        self._progress.start()
        self._task = self._progress.add_task(self._what, total=self._total)
        return self

    def advance(self, count: int) -> None:
        """Count further."""
        self._progress.advance(self._task, count)

    def __exit__(self, *_error: object) -> None:
        self._progress.stop()
