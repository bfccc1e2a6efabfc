"""The notebooks run, their claims hold, and running them again changes nothing."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, str(ROOT / "notebooks" / "execute.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def cells(path: Path, kind: str) -> list[dict[str, Any]]:
    document = json.loads(path.read_text(encoding="utf-8"))
    return [cell for cell in document["cells"] if cell["cell_type"] == kind]


def test_there_are_six() -> None:
    assert [path.name[:2] for path in NOTEBOOKS] == ["01", "02", "03", "04", "05", "06"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_run_gives_the_outputs_that_are_shown(path: Path) -> None:
    child = run("--check", path.name)
    assert child.returncode == 0, child.stderr


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_outputs_are_shown_claims_are_asserted_and_nothing_of_chance_is_kept(path: Path) -> None:
    code = cells(path, "code")
    assert sum("assert " in "".join(cell["source"]) for cell in code) >= 4
    assert any("image/png" in output.get("data", {}) for cell in code for output in cell["outputs"])
    assert all(cell["metadata"] == {} for cell in code)
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    assert len(path.read_bytes()) < 300_000


def test_a_claim_that_does_not_hold_and_an_output_that_differs_would_be_noticed(tmp_path: Path) -> None:
    (tmp_path / "execute.py").write_bytes((ROOT / "notebooks" / "execute.py").read_bytes())
    source = {"cell_type": "code", "execution_count": 1, "id": "cell-00", "metadata": {}, "outputs": []}
    for number, text in enumerate(("assert 1 == 2", "1 + 1")):
        document = {"cells": [source | {"source": [text]}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
        (tmp_path / f"{number}.ipynb").write_text(json.dumps(document), encoding="utf-8")
    command = [sys.executable, str(tmp_path / "execute.py"), "--check"]
    false, other = (subprocess.run([*command, n], capture_output=True, text=True, check=False) for n in "01")
    assert "AssertionError" in false.stderr
    assert false.returncode == 1
    assert other.stderr == "1.ipynb: cell 0: other output\n"
    assert other.returncode == 1
