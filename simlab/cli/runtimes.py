"""``simlab runtimes``: the survey of published runtimes."""

from pathlib import Path
from typing import Annotated

import typer

from simlab.cli import app


@app.command("runtimes")
def runtimes(
    names: Annotated[list[str] | None, typer.Argument(help="Adapters; all that are shipped by default.")] = None,
    *,
    out: Annotated[Path, typer.Option(help="Folder for findings.json and findings.md.")] = Path("out/runtimes"),
    date: Annotated[str | None, typer.Option(help="The date to write, YYYY-MM-DD; today by default.")] = None,
    limit: Annotated[int | None, typer.Option(help="At most so many places a policy; every place by default.")] = None,
) -> None:
    """Put published agent runtimes into the storm and write what was found."""
    import datetime

    from simlab.testing.survey import adapters_named, write_survey

    today = date or datetime.date.today().isoformat()
    write_survey(out, adapters_named(names or []), date=today, limit=limit, note=lambda line: print(line, flush=True))
    print(f"written: {out}/findings.json and {out}/findings.md")
