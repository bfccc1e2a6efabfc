"""Reading the TOML files of a user: whatever is wrong is told in one line with file and key."""

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from simlab.core.errors import SimlabError
from simlab.experiment.scenario_file import BASE, PLACED, Table

T = TypeVar("T", bound=Table)


class FileError(SimlabError):
    """A file that cannot be found, read or understood. Names file and key."""


def read_toml(path: Path, error: type[FileError]) -> tuple[bytes, dict[str, Any]]:
    """Return a file's bytes and its tables. Raises ``error``."""
    try:
        content = path.read_bytes()
    except OSError as problem:
        raise error(f"{path}: cannot be read: {problem.strerror}") from None
    try:
        return content, tomllib.loads(content.decode())
    except UnicodeDecodeError as problem:
        raise error(f"{path}: not UTF-8 text (byte {problem.start})") from None
    except tomllib.TOMLDecodeError as problem:
        raise error(f"{path}: not TOML: {problem}") from None


def validated(path: Path, document: Mapping[str, Any], form: type[T], error: type[FileError]) -> T:
    """Return the document in its form. Raises ``error``, naming the first key that is wrong."""
    try:
        return form.model_validate(document, context={BASE: path.parent})
    except ValidationError as problem:
        problems = problem.errors(include_url=False)
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        raise error(f"{path}: {one_line(_told(problems[0]))}{more}") from None


def one_line(text: str) -> str:
    """Return a text on one line."""
    return " ".join(text.split())


def _told(problem: Mapping[str, Any]) -> str:
    """Put a complaint of the validator into words: key path, what is allowed, what was found."""
    where = _key_path(problem["loc"])
    if problem["type"] == PLACED:
        return f"{where}{problem['msg']}".removeprefix(".")
    if problem["type"] == "missing":
        return f"{where}: missing"
    wanted = str(problem["msg"]).replace("Input should be", "must be").replace("String should", "must")
    found = problem["input"]
    told = f", not {found!r}" if not isinstance(found, dict | list) else ""
    return f"{where or 'the file'}: {wanted}{told}"


def _key_path(parts: Iterable[int | str]) -> str:
    path = ""
    for part in parts:
        if part == "[key]":
            continue
        path += f"[{part}]" if isinstance(part, int) else f".{part}"
    return path.removeprefix(".")
