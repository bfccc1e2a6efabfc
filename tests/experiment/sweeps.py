"""Small sweeps for tests, and a folder of results as one value."""

from pathlib import Path

from simlab.experiment.sweep import read_sweep
from simlab.experiment.sweeping import Made, Shard, run_sweep

TINY = Path(__file__).with_name("tiny.toml")
REPLICATIONS = 12

DESIGN = """
scenarios = ["{scenario}"]
strategies = ["queue", "cancel"]
replications = {replications}
seed = 3
chunk = 4

[grid]
"tools.look.run_ms.median_s" = [1, 4]
"""


def design_file(folder: Path, text: str = DESIGN, *, replications: int = REPLICATIONS) -> Path:
    """Write a sweep file (by default two points, two strategies) and return its path."""
    path = folder / "design.toml"
    path.write_text(text.format(scenario=TINY, replications=replications), encoding="utf-8")
    return path


def sweep(design: Path, folder: Path, *, jobs: int = 1, backend: str = "serial", shard: Shard | None = None) -> Made:
    """Run a sweep in a folder."""
    return run_sweep(
        read_sweep(design), design, folder, backend=backend, jobs=jobs, shard=shard or Shard(number=1, count=1)
    )


def content(folder: Path) -> dict[str, bytes]:
    """Return every file of a folder of results but its locks, by name."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.startswith("lock")
    }
