"""Three routers, the cheap ones first: typed urgent events, then rules where they are sure, then a classifier."""

from simlab.core.events import Event, Verdict
from simlab.core.plugins import Hints, Router, Service
from simlab.routers.classifier import Classifier
from simlab.routers.rules import Rules
from simlab.routers.typed import by_its_type


class Cascade:
    """Urgent types and sure rules decide at once; only what they leave open pays the classifier's time and price."""

    name = "cascade"

    def __init__(self, first: Router | None = None, last: Router | None = None, *, sure: float = 0.5) -> None:
        self._first = first or Rules()
        self._last = last or Classifier()
        self._sure = sure
        self.service: Service = self._last.service

    def route(self, event: Event, hints: Hints) -> Verdict:
        """Return the first verdict that is sure, else the classifier's."""
        return self._at_once(event, hints) or self._last.route(event, hints)

    def latency_ms(self, event: Event, hints: Hints) -> float:
        """No time for what is sure, else the classifier's."""
        return self._last.latency_ms(event, hints) if self._at_once(event, hints) is None else 0.0

    def _at_once(self, event: Event, hints: Hints) -> Verdict | None:
        verdict = by_its_type(event) or self._first.route(event, hints)
        return verdict if verdict.confidence >= self._sure else None
