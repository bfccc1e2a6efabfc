"""``check``, ``explain``, ``repair`` and ``cuts``: saved conversations, judged and repaired.

Exit code 0: well formed (or done); 1: findings (or nothing known); 2: something cannot be read.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from simlab.core.errors import SimlabError

if TYPE_CHECKING:
    from simlab.check.conversation import Conversation
    from simlab.check.verdict import Verdict

_Mode = Literal["recording", "request", "strict"]
_Files = Annotated[list[Path], typer.Argument(metavar="FILE...", help="Saved conversations.", show_default=False)]
_File = Annotated[Path, typer.Argument(metavar="FILE", help="A saved conversation.", show_default=False)]
_Format = Annotated[str | None, typer.Option("--format", help="Format of the files (default: detected).")]
_Targets = Annotated[
    str | None, typer.Option("--target", help="Dialects to judge for, with commas (default: the file's own).")
]
_Target = Annotated[str | None, typer.Option("--target", help="Dialect (default: the file's own).")]


def check(
    files: _Files,
    format_: _Format = None,
    target: _Targets = None,
    mode: Annotated[
        _Mode | None,
        typer.Option("--mode", help="Open tail legal, sendable now, or ours (default: recording; request for cases)."),
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help="One JSON object a file and target, one a line.")] = False,
    sarif: Annotated[bool, typer.Option("--sarif", help="One SARIF 2.1.0 log.")] = False,
) -> None:
    """Tell whether saved conversations are well formed, and for whom."""
    run = _Run(format_, _targets(target), mode)
    if json_ or sarif:
        _print_machine(run.all(files), sarif=sarif)
    else:
        _print_text(run.all(files))
    raise typer.Exit(2 if run.unreadable else 0 if run.valid else 1)


class _Run:
    """One run of ``check``: goes on behind a file that cannot be read, and remembers the worst that it met."""

    def __init__(self, format_: str | None, targets: list[str], mode: _Mode | None) -> None:
        self.format = format_
        self.targets = targets
        self.mode = mode
        self.valid = True
        self.unreadable = False

    def all(self, files: list[Path]) -> Iterator["Verdict"]:
        for path in files:
            try:
                yield from self.file(path)
            except SimlabError as error:
                self.unreadable = True
                _complain(str(error))

    def file(self, path: Path) -> Iterator["Verdict"]:
        from simlab.check.verdict import judge

        for conversation in _read(path, self.format):
            mode = self.mode or ("request" if conversation.format == "case" else "recording")
            for target in self.targets or [conversation.dialect]:
                verdict = judge(conversation, target=target, mode=mode, file=str(path))
                self.valid = self.valid and verdict.valid
                yield verdict


def _targets(value: str | None) -> list[str]:
    from simlab.dialects.registry import DIALECTS

    names = [name.strip() for name in value.split(",") if name.strip()] if value else []
    for name in names:
        if name not in DIALECTS:
            raise SimlabError(f"--target: no dialect {name!r}; known: {', '.join(DIALECTS)}")
    return list(dict.fromkeys(names))


def _one_target(value: str | None) -> str | None:
    names = _targets(value)
    if len(names) > 1:
        raise SimlabError(f"--target: one dialect at a time, not {', '.join(names)}")
    return names[0] if names else None


def _read(path: Path, format_: str | None) -> Iterator["Conversation"]:
    from simlab.check.readers import read

    try:
        yield from read(path, format_)
    except OSError as error:
        raise SimlabError(f"{path}: cannot be read: {error.strerror or error}") from error
    except RecursionError as error:
        raise SimlabError(f"{path}: is nested too deeply to be read") from error


def _complain(line: str) -> None:
    from simlab.check.report import printable

    print(f"simlab: {printable(line)}", file=sys.stderr)


def _print_text(verdicts: Iterator["Verdict"]) -> None:
    from simlab.check.report import texts

    for text in texts(verdicts):
        _say(text)


def _say(text: str) -> None:
    """Print, whatever the terminal's encoding can show."""
    encoding = sys.stdout.encoding or "utf-8"
    print(text.encode(encoding, "replace").decode(encoding))


