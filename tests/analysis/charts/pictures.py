"""The pictures of the image tests: every chart on made-up frames, in both themes.

``python -m tests.analysis.charts.pictures`` draws them anew into ``images/``; look at each before committing it.
"""

from collections.abc import Callable, Mapping
from math import inf
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from simlab.analysis.charts.batches import batch_sizes
from simlab.analysis.charts.calls import draw_calls
from simlab.analysis.charts.convergence import convergence
from simlab.analysis.charts.decision_map import decision_map
from simlab.analysis.charts.differences import forest
from simlab.analysis.charts.figure import chart, save
from simlab.analysis.charts.lanes import draw_lanes
from simlab.analysis.charts.pareto import pareto
from simlab.analysis.charts.phase_response import phase_response
from simlab.analysis.charts.responses import draw_responses
from simlab.analysis.charts.router_trade import router_trade
from simlab.analysis.charts.tails import tail_sensitivity
from simlab.analysis.charts.waste import waste
from simlab.analysis.lane_reading import lanes_of
from simlab.analysis.style import looks_of, themed
from simlab.analysis.tidy import batch_frame, convergence_frame
from tests.worked_runs import worked

IMAGES = Path(__file__).parent / "images"
THEMES = ("light", "dark")
ARMS = ("queue", "cancel", "cancel-background", "parallel", "routed / by_type", "routed / oracle")
LOOKS = looks_of(ARMS)
OTHERS = {arm: look for arm, look in LOOKS.items() if arm != "queue"}


def _draws(name: str, size: int) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    return np.random.default_rng(sum(name.encode())).lognormal(size=size)


def responses() -> Figure:
    parts = []
    for place, arm in enumerate(ARMS):
        for kind, factor in (("correct", 4000.0), ("light", 9000.0)):
            values = _draws(arm + kind, 400) * factor * (1 + place % 3)
            parts.append(
                pd.DataFrame(
                    {
                        "arm": arm,
                        "kind": kind,
                        "is_voided": False,
                        "response_ms": np.where(values > 9e4, np.nan, values),
                    }
                )
            )
    return draw_responses(pd.concat(parts), LOOKS, "made up, 400 replications")


def calls() -> Figure:
    frame = pd.concat(
        pd.DataFrame({"arm": arm, "main_calls": np.ceil(5 * _draws(arm, 300)), "side_calls": int(arm == "parallel")})
        for arm in ARMS
    )
    return draw_calls(frame, LOOKS, "made up, 300 replications")


def differences() -> Figure:
    verdicts = ("better", "worse", "undecided", "equivalent", "undecided")
    lines = [(-31.0, -40.0, -24.0), (12.0, 4.0, 33.0), (3.0, -4.0, inf), (0.2, -0.3, 0.6), (-4.0, -9.0, 2.0)]
    frame = pd.DataFrame(lines, columns=["difference", "low", "high"]).assign(
        strategy=list(OTHERS), verdict=verdicts, metric="response, correct", statistic="restricted mean", unit="s"
    )
    return chart(lambda axis: forest(axis, frame, LOOKS), height_inches=3.0)


def front() -> Figure:
    points = [(4.1, 31.0), (6.4, 9.0), (5.2, 8.0), (4.3, 22.0), (4.6, 18.0), (4.4, 12.0)]
    frame = pd.DataFrame(points, columns=["x", "y"]).assign(arm=ARMS)
    frame = frame.assign(x_low=frame.x - 0.2, x_high=frame.x + 0.25, y_low=frame.y - 2, y_high=frame.y + 3)
    return chart(
        lambda axis: pareto(axis, frame, LOOKS, x_label="model calls per run", y_label="wait of corrections, seconds")
    )


def stacks() -> Figure:
    parts = {"used": 60.0, "thrown away": 20.0, "doubled": 6.0}
    frame = pd.DataFrame(
        [
            {"arm": arm, "part": part, "mean": mean * (1 + (place * (number + 1)) % 4 / 4)}
            for place, arm in enumerate(ARMS)
            for number, (part, mean) in enumerate(parts.items())
        ]
    )
    return chart(lambda axis: waste(axis, frame, LOOKS, unit="tool seconds"), height_inches=3.6)


def batches() -> Figure:
    sizes = {arm: np.ceil(_draws(arm, 200) * (1 + place % 3)).clip(1, 8).astype(int) for place, arm in enumerate(ARMS)}
    frame = batch_frame({arm: map(int, values) for arm, values in sizes.items()})
    return chart(lambda axis: batch_sizes(axis, frame, LOOKS), height_inches=4.2)


