"""Pools of worker processes, whoever uses them: sweeps, comparisons, maps, leagues and selections."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.experiment.killing import still_alive

SIMLAB = Path(__file__).parents[2] / "simlab"
PROGRAM = """
import os, time
from simlab.experiment.pools import spawned_pool

if __name__ == "__main__":
    pool = spawned_pool(2)
    tasks = [pool.submit(time.sleep, {seconds}) for _ in range(2)]
    time.sleep(2)
    print(*pool._processes, flush=True)
    time.sleep(3600)
"""


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc to see the processes of others")
@pytest.mark.parametrize("busy", [False, True])
def test_the_workers_end_with_the_process_that_made_them(tmp_path: Path, busy: bool) -> None:
    script = tmp_path / "endless.py"
    script.write_text(PROGRAM.format(seconds=3600 if busy else 0), encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, str(script)], cwd=SIMLAB.parent, env={"PYTHONPATH": str(SIMLAB.parent)}, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    workers = [int(each) for each in process.stdout.readline().split()]
    process.kill()
    process.wait()
    process.stdout.close()
    assert len(workers) == 2
    assert still_alive(workers) == []


def test_nobody_makes_a_pool_of_another_kind() -> None:
    makers = [path for path in SIMLAB.rglob("*.py") if re.search(r"ProcessPoolExecutor\(", path.read_text("utf-8"))]
    assert makers == [SIMLAB / "experiment" / "pools.py"]
