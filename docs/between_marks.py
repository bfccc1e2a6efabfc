"""Puts a generated part into a page, between its two marks; used by the ``make_*.py`` of this folder."""

import re
import sys
from pathlib import Path


def print_or_write(page: Path, marks: tuple[str, str], text: str) -> None:
    """Print the part, or with ``--write`` on the command line put it into the page."""
    if "--write" not in sys.argv[1:]:
        print(text)
        return
    begin, end = marks
    between = re.compile(re.escape(begin) + ".*?" + re.escape(end), flags=re.DOTALL)
    page.write_text(between.sub(lambda _: begin + text + end, page.read_text(encoding="utf-8")), encoding="utf-8")


def shown(page: Path, marks: tuple[str, str]) -> str:
    """Return the part that stands in the page now."""
    begin, end = marks
    return page.read_text(encoding="utf-8").partition(begin)[2].partition(end)[0]
