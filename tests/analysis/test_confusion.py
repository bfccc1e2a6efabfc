"""The confusion matrix: counts, Wilson's intervals, and errors that can be scaled."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simlab.analysis.confusion import confusion
from simlab.analysis.stats.intervals import wilson
from simlab.core.errors import SimlabError
from simlab.core.events import Handling

C, Q, P = Handling.CANCEL, Handling.QUEUE, Handling.PARALLEL
PAIRS = [(C, C)] * 8 + [(C, Q)] * 2 + [(Q, Q)] * 9 + [(Q, C)] + [(P, P)] * 3 + [(P, Q)] + [(P, C)]


def test_rates_are_shares_with_wilson_intervals() -> None:
    found = confusion(PAIRS)
    assert found.accuracy == wilson(20, 25)
    assert found.urgent_recall == found.share(C, C) == wilson(8, 10)
    assert found.false_alarms == wilson(2, 15)
    assert found.errors() == pytest.approx({C: 0.2, Q: 0.1, P: 0.4})


def test_a_handling_that_never_occurs_is_told() -> None:
    with pytest.raises(SimlabError, match="no message whose true handling is parallel"):
        confusion([(C, C), (Q, Q)])


def test_scaling_keeps_the_kinds_of_errors_and_their_proportions() -> None:
    found = confusion(PAIRS)
    half = found.scaled(0.5)
    assert half[C] == pytest.approx({C: 0.9, Q: 0.1, P: 0.0})
    assert half[P] == pytest.approx({P: 0.8, Q: 0.1, C: 0.1})
    assert found.accuracy_at(1) == pytest.approx(20 / 25)
    assert found.accuracy_at(0) == 1


def test_the_right_answer_comes_first_so_that_errors_nest() -> None:
    assert all(next(iter(row)) is true for true, row in confusion(PAIRS).scaled(0.3).items())


@given(st.floats(0, 50), st.floats(0, 50))
def test_every_row_stays_a_distribution_and_more_errors_never_raise_the_accuracy(one: float, two: float) -> None:
    found = confusion(PAIRS)
    low, high = sorted((one, two))
    for row in found.scaled(high).values():
        assert min(row.values()) >= 0
        assert sum(row.values()) == pytest.approx(1)
    assert found.accuracy_at(high) <= found.accuracy_at(low) + 1e-12
