"""The order within one millisecond."""

from itertools import pairwise

from simlab.core.order import COMMIT, EVENT, MODEL, TIMER, TOOL, VERDICT, WINDOW, rank

KINDS = (COMMIT, TOOL, MODEL, TIMER, EVENT, VERDICT, WINDOW)
LAST = 16_000_000


def test_effects_come_before_tools_models_timers_events_verdicts_and_windows_whatever_their_index() -> None:
    for earlier, later in pairwise(KINDS):
        assert rank(earlier, LAST) < rank(later, 0)


def test_things_of_one_kind_come_in_the_order_of_their_index() -> None:
    for kind in KINDS:
        ranks = [rank(kind, index) for index in (0, 1, 2, 1_000, LAST - 1, LAST)]
        assert ranks == sorted(set(ranks))
        assert ranks[0] == kind
