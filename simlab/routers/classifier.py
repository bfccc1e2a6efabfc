"""A small model as the router: a latency, a price, a capacity, and a confusion matrix."""

from collections.abc import Mapping
from math import exp
from statistics import NormalDist

from simlab.core.errors import SimlabError
from simlab.core.events import Event, EventType, Handling, Verdict
from simlab.core.plugins import Hints, Service
from simlab.routers.typed import REPORT

Confusion = Mapping[Handling, Mapping[Handling, float]]

_C, _Q, _P = Handling.CANCEL, Handling.QUEUE, Handling.PARALLEL

# Urgent recall 0.88 and false alarms 0.10 on queued events (no published rate: anchored on voice agents and vendor
# figures); the rest keeps the overall accuracy near 0.85 (semantic-node-router benchmark, 56 cases).
DEFAULT_CONFUSION: Confusion = {
    _C: {_C: 0.88, _Q: 0.09, _P: 0.03},
    _Q: {_C: 0.10, _Q: 0.84, _P: 0.06},
    _P: {_C: 0.04, _Q: 0.13, _P: 0.83},
}
_STANDARD = NormalDist()


class Classifier:
    """Verdicts drawn from a confusion matrix; latency lognormal with rare stalls.

    ``median_ms`` and ``sigma`` are of the lognormal; a share ``stall_share`` of verdicts takes ``stall_factor`` times
    as long. Defaults: median 600 ms, sigma 0.45, 1 % stalls (semantic-node-router, modelstats, llmprobe);
    0.0002 US dollars a verdict (assumption: 200 tokens in and 5 out at small-model prices). Raises SimlabError when a
    row of the matrix is not a distribution.
    """

    def __init__(
        self,
        *,
        name: str = "classifier",
        median_ms: float = 600.0,
        sigma: float = 0.45,
        stall_share: float = 0.01,
        stall_factor: float = 6.0,
        confusion: Confusion = DEFAULT_CONFUSION,
        service: Service | None = None,
    ) -> None:
        for true, row in confusion.items():
            if abs(sum(row.values()) - 1) > 1e-9 or min(row.values()) < 0:
                raise SimlabError(f"router {name!r}: confusion.{true}: shares must be from 0 up and add up to 1")
        self.name = name
        self.service = service or Service(workers=4, usd_per_event=0.0002, timeout_ms=5_000)
        self._median_ms = median_ms
        self._sigma = sigma
        self._stall_share = stall_share
        self._stall_factor = stall_factor
        self._confusion = confusion

    def route(self, event: Event, hints: Hints) -> Verdict:
        """Draw a verdict from the row of the true handling; the reports of tools are known by their type."""
        if event.type is EventType.TOOL_RESULT:
            return REPORT
        left = hints.uniform("confusion")
        said = Handling.QUEUE
        for said, share in self._confusion[hints.true_handling].items():  # noqa: B007 - the last one stays
            left -= share
            if left < 0:
                break
        return Verdict(handling=said, confidence=self._confusion[said][said], reason="classified")

    def latency_ms(self, _event: Event, hints: Hints) -> float:
        """Draw the latency of this verdict."""
        body = self._median_ms * exp(self._sigma * _STANDARD.inv_cdf(hints.uniform("latency")))
        return body * (self._stall_factor if hints.uniform("stall") < self._stall_share else 1.0)
