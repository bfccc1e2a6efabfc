"""The command line: the only package that prints.

Each file registers a group of commands on ``app`` and imports what it needs inside the command, so that
``simlab --help`` loads none of the heavy libraries.
"""

import sys
from typing import Annotated

import typer

from simlab import __version__
from simlab.core.errors import SimlabError

app = typer.Typer(
    name="simlab",
    help="A wind tunnel for interruptible LLM agents.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(value: bool) -> None:
    if value:
        print(f"simlab {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run a command; a mistake of the caller is one line on standard error and exit code 2."""
    try:
        app()
    except SimlabError as error:
        print(f"simlab: {error}", file=sys.stderr)
        sys.exit(2)


from simlab.cli import runtimes as _runtimes  # noqa: E402, F401 - registers its command on app
from simlab.cli import storm as _storm  # noqa: E402, F401 - registers its command on app
