"""What scale costs: linear in runs and in events, steady memory, short starts, two processes beside one.

The quick tests hold the gates that do not depend on the machine's load. The others are nightly and leave their figures
in ``results/scale.json``: ``pytest -m nightly tests/benchmarks/test_scale.py``.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import process_time

import pytest

from simlab.analysis.metrics import event_rows, run_row
from simlab.experiment.design import Design, World
from simlab.experiment.runner import run_replications
from simlab.experiment.scenario import load_scenario
from simlab.invariants import check
from simlab.routers.by_type import ByType
from simlab.sim.driver import simulate
from tests.benchmarks.bare_loops import InterruptThinking, Shape, benchmark_world
from tests.benchmarks.record import write_down
from tests.benchmarks.test_core_speed import cpu_seconds
from tests.experiment.sweeps import TINY

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}


# --- linear cost ------------------------------------------------------------------------------------------------------


def long_shape(rounds: int) -> Shape:
    """Return a loop of so many rounds, with messages at the same rate all the time."""
    return Shape(
        name=f"{rounds} rounds",
        tools_of_round=tuple(1 + number % 3 for number in range(rounds)),
        last_message_ms=6_000 * rounds,
    )


def make_long(rounds: int) -> Callable[[int], int]:
    """Return what makes one run of so many rounds with everything on, and returns its number of records."""
    world = benchmark_world(long_shape(rounds))

    def make(replication: int) -> int:
        record = simulate(world, InterruptThinking(), ByType(), seed=7, replication=replication)
        run_row(record, len(check(record)))
        event_rows(record)
        return len(record.trace.records)

    return make


def test_ten_times_more_events_cost_at_most_twelve_times_more() -> None:
    short, long = make_long(10), make_long(100)
    more = sum(map(long, range(5))) / sum(map(short, range(5)))
    assert 9 < more < 11, "ten times the rounds are ten times the records"
    ratios = [cpu_seconds(long, 5 * number, 5) / cpu_seconds(short, 5 * number, 5) for number in range(7)]
    assert median(ratios) <= 12 * more / 10


@pytest.mark.nightly
def test_ten_and_a_hundred_times_more_events_cost_in_proportion() -> None:
    short, told = make_long(10), []
    for rounds in (100, 1000):
        long = make_long(rounds)
        more = sum(map(long, range(5))) / sum(map(short, range(5)))
        cost = median(cpu_seconds(long, number, 1) / cpu_seconds(short, number, 1) for number in range(9))
        told.append({"times_more_records": round(more, 1), "times_more_cpu_time": round(cost, 1)})
        assert cost <= 1.2 * more
    write_down("events", {"longer_runs": told})


def tiny_design(replications: int) -> Design:
    world = World.of(load_scenario(TINY))
    return Design(worlds=(world,), strategies=("queue",), routers=("by_type",), replications=replications, seed=0)


CHUNK = 500


def cpu_us_per_run(runs: int, first: int = 0) -> float:
    """Return the CPU time of one run, in microseconds, in an experiment of so many."""
    design = tiny_design(first + runs)
    start = process_time()
    for begin in range(first, first + runs, CHUNK):
        run_replications(design, range(begin, min(begin + CHUNK, first + runs)))
    return 1e6 * (process_time() - start) / runs


@pytest.mark.nightly
def test_a_run_costs_the_same_among_a_thousand_and_among_a_hundred_thousand() -> None:
    """Interleaved: between slices of the largest experiment stand whole smaller ones, so all meet the same machine."""
    per_run: dict[int, list[float]] = {10**3: [], 10**4: [], 10**5: []}
    cpu_us_per_run(CHUNK)
    for slice_number in range(10):
        per_run[10**5].append(cpu_us_per_run(10**4, first=slice_number * 10**4))
        per_run[10**4].append(cpu_us_per_run(10**4))
        per_run[10**3] += [cpu_us_per_run(10**3) for _ in range(10)]
    means = {runs: sum(each) / len(each) for runs, each in per_run.items()}
    write_down("runs", {"cpu_us_per_run": {f"{runs:,}": round(mean, 1) for runs, mean in means.items()}})
    assert max(means.values()) <= 1.1 * min(means.values())


# --- memory -----------------------------------------------------------------------------------------------------------

TINIEST = """
title = "Tiniest"
description = "One request, answered at once: the least that a run can be."

[model]
call_ms = { law = "exponential", mean_s = 1 }

[plans.answer]

[[events]]
id = "U1"
at_ms = 0
type = "user.input"
text = "hello"
intent = { kind = "request", plan = "answer" }
"""

MEASURE = """
import json, resource, sys
from pathlib import Path
from time import process_time
from simlab.experiment.sweep import read_sweep
from simlab.experiment.sweeping import run_sweep

