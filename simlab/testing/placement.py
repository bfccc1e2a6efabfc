"""Where events are placed: at an (instant, hop) of the undisturbed run, exhaustively, in pairs, or drawn.

A :class:`Schedule` is everything that a run depends on besides the runtime, and its ``text`` is enough to repeat it.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations_with_replacement, pairwise
from typing import TYPE_CHECKING, Literal, TypeAlias, cast, get_args

from simlab.testing.contract import POLICIES, Policy
from simlab.testing.errors import StormError
from simlab.testing.fakes import Workload

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

ArrivalKind: TypeAlias = Literal["message", "stop"]


@dataclass(frozen=True, order=True, slots=True)
class Place:
    """An instant in virtual seconds, and the loop iteration inside that instant."""

    instant_s: float
    hop: int

    @property
    def text(self) -> str:
        """The place in one word: ``2.5+3`` is hop 3 at 2.5 s."""
        return f"{self.instant_s!r}+{self.hop}"


@dataclass(frozen=True, slots=True)
class Arrival:
    """One event that reaches the product."""

    kind: ArrivalKind
    place: Place

    @property
    def text(self) -> str:
        """The arrival in one word: ``message@2.5+3``."""
        return f"{self.kind}@{self.place.text}"

    @classmethod
    def parse(cls, text: str) -> "Arrival":
        """Read what ``text`` wrote."""
        try:
            kind, place = text.split("@")
            instant, hop = place.split("+")
            if kind in get_args(ArrivalKind):
                return cls(cast("ArrivalKind", kind), Place(float(instant), int(hop)))
        except ValueError:
            pass
        raise StormError(
            f"arrival {text!r}: expected KIND@SECONDS+HOP with KIND message or stop, such as message@2.5+3"
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Schedule:
    """One run: the policy, what arrives where, and the work that the agent is given."""

    policy: Policy
    arrivals: tuple[Arrival, ...] = ()
    workload: Workload = field(default_factory=Workload)

    @property
    def text(self) -> str:
        """The schedule in one word: ``interrupt/message@2.5+3/1000x2-2000.3000-1500``; ``none`` without arrivals."""
        arrivals = ",".join(arrival.text for arrival in self.arrivals) or "none"
        return f"{self.policy}/{arrivals}/{self.workload.text}"

    @classmethod
    def parse(cls, text: str) -> "Schedule":
        """Read what ``text`` wrote."""
        parts = text.split("/")
        if len(parts) != 3:
            raise StormError(f"schedule {text!r}: expected POLICY/ARRIVALS/WORKLOAD, as a storm prints it")
        arrivals = () if parts[1] == "none" else tuple(Arrival.parse(word) for word in parts[1].split(","))
        return cls(policy=policy_named(parts[0]), arrivals=arrivals, workload=Workload.parse(parts[2]))


def policy_named(name: str) -> Policy:
    """Check the name of a policy."""
    for policy in POLICIES:
        if policy == name:
            return policy
    raise StormError(f"policy: no policy {name!r}; known: {', '.join(POLICIES)}")


def places_of(hops_at: dict[float, int], first: tuple[float, int], last: tuple[float, int]) -> list[Place]:
    """List every place of a run at which its state can differ, in order.

    ``hops_at`` counts the iterations of each instant; the turn ran between the moments ``first`` and ``last``.
    Each instant has one place more than hops (when all is done and the clock is about to move), and between two
    instants there is one place in the middle.
    """
    instants = [instant for instant in sorted(hops_at) if first[0] <= instant <= last[0]]
    found = [Place(instant, hop) for instant in instants for hop in range(hops_at[instant] + 1)]
    found += [Place(round((early + late) / 2, 6), 0) for early, late in pairwise(instants)]
    return sorted(place for place in found if first < (place.instant_s, place.hop) <= last)


def thinned(places: Sequence[Place], limit: int | None) -> list[Place]:
    """Keep at most ``limit`` places, evenly spread, the first and the last among them."""
    if limit is None or len(places) <= limit:
        return list(places)
    if limit < 2:
        return list(places[:limit])
    step = (len(places) - 1) / (limit - 1)
    return [places[round(index * step)] for index in range(limit)]


def singles(places: Sequence[Place], kind: ArrivalKind = "message") -> Iterator[tuple[Arrival, ...]]:
    """Yield each place with one arrival."""
    for place in places:
        yield (Arrival(kind, place),)


def pairs(
    places: Sequence[Place], kinds: tuple[ArrivalKind, ArrivalKind] = ("message", "message"), *, limit: int = 400
) -> Iterator[tuple[Arrival, ...]]:
    """Yield two arrivals at every pair of places, of so few evenly spread places that there are at most ``limit``."""
    count = len(places)
    while count > 1 and count * (count + 1) // 2 > limit:
        count -= 1
    for early, late in combinations_with_replacement(thinned(places, count), 2):
        yield (Arrival(kinds[0], early), Arrival(kinds[1], late))


def schedules(
    baseline: Callable[[Workload], Sequence[Place]], policies: Sequence[Policy] = POLICIES, *, most_arrivals: int = 3
) -> "SearchStrategy[Schedule]":
    """Generate schedules with Hypothesis: the shape of the work, its durations, and number, kind and place of arrivals.

    A place is drawn as an index into the list of places of the undisturbed run, so a smaller one is an earlier one and
    shrinking ends at a schedule that a person can read. ``baseline`` lists the places for a workload.
    """
    from hypothesis import strategies as st

    @st.composite
    def _schedules(draw: "st.DrawFn") -> Schedule:
        duration_ms = st.integers(1, 8).map(lambda halves: halves * 500)
        calls = st.lists(duration_ms, min_size=1, max_size=3).map(tuple)
        workload = Workload(
            rounds_ms=draw(st.lists(calls, min_size=1, max_size=3).map(tuple)),
            think_ms=draw(st.integers(1, 4)) * 500,
            chunks=draw(st.integers(1, 3)),
        )
        places = baseline(workload)
        arrival = st.builds(
            Arrival,
            st.sampled_from(get_args(ArrivalKind)),
            st.integers(0, len(places) - 1).map(places.__getitem__),
        )
        arrivals = draw(st.lists(arrival, min_size=1, max_size=most_arrivals))
        policy = draw(st.sampled_from(list(policies)))
        return Schedule(policy=policy, arrivals=tuple(sorted(arrivals, key=lambda item: item.place)), workload=workload)

    return _schedules()
