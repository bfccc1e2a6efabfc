"""House rules: imports point down, the core needs nothing but Python, only the command line prints."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "simlab"
SOURCES = sorted(PACKAGE.rglob("*.py"))
BARE = ("core", "strategies", "routers", "invariants", "dialects")

# Runs with -I -S: no site packages, no environment. What is neither Python's own nor simlab cannot be imported.
ONLY_PYTHON = """
import sys
from importlib import import_module
from pkgutil import walk_packages

class Refuse:
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top not in sys.stdlib_module_names and top != "simlab":
            raise ImportError(f"{name} is not part of Python")

sys.meta_path.insert(0, Refuse())
sys.path.insert(0, sys.argv[1])
count = 0
for name in sys.argv[2:]:
    package = import_module(f"simlab.{name}")
    for module in walk_packages(package.__path__, f"{package.__name__}."):
        import_module(module.name)
        count += 1
print(count)
"""


def test_import_contracts_hold() -> None:
    script = "from importlinter.cli import lint_imports; raise SystemExit(lint_imports(no_cache=True))"
    command = [sys.executable, "-c", script]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    child = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env=env)
    assert child.returncode == 0, child.stdout
    assert "0 broken" in child.stdout


def only_python(*packages: str, root: Path = ROOT) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-I", "-S", "-c", ONLY_PYTHON, str(root), *packages]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("package", BARE)
def test_the_core_and_the_plug_ins_import_with_no_third_party_package(package: str) -> None:
    child = only_python(package)
    assert child.returncode == 0, child.stderr
    assert int(child.stdout) == len(list((PACKAGE / package).rglob("*.py"))) - 1


def test_a_third_party_import_would_be_noticed(tmp_path: Path) -> None:
    (tmp_path / "simlab" / "core").mkdir(parents=True)
    (tmp_path / "simlab" / "core" / "__init__.py").write_text("")
    (tmp_path / "simlab" / "core" / "bad.py").write_text("import numpy\n")
    child = only_python("core", root=tmp_path)
    assert child.returncode == 1
    assert "numpy is not part of Python" in child.stderr


def printing(source: str) -> list[int]:
    """Return the lines that print, or that write to a standard stream."""
    return [node.lineno for node in ast.walk(ast.parse(source)) if isinstance(node, ast.expr) and _prints(node)]


def _prints(node: ast.expr) -> bool:
    match node:
        case ast.Call(func=ast.Name(id="print" | "pprint")):
            return True
        case ast.Attribute(value=ast.Name(id="sys"), attr="stdout" | "stderr"):
            return True
        case _:
            return False


@pytest.mark.parametrize(
    "path",
    [path for path in SOURCES if "cli" not in path.relative_to(PACKAGE).parts],
    ids=lambda path: str(path.relative_to(PACKAGE)),
)
def test_only_the_command_line_prints(path: Path) -> None:
    assert printing(path.read_text(encoding="utf-8")) == []


def test_a_print_would_be_noticed() -> None:
    assert printing("x = 1\nprint(x)\n") == [2]
    assert printing("import sys\nsys.stderr.write('x')\n") == [2]
