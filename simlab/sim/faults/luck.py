"""Luck: each opportunity for a fault is drawn once, by its name, and written down."""

from collections.abc import Callable

from simlab.core.record import Exposure, FaultKind
from simlab.sim.streams import Draws

IN_SPEECH = frozenset({FaultKind.FABRICATE, FaultKind.REPEAT, FaultKind.FALSE_SUCCESS})
"""Faults that lie in a message itself. The others lie in what the model understood before it spoke."""


class Luck:
    """Meets opportunities. The first meeting decides: its hazard is kept, and so is its outcome.

    The number is named for the opportunity alone, so strategies that meet the same one share it, and a change of one
    hazard moves no other. ``misread`` and ``neglected`` are the events that the model did not take as they were meant.
    """

    __slots__ = ("_draws", "_exposures", "_fresh", "_met", "_now_ms", "misread", "neglected")

    def __init__(self, draws: Draws, exposures: list[Exposure], now_ms: Callable[[], int]) -> None:
        self._draws = draws
        self._exposures = exposures
        self._now_ms = now_ms
        self._met: dict[tuple[FaultKind, tuple[str, ...]], Exposure] = {}
        self._fresh: list[Exposure] = []
        self.misread: set[str] = set()
        self.neglected: set[str] = set()

    def draw(self, *name: str) -> float:
        """Return the number of a name."""
        return self._draws.uniform(*name)

    def meet(self, kind: FaultKind, subject: tuple[str, ...], hazard: float, task_id: str | None) -> Exposure:
        """Return the one exposure of an opportunity; a known one keeps the hazard of its first meeting."""
        known = self._met.get((kind, subject))
        if known is not None:
            return known
        sampled = self._draws.uniform(kind.value, *subject) < hazard
        exposure = Exposure(
            kind=kind, subject=subject, task_id=task_id, at_ms=self._now_ms(), hazard=hazard, sampled=sampled
        )
        self._met[kind, subject] = exposure
        self._exposures.append(exposure)
        if sampled and kind not in IN_SPEECH:
            self._fresh.append(exposure)
        return exposure

    def kept(self, played: list[Exposure]) -> None:
        """A message was recorded: what it plays out, and what the model had understood before it, has happened."""
        for exposure in (*played, *self._fresh):
            if exposure.acted_ms is None:
                exposure.acted_ms = self._now_ms()
        self._fresh.clear()
