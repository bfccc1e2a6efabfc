"""What a strategy and a router are: a name, what it declares, and a few pure methods."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from simlab.core.decisions import Closing, Decision, Departure, Moment, SafePoint, Take
from simlab.core.errors import SimlabError
from simlab.core.events import Event, Handling, Verdict
from simlab.core.values import value

if TYPE_CHECKING:
    from simlab.core.state import OpenCall
    from simlab.core.view import View


@value
class Traits:
    """What a strategy declares about itself.

    ``points`` and ``moments`` are where it wants to be asked. ``departures`` are the rules from which it departs on
    purpose. ``sequential_tools`` runs the calls of one message one after another.
    """

    points: frozenset[SafePoint]
    moments: frozenset[Moment] = frozenset({Moment.APPEND})
    departures: frozenset[Departure] = frozenset()
    sequential_tools: bool = False


@runtime_checkable
class Strategy(Protocol):
    """Decides in three places; the core does the work. All methods are pure: the same view gives the same decision."""

    name: str
    traits: Traits

    def on_event(self, view: "View", event: Event, verdict: Verdict) -> Decision | Sequence[Decision]:
        """Return what the arrival does now: exactly one placement, and what else is to be done for it."""

    def at_safe_point(self, view: "View", point: SafePoint) -> Take:
        """Return which part of the backlog is consumed here."""

    def on_open_calls(self, view: "View", calls: "Sequence[OpenCall]", moment: Moment) -> Mapping[str, Closing]:
        """Return what closes each open call, by call id; a call that is left out is left as it is."""


class Hints(Protocol):
    """What the world lends to simulated routers. Real ones use the event alone."""

    @property
    def true_handling(self) -> Handling:
        """The handling that the event truly needs: for the oracle and for classifiers with a confusion matrix."""

    def uniform(self, *name: str | int) -> float:
        """Return a number in (0, 1) named for this event and ``name``."""


@value
class Service:
    """How a router serves events.

    ``workers`` verdicts can be worked on at once (None: any number); each costs ``usd_per_event`` US dollars. A verdict
    that takes no time needs no worker and costs nothing: no model was asked. With ``keeps_order`` a verdict is held
    back until every earlier event of its source has one. After ``timeout_ms`` in all, waiting included, the router's
    ``fallback`` handling is taken instead.
    """

    workers: int | None = None
    usd_per_event: float = 0.0
    keeps_order: bool = True
    timeout_ms: int | None = None
    fallback: Handling = Handling.QUEUE


AT_ONCE = Service()


@runtime_checkable
class Router(Protocol):
    """Gives a verdict on an event. It sits on the path of every event, so its latency is paid by all of them."""

    name: str
    service: Service

    def route(self, event: Event, hints: Hints) -> Verdict:
        """Return the verdict on an event."""

    def latency_ms(self, event: Event, hints: Hints) -> float:
        """Return how long the verdict takes, in milliseconds, once a worker is free."""


class StrategyError(SimlabError):
    """A strategy raised, or returned something that is not a legal decision. Names the culprit."""


class ProtocolError(AssertionError):
    """A driver fed an input that is illegal in this phase. Nothing was changed."""
