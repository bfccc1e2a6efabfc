"""The axis of a phase response: zero is in it, and nothing is magnified that is not there."""

import pandas as pd
import pytest

from simlab.analysis.charts.figure import new_figure
from simlab.analysis.charts.phase_response import phase_response
from simlab.analysis.style import looks_of


@pytest.mark.parametrize(
    ("values", "limits"),
    [
        ([0, 0, 0], (0, 1)),
        ([None, None, None], (0, 1)),
        ([2, None, 4], (0, 4.1)),
        ([-2, 1, 1], (-2, 1.15)),
    ],
)
def test_the_axis_begins_at_zero_and_a_row_of_zeros_lies_at_its_foot(
    values: list[float | None], limits: tuple[float, float]
) -> None:
    frame = pd.DataFrame({"arm": "queue", "at_ms": [0, 1000, 2000], "value": values}).astype({"value": float})
    axis = new_figure(4, 3).subplots()
    phase_response(axis, frame, looks_of(["queue"]), label="mistaken effects")
    assert axis.get_ylim() == pytest.approx(limits)
