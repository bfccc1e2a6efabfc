"""``simlab invariants``: the catalogue."""

from typing import Annotated

import typer

from simlab.cli import app


@app.command()
def invariants(
    markdown: Annotated[bool, typer.Option("--markdown", help="As the page docs/invariants.md.")] = False,
) -> None:
    """Print every invariant: its number, its name, what it states, and which reports motivated it."""
    from simlab.testing.catalogue_page import catalogue_page, catalogue_text

    print(catalogue_page() if markdown else catalogue_text(), end="")
