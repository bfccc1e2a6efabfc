"""The page on checking and the list of rules are what the commands print."""

import re
import shlex
from pathlib import Path

import pytest

from simlab.check.readers import FORMATS
from simlab.check.rules_page import rules_page, rules_text
from simlab.check.truth import RULES as TRUTH
from simlab.dialects.registry import DIALECTS, RULES
from tests.cli.calling import call

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "check.md").read_text(encoding="utf-8")


def test_the_list_of_rules_is_fresh(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("dialects", "--markdown") == 0
    printed = capsys.readouterr().out
    assert printed == rules_page()
    assert (DOCS / "dialects.md").read_text(encoding="utf-8") == printed, "run `make docs`"


def test_the_list_of_rules_holds_every_rule_and_every_text(capsys: pytest.CaptureFixture[str]) -> None:
    page = rules_page()
    for dialect in DIALECTS:
        section = page.partition(f"## {dialect}\n")[2].partition("\n## ")[0]
        assert section.count("\n| `") == len(RULES[dialect])
        assert all(f"`{name.partition(':')[0]}`" in section for name in RULES[dialect])
    assert all(f"| `{name}` |" in page for name in TRUTH)
    assert call("dialects") == 0
    assert capsys.readouterr().out.rstrip("\n") == rules_text().rstrip("\n")


def test_what_the_page_shows_is_what_the_commands_print(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    chat, purge = re.findall(r"^```json\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    (tmp_path / "chat.json").write_text(chat, encoding="utf-8")
    (tmp_path / "purge.json").write_text(purge, encoding="utf-8")
    codes = []
    for block in re.findall(r"^```console\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL):
        for command, shown in re.findall(r"^\$ simlab (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
            codes.append(call(*shlex.split(command)))
            assert capsys.readouterr().out == shown
    assert codes == [0, 1, 0, 0, 0, 0, 1, 0, 1]


def test_the_page_lists_every_format_and_every_dialect() -> None:
    assert all(f"| `{name}` | {about} |" in PAGE for name, about in FORMATS.items())
    assert all(f"`{name}`" in PAGE for name in DIALECTS)