def floods() -> Figure:
    sizes = {arm: np.ceil(_draws(arm, 300) * 4 * (1 + place % 3)).astype(int) for place, arm in enumerate(ARMS[:3])}
    frame = batch_frame({arm: map(int, values) for arm, values in sizes.items()})
    some = {arm: LOOKS[arm] for arm in sizes}
    return chart(lambda axis: batch_sizes(axis, frame, some, of="runs"), height_inches=2.8)


def routers() -> Figure:
    lines = [
        ("by_type", 0.0, 0.41, 21.0),
        ("keyword", 0.0, 0.63, 17.0),
        ("classifier", 0.7, 0.85, 9.0),
        ("oracle", 0.0, 1.0, 6.0),
    ]
    frame = pd.DataFrame(lines, columns=["router", "latency_s", "accuracy", "outcome"])
    frame = frame.assign(accuracy_low=frame.accuracy - 0.04, accuracy_high=np.minimum(1, frame.accuracy + 0.03))
    frame = frame.assign(outcome_low=frame.outcome - 2, outcome_high=frame.outcome + 3)
    return chart(lambda axis: router_trade(axis, frame, outcome_label="Mean wait of urgent events, seconds"))


def maps() -> Figure:
    lines = [
        {"x": x, "y": y, "winner": winner, "decided": abs(x - y) > 0.15}
        for x in np.linspace(0, 1, 8)
        for y in np.linspace(0, 1, 8)
        for winner in ["queue" if x > y else "cancel" if y < 0.7 else "parallel"]
    ]
    frame = pd.DataFrame(lines)
    return chart(
        lambda axis: decision_map(
            axis, frame, LOOKS, x_label="hazard of an invented result", y_label="share of urgent events"
        ),
        height_inches=5,
    )


def phases() -> Figure:
    at_ms = np.arange(0, 12001, 200)
    values = {
        "queue": np.where(at_ms < 10000, 12000 - at_ms, 2000),
        "cancel": np.full(len(at_ms), 2000),
        "parallel": np.where(at_ms < 8000, 2000, 2600),
    }
    frame = pd.concat(pd.DataFrame({"arm": arm, "at_ms": at_ms, "value": each / 1000}) for arm, each in values.items())
    bands = [(0, 2000, "model"), (2000, 10000, "tool"), (10000, 12000, "model")]
    some = {arm: LOOKS[arm] for arm in values}
    return chart(lambda axis: phase_response(axis, frame, some, label="first answer after, seconds", phases=bands))


def tails() -> Figure:
    lines = [
        {"arm": arm, "cap_s": cap, "value": value, "low": value - 4 - place, "high": value + 5 + 2 * place}
        for number, arm in enumerate(OTHERS)
        for place, cap in enumerate((120.0, 600.0, 1800.0, inf))
        for value in [(-6.0 + 3 * number) * (1 + place)]
    ]
    frame = pd.DataFrame(lines)
    return chart(
        lambda axis: tail_sensitivity(axis, frame, OTHERS, label="wait of corrections against queue, seconds"),
        height_inches=4.4,
    )


def settling() -> Figure:
    runs = pd.concat(
        pd.DataFrame({"arm": arm, "replication": range(1000), "calls": 5 * _draws(arm, 1000) + place})
        for place, arm in enumerate(ARMS[:4])
    )
    frame = convergence_frame(runs, "calls", "queue")
    return chart(lambda axis: convergence(axis, frame, OTHERS, label="model calls per run against queue"))


def lanes() -> Figure:
    names = ("queue", "cancel", "cancel-background")
    runs = [lanes_of(worked("13-background-correction", name)) for name in names]
    return draw_lanes(runs, looks_of(names))


PICTURES: Mapping[str, Callable[[], Figure]] = {
    "responses": responses,
    "calls": calls,
    "differences": differences,
    "pareto": front,
    "waste": stacks,
    "batches": batches,
    "floods": floods,
    "routers": routers,
    "decision-map": maps,
    "phase-response": phases,
    "tails": tails,
    "convergence": settling,
    "lanes": lanes,
}


def draw(name: str, theme: str, folder: Path) -> Path:
    """Draw one picture into a folder."""
    path = folder / f"{name}-{theme}.png"
    with themed(theme):
        save(PICTURES[name](), path)
    return path


if __name__ == "__main__":
    IMAGES.mkdir(exist_ok=True)
    for each in PICTURES:
        for kind in THEMES:
            draw(each, kind, IMAGES)
