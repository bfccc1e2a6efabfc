"""Runs the notebooks and writes them back with their outputs, or checks that nothing would change.

    python notebooks/execute.py             # run all of them, write what has changed
    python notebooks/execute.py --check 03  # run those whose names begin so; exit code 1 and a message if one differs

What a run leaves by chance (times, versions, ids) is stripped, so a run without a change of code gives no difference.
"""

import argparse
import base64
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
LIMIT_S = 300
TOLERANCE = 2.0
"""Root mean square over the pixels of a picture, of 255: letters may be rendered a little differently elsewhere."""


def main() -> int:
    """Run the notebooks that were named (all of them by default)."""
    parser = argparse.ArgumentParser(description="Run the notebooks.")
    parser.add_argument("names", nargs="*", help="beginnings of file names")
    parser.add_argument("--check", action="store_true", help="write nothing; say what would change")
    arguments = parser.parse_args()
    differ = []
    for path in sorted(HERE.glob("*.ipynb")):
        if arguments.names and not any(path.name.startswith(name) for name in arguments.names):
            continue
        made = executed(path)
        if arguments.check:
            differ += [f"{path.name}: {what}" for what in differences(read(path), made)]
        else:
            write(path, made)
    sys.stderr.write("".join(f"{line}\n" for line in differ))
    return 1 if differ else 0


def read(path: Path) -> Any:
    """Read a notebook."""
    import nbformat

    return nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]


def executed(path: Path) -> Any:
    """Run a notebook in a fresh kernel and in an empty folder; return it with its outputs and nothing of chance."""
    from nbclient import NotebookClient

    os.environ["PYTHONPATH"] = os.pathsep.join([str(HERE.parent), os.environ.get("PYTHONPATH", "")])
    notebook = read(path)
    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(
            notebook,
            timeout=LIMIT_S,
            kernel_name="python3",
            resources={"metadata": {"path": folder}},
            extra_arguments=["--log-level=ERROR"],
        )
        client.execute()
    return stripped(notebook)


def stripped(notebook: Any) -> Any:
    """Take away what differs from run to run and from machine to machine."""
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    for number, cell in enumerate(notebook.cells):
        cell.metadata = {}
        cell.id = f"cell-{number:02}"
        for output in cell.get("outputs", []):
            if "metadata" in output:
                output.metadata = {}
    return notebook


def write(path: Path, notebook: Any) -> None:
    """Write a notebook if it has changed."""
    import nbformat

    text = nbformat.writes(notebook, indent=1).rstrip("\n") + "\n"  # type: ignore[no-untyped-call]
    if text != path.read_text(encoding="utf-8"):
        path.write_text(text, encoding="utf-8")


def differences(before: Any, after: Any) -> list[str]:
    """Say in which cells the outputs differ. Pictures may differ by a hair."""
    found = []
    for number, (old, new) in enumerate(zip(before.cells, after.cells, strict=True)):
        one, other = old.get("outputs", []), new.get("outputs", [])
        if [_without_pictures(each) for each in one] != [_without_pictures(each) for each in other]:
            found.append(f"cell {number}: other output")
        elif any(not _alike(*pair) for pair in zip(_pictures(one), _pictures(other), strict=True)):
            found.append(f"cell {number}: another picture")
        if any(output.get("name") == "stderr" or output.output_type == "error" for output in other):
            found.append(f"cell {number}: writes to standard error")
    return found


def _without_pictures(output: Any) -> Any:
    data = {kind: "a picture" if kind == "image/png" else value for kind, value in output.get("data", {}).items()}
    return {**output, "data": data}


def _pictures(outputs: Any) -> list[str]:
    return [output["data"]["image/png"] for output in outputs if "image/png" in output.get("data", {})]


def _alike(one: str, other: str) -> bool:
    if one == other:
        return True
    from matplotlib.testing.compare import compare_images

    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / name for name in ("one.png", "other.png")]
        for path, text in zip(paths, (one, other), strict=True):
            path.write_bytes(base64.b64decode(text))
        return compare_images(str(paths[0]), str(paths[1]), tol=TOLERANCE) is None


if __name__ == "__main__":
    sys.exit(main())
