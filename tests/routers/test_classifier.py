"""The classifier's verdicts: drawn from a confusion matrix, but for what tools report."""

import pytest

from simlab.core.errors import SimlabError
from simlab.core.events import Event, EventType, Handling
from simlab.routers.classifier import Classifier


class Hints:
    """The truth is ``cancel``, and every number is the same."""

    true_handling = Handling.CANCEL

    def __init__(self, number: float) -> None:
        self._number = number

    def uniform(self, *_name: str | int) -> float:
        return self._number


def an(type_: EventType) -> Event:
    return Event(id="e", type=type_, source="s", content="")


def test_the_report_of_a_tool_is_known_by_its_type() -> None:
    verdict = Classifier().route(an(EventType.TOOL_RESULT), Hints(0.5))
    assert (verdict.handling, verdict.reason) == (Handling.QUEUE, "report of a tool")


def test_a_number_beyond_rounded_shares_takes_the_last_handling() -> None:
    shares = {Handling.CANCEL: 0.5, Handling.QUEUE: 0.25, Handling.PARALLEL: 0.25 - 1e-10}
    router = Classifier(confusion=dict.fromkeys(Handling, shares))
    assert router.route(an(EventType.USER_INPUT), Hints(1 - 1e-12)).handling is Handling.PARALLEL


def test_a_number_selects_a_share_of_the_row_of_the_truth() -> None:
    shares = {Handling.CANCEL: 0.5, Handling.QUEUE: 0.25, Handling.PARALLEL: 0.25}
    router = Classifier(confusion=dict.fromkeys(Handling, shares))
    said = [router.route(an(EventType.USER_INPUT), Hints(number)).handling for number in (0.1, 0.6, 0.9)]
    assert said == [Handling.CANCEL, Handling.QUEUE, Handling.PARALLEL]


@pytest.mark.parametrize(("queue", "parallel"), [(0.25, 0.2), (0.75, -0.25)])
def test_a_row_that_is_no_distribution_is_refused_with_its_name(queue: float, parallel: float) -> None:
    sound = {Handling.CANCEL: 0.5, Handling.QUEUE: 0.25, Handling.PARALLEL: 0.25}
    wrong = {Handling.CANCEL: 0.5, Handling.QUEUE: queue, Handling.PARALLEL: parallel}
    confusion = {Handling.CANCEL: sound, Handling.QUEUE: wrong, Handling.PARALLEL: sound}
    with pytest.raises(SimlabError, match=r"router 'mine': confusion\.queue: shares must be from 0 up and add up to 1"):
        Classifier(name="mine", confusion=confusion)
