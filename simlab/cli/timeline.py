"""``simlab timeline``: one run as a picture, a strategy under the other, and as files for trace viewers."""

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from simlab.cli import app
from simlab.core.errors import SimlabError

if TYPE_CHECKING:
    from simlab.analysis.lanes import Lanes

_ENDINGS = (".svg", ".png")


@app.command()
def timeline(
    scenario: Annotated[str, typer.Argument(help="A scenario file, or the name of a shipped scenario.")],
    strategies: Annotated[str, typer.Option("--strategy", "-s", help="Names, separated by commas.")],
    router: Annotated[str, typer.Option("--router", "-r", help="Which handling an event gets.")] = "by_type",
    seed: Annotated[int, typer.Option(help="Root of all random numbers.")] = 0,
    replication: Annotated[int, typer.Option(help="Which independent repetition.")] = 0,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="The picture: FILE.svg or FILE.png.")] = None,
    start_s: Annotated[float | None, typer.Option("--from", help="Show the picture from this second on.")] = None,
    end_s: Annotated[float | None, typer.Option("--to", help="Show the picture up to this second.")] = None,
    theme: Annotated[str, typer.Option(help="light or dark.")] = "light",
    perfetto: Annotated[Path | None, typer.Option(help="Chrome trace JSON, for ui.perfetto.dev.")] = None,
    otel: Annotated[Path | None, typer.Option(help="OpenTelemetry GenAI spans as OTLP/JSON.")] = None,
) -> None:
    """Draw one run as lanes over one clock: inbox, router, model, tools, side sessions, effects in the world."""
    from simlab.analysis.lane_reading import lanes_of
    from simlab.analysis.otel import resource_spans
    from simlab.analysis.perfetto import trace_events
    from simlab.cli.compare import names_of
    from simlab.experiment.comparison import Cell, run_cell
    from simlab.experiment.variants import load_variant

    names = names_of(strategies, "--strategy")
    _check(out, theme)
    found = load_variant(scenario)
    records = [
        run_cell(Cell(scenario=found, strategy=name, router=router, seed=seed, replication=replication))
        for name in names
    ]
    runs = [lanes_of(record) for record in records]
    written = []
    if out is not None or not (perfetto or otel):
        written.append(_draw(out or Path("timeline.svg"), runs, _window(runs, start_s, end_s), theme))
    if perfetto is not None:
        written.append(_write(perfetto, json.dumps(trace_events(runs), indent=1, ensure_ascii=False) + "\n"))
    if otel is not None:
        written.append(_write(otel, json.dumps(resource_spans(records), indent=1, ensure_ascii=False) + "\n"))
    for run in runs:
        print(
            f"{run.strategy}: {len(run.slices)} slices, {len(run.marks)} marks, ended at {run.ended_ms / 1000:,.1f} s"
        )
    print("written: " + ", ".join(str(path) for path in written))


def _check(out: Path | None, theme: str) -> None:
    from simlab.analysis.style import THEMES

    if out is not None and out.suffix not in _ENDINGS:
        raise SimlabError(f"--out {out}: a picture is written as {' or '.join(_ENDINGS)}")
    if theme not in THEMES:
        raise SimlabError(f"--theme {theme!r}: known: {', '.join(THEMES)}")


def _window(runs: "list[Lanes]", start_s: float | None, end_s: float | None) -> tuple[int, int]:
    for option, value in (("--from", start_s), ("--to", end_s)):
        if value is not None and not 0 <= value < math.inf:
            raise SimlabError(f"{option} {value:g}: expected seconds from 0 up")
    ended_ms = max(1, *(run.ended_ms for run in runs))
    window = (round(1000 * (start_s or 0)), ended_ms if end_s is None else round(1000 * end_s))
    if not 0 <= window[0] < window[1]:
        raise SimlabError(
            f"--from {window[0] / 1000:g} --to {window[1] / 1000:g}: the second must be later than the first"
        )
    return window


def _draw(out: Path, runs: "list[Lanes]", window_ms: tuple[int, int], theme: str) -> Path:
    from simlab.analysis.charts.figure import writer
    from simlab.analysis.charts.lanes import draw_lanes
    from simlab.analysis.style import THEMES, looks_of

    looks = looks_of(run.strategy for run in runs)
    try:
        writer(lambda: draw_lanes(runs, looks, window_ms=window_ms), THEMES[theme])(out)
    except OSError as error:
        raise SimlabError(f"{out}: cannot be written: {error.strerror}") from None
    return out


def _write(path: Path, text: str) -> Path:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise SimlabError(f"{path}: cannot be written: {error.strerror}") from None
    return path
