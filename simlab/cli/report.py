"""``simlab report``: a folder of results as one page that needs no network."""

from pathlib import Path
from typing import Annotated

import typer

from simlab.cli import app
from simlab.core.errors import SimlabError


@app.command()
def report(
    folder: Annotated[Path, typer.Argument(help="A folder that `simlab compare ... --out FOLDER` has left.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The page.")] = Path("report.html"),
    baseline: Annotated[
        str | None, typer.Option(help="What the others are compared with. [default: as in the comparison]")
    ] = None,
    margin: Annotated[
        float | None, typer.Option(help="Share of the baseline that does not matter. [default: as in the comparison]")
    ] = None,
    worst: Annotated[int, typer.Option(help="How many of the worst runs of each strategy.", min=0)] = 1,
) -> None:
    """Write the report of a comparison: verdict, charts, worst runs, assumptions, what would change the verdict."""
    from simlab.analysis.report.page import page
    from simlab.cli.population import check_margin
    from simlab.experiment.report import build_report, read_results

    check_margin(margin)
    made = page(build_report(read_results(folder), baseline=baseline, margin=margin, worst=worst))
    try:
        out.write_text(made, encoding="utf-8")
    except OSError as error:
        raise SimlabError(f"{out}: cannot be written: {error.strerror}") from None
    print(f"written: {out} ({len(made.encode()) / 1e6:.1f} MB)")
