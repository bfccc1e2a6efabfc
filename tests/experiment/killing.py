"""Sweeps in processes of their own, killed at random instants."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random

ROOT = Path(__file__).parents[2]
PATIENCE_S = 120.0
SOON_S = 0.002


def start(design: Path, folder: Path, *options: str) -> "subprocess.Popen[str]":
    """Start ``simlab sweep`` in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "simlab", "sweep", str(design), "--out", str(folder), *options],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def receipts(folder: Path) -> int:
    """Return how many chunks are done."""
    place = folder / "receipts"
    return sum(path.suffix == ".json" for path in place.iterdir()) if place.exists() else 0


def wait_until_at_work(process: "subprocess.Popen[str]", folder: Path) -> None:
    """Wait until the process has made a chunk, or is over."""
    before = receipts(folder)
    latest = time.monotonic() + PATIENCE_S
    while process.poll() is None and receipts(folder) == before and time.monotonic() < latest:
        time.sleep(SOON_S)


def kill_at_random(design: Path, folder: Path, rng: Random, *options: str, within_s: float) -> bool:
    """Start a sweep and kill it (signal 9) at a random instant of its work; return whether it had not ended before."""
    process = start(design, folder, *options)
    wait_until_at_work(process, folder)
    time.sleep(rng.uniform(0, within_s))
    process.send_signal(signal.SIGKILL)
    process.communicate()
    return process.returncode == -signal.SIGKILL


def finish(design: Path, folder: Path, *options: str) -> "subprocess.CompletedProcess[str]":
    """Let a sweep run to its end."""
    process = start(design, folder, *options)
    out, error = process.communicate(timeout=PATIENCE_S)
    return subprocess.CompletedProcess(process.args, process.returncode, out, error)


def still_alive(processes: list[int]) -> list[int]:
    """Wait for processes to end; return those that have not."""
    latest = time.monotonic() + 20
    while (left := [each for each in processes if _is_alive(each)]) and time.monotonic() < latest:
        time.sleep(0.05)
    return left


def _is_alive(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"