def _print_machine(verdicts: Iterator["Verdict"], *, sarif: bool) -> None:
    import json

    from simlab import __version__
    from simlab.check.report import as_objects, as_sarif

    if sarif:
        print(json.dumps(as_sarif(verdicts, __version__), indent=2))
        return
    for one in as_objects(verdicts):
        print(json.dumps(one))


def explain(
    text: Annotated[str, typer.Argument(metavar="ERROR", help="The provider's error, pasted; - reads it from stdin.")],
    json_: Annotated[bool, typer.Option("--json", help="One JSON object a meaning, one a line.")] = False,
) -> None:
    """Tell what a provider's error means, and what is to be done."""
    import dataclasses
    import json

    from simlab.check.explain import explain as meanings
    from simlab.check.report import printable

    found = meanings(sys.stdin.read() if text == "-" else text)
    for one in found:
        if json_:
            print(json.dumps(dataclasses.asdict(one)))
            continue
        place = "" if one.index is None else f", message {one.index}"
        ids = f", {', '.join(one.ids)}" if one.ids else ""
        _say(printable(f"{one.rule} ({one.dialect}{place}{ids})"))
        if one.also:
            _say(f"  same text: {', '.join(one.also)}")
        for cause in one.causes:
            _say(f"  usual cause: {cause}")
        _say(f"  fix: {one.fix}")
    if not found:
        _complain("no rule is known for this text")
        raise typer.Exit(1)


def repair(
    file: _File,
    out: Annotated[Path, typer.Option("-o", "--output", help="Where the repaired copy goes.", show_default=False)],
    target: _Target = None,
    format_: _Format = None,
) -> None:
    """Write a repaired copy that the target accepts, and say what was done and what the model would believe."""
    from simlab.check.repair import repair as repaired
    from simlab.check.report import printable

    aim = _one_target(target)
    cases = []
    for conversation in _read(file, format_):
        result = repaired(conversation, aim)
        name = f"{file} ({conversation.id})" if conversation.id else str(file)
        count = len(result.steps)
        _say(printable(f"{name}: {count} step{'s' if count != 1 else ''} for {result.dialect}"))
        for step in result.steps:
            place = "" if step.index is None else f" message {step.index}:"
            _say(printable(f"  {step.action}:{place} {step.what}"))
            _say(printable(f"      the model would believe: {step.belief}"))
        cases.append(
            {
                "id": conversation.id,
                "dialect": result.dialect,
                "messages": result.messages,
                "request": result.request,
                "events": conversation.events,
            }
        )
    _write(out, file, cases)


def _write(out: Path, file: Path, cases: list[dict[str, Any]]) -> None:
    """Write one case as JSON, several as one a line; never over the original."""
    import json

    if out.exists() and out.samefile(file):
        raise SimlabError(f"{out}: is the file to be repaired; name another one with -o")
    try:
        if len(cases) == 1:
            text = json.dumps(cases[0], indent=2) + "\n"
        else:
            text = "".join(json.dumps(case) + "\n" for case in cases)
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise SimlabError(f"{out}: cannot be written: {error.strerror or error}") from error
    except (RecursionError, ValueError) as error:
        raise SimlabError(f"{file}: is nested too deeply to be written") from error


def cuts(file: _File, target: _Target = None, format_: _Format = None) -> None:
    """List the message indexes at which everything before may be trimmed away."""
    from simlab.check.convert import convert
    from simlab.check.cuts import cuts as legal
    from simlab.check.report import printable

    aim = _one_target(target)
    for conversation in _read(file, format_):
        dialect = aim or conversation.dialect
        written = convert(conversation.messages, conversation.dialect, dialect)
        indexes = dict.fromkeys(written.origins[index] for index in legal(written.messages, dialect))
        name = f"{file} ({conversation.id})" if conversation.id else str(file)
        listed = " ".join(str(index) for index in indexes if index > 0) or "none"
        _say(printable(f"{name}: {listed}"))


def dialects(
    markdown: Annotated[bool, typer.Option("--markdown", help="As the page docs/dialects.md.")] = False,
) -> None:
    """List every rule of every dialect, with the text with which the provider refuses it."""
    from simlab.check.rules_page import rules_page, rules_text

    _say((rules_page() if markdown else rules_text()).rstrip("\n"))


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.command("check")(check)
    app.command("explain")(explain)
    app.command("repair")(repair)
    app.command("cuts")(cuts)
    app.command("dialects")(dialects)
