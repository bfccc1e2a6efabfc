"""One colour for a strategy, wherever it appears."""

from simlab.analysis.style import looks


def test_a_strategy_keeps_its_colour_whatever_it_is_compared_with() -> None:
    alone = looks([("cancel", "cancel")])
    among = looks([("queue", "queue"), ("mine", "mine"), ("cancel", "cancel")])
    assert alone[0] == among[2]


def test_arms_of_one_strategy_share_its_colour_and_differ_in_mark() -> None:
    one, two, other = looks([("routed", "routed (a)"), ("routed", "routed (b)"), ("queue", "queue")])
    assert one[0] == two[0] != other[0]
    assert len({one[1], two[1], other[1]}) == 3


def test_unknown_strategies_get_looks_of_their_own() -> None:
    found = looks([(name, name) for name in ("queue", "p1", "p2", "cancel")])
    assert len({mark for _, mark in found}) == 4
    assert found[1] != found[2]