design = Path(sys.argv[1])
made = run_sweep(read_sweep(design), design, Path(sys.argv[2]), backend="serial")
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps({"runs": made.runs, "peak_mib": peak / 1024, "cpu_s": process_time()}))
"""


def sweep_in_a_process(folder: Path, runs: int) -> dict[str, float]:
    """Make so many runs in a process of its own; return its peak memory and CPU time."""
    (folder / "tiniest.toml").write_text(TINIEST, encoding="utf-8")
    design = folder / f"{runs}.toml"
    design.write_text(
        f'scenarios = ["{folder / "tiniest.toml"}"]\nstrategies = ["queue"]\nreplications = {runs}\n', encoding="utf-8"
    )
    command = [sys.executable, "-c", MEASURE, str(design), str(folder / str(runs))]
    told = subprocess.run(command, cwd=ROOT, env=ENVIRONMENT, capture_output=True, text=True, check=True)
    figures: dict[str, float] = json.loads(told.stdout)
    return figures


def test_memory_does_not_grow_with_the_number_of_runs(tmp_path: Path) -> None:
    """The quick form: twenty chunks beside two. The nightly one makes a million runs."""
    few, many = sweep_in_a_process(tmp_path, 2_000), sweep_in_a_process(tmp_path, 20_000)
    assert many["peak_mib"] <= 1.3 * few["peak_mib"]


@pytest.mark.nightly
def test_a_million_runs_need_the_memory_of_ten_thousand(tmp_path: Path) -> None:
    few, many = sweep_in_a_process(tmp_path, 10_000), sweep_in_a_process(tmp_path, 1_000_000)
    write_down("memory", {"10,000": few, "1,000,000": many, "ratio": round(many["peak_mib"] / few["peak_mib"], 3)})
    assert many["runs"] == 1_000_000
    assert many["peak_mib"] <= 1.3 * few["peak_mib"]


# --- starts -----------------------------------------------------------------------------------------------------------

FIRST_RUN = """
import sys, time
start = time.perf_counter()
sys.argv = ["simlab", "compare", "coding-assistant", "--strategies", "queue,cancel", "--replications", "2"]
from simlab.cli import main
from simlab.experiment import runner

honest = runner.simulate
def simulate(*arguments, **options):
    print(time.perf_counter() - start, time.process_time())
    raise KeyboardInterrupt
runner.simulate = simulate
main()
"""


def wall_and_cpu_s(script: str) -> tuple[float, float]:
    """Return the two figures that a script prints on its first line."""
    told = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, env=ENVIRONMENT, capture_output=True, text=True, check=False
    )
    wall, cpu = told.stdout.split()[:2]
    return float(wall), float(cpu)


HELP = """
import contextlib, io, sys, time
start = time.perf_counter()
sys.argv = ["simlab", "--help"]
from simlab.cli import main
with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    main()
print(time.perf_counter() - start, time.process_time())
"""


@pytest.mark.parametrize(
    ("script", "limit_s"), [(HELP, 0.3), (FIRST_RUN, 1.5)], ids=["simlab --help", "simlab compare to its first run"]
)
def test_it_starts_soon(script: str, limit_s: float) -> None:
    """CPU time, the least of five: wall time on a busy machine says more of its other work."""
    times = [wall_and_cpu_s(script) for _ in range(5)]
    assert min(cpu for _, cpu in times) < limit_s


@pytest.mark.nightly
def test_start_up_times() -> None:
    for name, script, limit_s in (("--help", HELP, 0.3), ("compare, first run", FIRST_RUN, 1.5)):
        times = [wall_and_cpu_s(script) for _ in range(9)]
        wall, cpu = min(each for each, _ in times), min(each for _, each in times)
        write_down(f"start: {name}", {"wall_s": round(wall, 3), "cpu_s": round(cpu, 3), "limit_s": limit_s})
        assert cpu < limit_s


# --- two processes ----------------------------------------------------------------------------------------------------

WALL = """
import sys
from pathlib import Path
from shutil import rmtree
from time import perf_counter
from simlab.experiment.sweep import read_sweep
from simlab.experiment.sweeping import run_sweep


def main():
    design = Path(sys.argv[1])
    found = read_sweep(design)
    for number in range(int(sys.argv[3])):
        for jobs in (1, 2):
            folder = Path(sys.argv[2]) / f"{number}-{jobs}"
            start = perf_counter()
            run_sweep(found, design, folder, backend="processes", jobs=jobs)
            print(jobs, perf_counter() - start, flush=True)
            rmtree(folder)

if __name__ == "__main__":  # the workers import this file too
    main()
"""


@pytest.mark.nightly
def test_two_processes_beside_one(tmp_path: Path) -> None:
    """Paired wall times in turns, median of seven; needs two cores that nobody else uses."""
    design = tmp_path / "design.toml"
    design.write_text(
        'scenarios = ["coding-assistant"]\nstrategies = ["queue", "cancel"]\nreplications = 4000\nchunk = 250\n',
        encoding="utf-8",
    )
    script = tmp_path / "wall.py"
    script.write_text(WALL, encoding="utf-8")
    told = subprocess.run(
        [sys.executable, str(script), str(design), str(tmp_path / "x"), "7"],
        cwd=ROOT, env=ENVIRONMENT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    walls = [float(line.split()[1]) for line in told.stdout.splitlines()]
    speed_ups = [one / two for one, two in zip(walls[::2], walls[1::2], strict=True)]
    load = os.getloadavg()[0]
    write_down(
        "two processes",
        {
            "speed_up_median": round(median(speed_ups), 2),
            "speed_ups": [round(each, 2) for each in speed_ups],
            "wall_s_one": [round(each, 2) for each in walls[::2]],
            "load_average_after": round(load, 1),
            "cores": os.cpu_count(),
        },
    )
    assert median(speed_ups) > 1
