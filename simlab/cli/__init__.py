"""The command line: the only package that prints.

Each file registers a group of commands on ``app`` and imports what it needs inside the command, so that
``simlab --help`` loads none of the heavy libraries.
"""

import sys
from typing import Annotated, Any, NoReturn

import typer

from simlab import __version__
from simlab.cli import check
from simlab.core.errors import SimlabError

app = typer.Typer(
    name="simlab",
    help="A wind tunnel for interruptible LLM agents.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",  # "rich" would take "[default: all]" in a text for markup and leave it out
    context_settings={"help_option_names": ["-h", "--help"]},
)


_UsageError: Any = typer.BadParameter.__base__  # click's own, or that of the copy of click inside newer typers


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


check.register(app)


def main() -> None:
    """Run a command; a mistake of the caller is one line on standard error and exit code 2."""
    try:
        code = app(sys.argv[1:] or ["--help"], standalone_mode=False)
    except SimlabError as error:
        _refuse(str(error))
    except _UsageError as error:
        _refuse(error.format_message())
    except typer.Abort:
        sys.exit(130)
    sys.exit(code if isinstance(code, int) else 0)


def _refuse(message: str) -> NoReturn:
    print(f"simlab: {' '.join(message.split())}", file=sys.stderr)
    sys.exit(2)


from simlab.cli import compare as _compare  # noqa: E402, F401 - registers its command on app
from simlab.cli import explore as _explore  # noqa: E402, F401 - registers its commands on app
from simlab.cli import fuzz as _fuzz  # noqa: E402, F401 - registers its commands on app
from simlab.cli import invariants as _invariants  # noqa: E402, F401 - registers its command on app
from simlab.cli import league as _league  # noqa: E402, F401 - registers its command on app
from simlab.cli import map as _map  # noqa: E402, F401 - registers its commands on app
from simlab.cli import report as _report  # noqa: E402, F401 - registers its command on app
from simlab.cli import router_eval as _router_eval  # noqa: E402, F401 - registers its command on app
from simlab.cli import run as _run  # noqa: E402, F401 - registers its commands on app
from simlab.cli import runtimes as _runtimes  # noqa: E402, F401 - registers its command on app
from simlab.cli import storm as _storm  # noqa: E402, F401 - registers its command on app
from simlab.cli import strategies as _strategies  # noqa: E402, F401 - registers its commands on app
from simlab.cli import sweep as _sweep  # noqa: E402, F401 - registers its commands on app
from simlab.cli import timeline as _timeline  # noqa: E402, F401 - registers its command on app

_PANELS = {
    "Run and compare": "run compare map sensitivity axes phase timeline report router-eval league sweep best",
    "Results": "query rerun",
    "Prove": "explore fuzz replay invariants",
    "Saved conversations": "check explain repair cuts dialects",
    "Real runtimes": "storm runtimes",
}


def _arrange() -> None:
    """Show the commands by what they are for, the most used first."""
    places = {name: (panel, place) for panel, names in _PANELS.items() for place, name in enumerate(names.split())}
    order = {panel: number for number, panel in enumerate(_PANELS)}
    for command in app.registered_commands:
        command.name = command.name or (command.callback.__name__.replace("_", "-") if command.callback else None)
        command.rich_help_panel = places.get(command.name or "", ("Look up", 0))[0]
    app.registered_commands.sort(
        key=lambda command: (
            order.get(str(command.rich_help_panel), len(order)),
            places.get(command.name or "", ("", 0))[1],
        )
    )


_arrange()
