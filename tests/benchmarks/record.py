"""What the nightly benchmarks measured: ``results/scale.json``, from which ``docs/speed.md`` is written."""

import json
import os
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any

RECORD = Path(__file__).parents[2] / "results" / "scale.json"


def write_down(name: str, figures: dict[str, Any]) -> None:
    """Add figures to the record, with the machine that they were measured on."""
    told = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}
    told[name] = figures
    told["machine"] = machine()
    RECORD.write_text(json.dumps(dict(sorted(told.items())), indent=1) + "\n", encoding="utf-8")


def machine() -> dict[str, Any]:
    """Say what a figure of speed depends on."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "system": platform.system(),
        "python": platform.python_version(),
        "simpy": version("simpy"),
        "numpy": version("numpy"),
    }


def _processor() -> str:
    """Return the processor's own name where the system tells it."""
    told = Path("/proc/cpuinfo")
    lines = told.read_text(encoding="utf-8").splitlines() if told.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
