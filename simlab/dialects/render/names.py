"""Ids and names as the dialects demand them: functions of the name alone, so that a longer request keeps them."""

import re
import string
from collections.abc import Callable
from hashlib import sha256
from typing import Final

_ALPHABET: Final = string.digits + string.ascii_letters
_PLAIN_ID: Final = re.compile(r"[a-zA-Z0-9_-]{1,40}")
_NINE: Final = re.compile(r"[a-zA-Z0-9]{9}")
_TOOL: Final = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def digest(text: str, length: int) -> str:
    """Return letters and digits that stand for a text (at most 40)."""
    number = int.from_bytes(sha256(text.encode("utf-8", "surrogatepass")).digest())
    letters = []
    for _ in range(length):
        number, place = divmod(number, len(_ALPHABET))
        letters.append(_ALPHABET[place])
    return "".join(letters)


def plain_call(call_id: str) -> str:
    """Return an id of at most 40 letters, digits, _ and -: what every dialect but Mistral takes."""
    return call_id if _PLAIN_ID.fullmatch(call_id) else f"call_{digest(call_id, 20)}"


def nine_letters(call_id: str) -> str:
    """Return an id of exactly nine letters and digits."""
    return call_id if _NINE.fullmatch(call_id) else digest(call_id, 9)


def call_namer(dialect: str) -> Callable[[str], str]:
    """Return what writes call ids for a dialect."""
    return nine_letters if dialect == "mistral" else plain_call


def tool_name(name: str) -> str:
    """Return the name of a tool in 1 to 64 letters, digits, _ and -."""
    if _TOOL.fullmatch(name):
        return name
    return f"{re.sub(r'[^a-zA-Z0-9_-]', '_', name)[:55]}_{digest(name, 8)}"
