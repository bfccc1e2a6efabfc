"""House rules of the product plug-ins: short, sourced, and unknown to the core."""

from pathlib import Path
from statistics import median

import pytest

import simlab
from simlab.strategies import STRATEGIES

ROOT = Path(simlab.__file__).parent
FILES = sorted(path for path in (ROOT / "strategies" / "products").glob("*.py") if path.name != "__init__.py")


def test_the_median_plug_in_has_at_most_35_lines() -> None:
    assert median(len(path.read_text(encoding="utf-8").splitlines()) for path in FILES) <= 35


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_plug_in_names_its_product_its_source_and_what_is_unknown(path: Path) -> None:
    docstring = path.read_text(encoding="utf-8").split('"""')[1]
    assert all(f"{word}: " in docstring for word in ("Product", "Source", "Unknown"))
    assert "2026" in docstring


def test_the_core_names_no_policy() -> None:
    text = "\n".join(path.read_text(encoding="utf-8").lower() for path in (ROOT / "core").glob("*.py"))
    products = {name.partition("-")[0] for name in STRATEGIES if "strategies/products" in _file_of(name)}
    assert {"langgraph", "codex", "pipecat", "livekit"} <= products
    for product in products - {"are", "book", "rollback", "pi", "inspect"}:  # words of the language as well
        assert product not in text


def _file_of(name: str) -> str:
    return type(STRATEGIES.get(name)).__module__.replace(".", "/")


@pytest.mark.parametrize("name", STRATEGIES.names())
def test_a_strategy_is_registered_under_its_own_name(name: str) -> None:
    assert STRATEGIES.get(name).name == name
