"""The page "test your own agent" does what it says, typed literally."""

import inspect
import os
import re
import subprocess
import sys
import time
import venv
from pathlib import Path

import pytest

from tests.testing.careful_loop import CarefulLoop

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "test-your-own-agent.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, flags=re.DOTALL)


def save_files(folder: Path) -> None:
    for block in blocks("python"):
        named = re.match(r"# (\w+\.py)\n", block)
        if named:
            (folder / named[1]).write_text(block)


def commands() -> list[str]:
    return [line[2:] for block in blocks("console") for line in block.splitlines()]


def shell(command: str, folder: Path, **environment: str) -> str:
    done = subprocess.run(
        command,
        shell=True,
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


def test_the_page_shows_the_careful_loop_of_the_tests() -> None:
    assert inspect.getsource(CarefulLoop).rstrip() in PAGE


def test_the_block_about_the_loop_alone_runs() -> None:
    exec(compile(blocks("python")[-1], "docs", "exec"), {})


def test_the_files_of_the_page_do_in_a_folder_what_it_says(tmp_path: Path) -> None:
    save_files(tmp_path)
    python = f"{sys.executable} -c 'from simlab.cli import main; main()'"
    outputs = []
    for command in commands()[1:]:
        line = command.replace("python -m pytest", f"{sys.executable} -m pytest -p simlab.testing.plugin")
        outputs.append(shell(re.sub(r"^simlab", lambda _: python, line), tmp_path, PYTHONPATH=str(ROOT)))
    told = "\n".join(outputs)
    expected = [line for block in blocks("text") for line in block.splitlines()]
    assert [line for line in expected if line not in told] == []
    assert (
        told.count(
            "malformed: dangling_tool_call: request 1, message 1: call 'call_0_a1' has no result before message 2"
        )
        == 2
    )


@pytest.mark.nightly
def test_the_page_works_in_an_empty_folder_with_the_built_wheel(tmp_path: Path) -> None:
    began = time.monotonic()
    shell(f"{sys.executable} -m pip wheel --quiet --no-deps --wheel-dir {tmp_path / 'wheels'} {ROOT}", tmp_path)
    (wheel,) = (tmp_path / "wheels").glob("simlab-*.whl")
    venv.create(tmp_path / "venv", with_pip=True)
    folder = tmp_path / "empty"
    folder.mkdir()
    path = f"{tmp_path / 'venv' / 'bin'}:{os.environ['PATH']}"
    save_files(folder)
    outputs = [
        shell(command.replace("install simlab", f"install {wheel}"), folder, PATH=path) for command in commands()
    ]
    told = "\n".join(outputs)
    assert [line for block in blocks("text") for line in block.splitlines() if line not in told] == []
    assert time.monotonic() - began < 300
