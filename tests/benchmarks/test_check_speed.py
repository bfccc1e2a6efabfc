"""How fast a log of conversations is read, beside plain ``json.loads`` of the same lines in the same process.

Processor time, so that other work on the machine does not count.

pytest tests/benchmarks/test_check_speed.py --benchmark-enable --benchmark-json=speed.json
"""

import json
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from time import process_time

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from simlab.check.conversation import Conversation
from simlab.check.readers import counts, read
from simlab.check.verdict import judge

from . import chatlog

SIZE_MB = 100 if "--benchmark-enable" in sys.argv or "--benchmark-only" in sys.argv else 2

PEAK = """
import resource, sys
from simlab.check.readers import read
from simlab.check.verdict import judge
messages = 0
for conversation in read(sys.argv[1]):
    assert judge(conversation, mode="request").valid
    messages += len(conversation.messages)
print(messages, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    path = tmp_path_factory.mktemp("chatlog") / "chat.jsonl"
    _, messages = chatlog.write(path, SIZE_MB)
    return path, messages


def parsed(path: Path) -> int:
    """What any reader has to do at least."""
    with path.open("rb") as file:
        return sum(len(json.loads(line)["messages"]) for line in file)


def was_read(path: Path) -> int:
    return sum(len(conversation.messages) for conversation in read(path))


def was_counted(path: Path) -> int:
    return sum(counts(conversation).messages for conversation in read(path))


def was_judged(path: Path) -> int:
    return sum(judge(conversation, mode="request").messages for conversation in read(path))


@pytest.mark.benchmark(min_rounds=3, max_time=0, timer=process_time)
@pytest.mark.parametrize("work", [parsed, was_read, was_counted, was_judged])
def test_speed_of(work: Callable[[Path], int], log: tuple[Path, int], benchmark: BenchmarkFixture) -> None:
    path, messages = log
    size_mb = path.stat().st_size / 1e6

    assert benchmark(work, path) == messages

    if benchmark.stats:
        seconds = benchmark.stats["min"]
        benchmark.extra_info["MB"] = round(size_mb, 1)
        benchmark.extra_info["MB/s"] = round(size_mb / seconds, 1)
        benchmark.extra_info["messages/s"] = round(messages / seconds)


def test_the_log_is_the_same_bytes_for_the_same_seed(tmp_path: Path) -> None:
    first, second, other = (tmp_path / name for name in ("first", "second", "other"))

    assert chatlog.write(first, 0.3) == chatlog.write(second, 0.3)
    chatlog.write(other, 0.3, seed=8)

    assert first.read_bytes() == second.read_bytes()
    assert first.read_bytes() != other.read_bytes()


def cost(conversations: Iterable[Conversation]) -> tuple[float, float]:
    """Seconds of processor time for the reading of conversations, and for judging them (two modes, the dearer one)."""
    reading = judging = 0.0
    began = process_time()
    for conversation in conversations:
        read_at = process_time()
        judge(conversation, mode="request")
        middle = process_time()
        judge(conversation, mode="recording")
        ended = process_time()
        reading += read_at - began
        judging += max(middle - read_at, ended - middle)
        began = process_time()
    return reading, judging


@pytest.mark.skipif(sys.gettrace() is not None, reason="line tracing slows the checker, not the parser in C")
def test_judging_costs_at_most_as_much_again_as_parsing(log: tuple[Path, int]) -> None:
    def seconds_of_parsing() -> float:
        began = process_time()
        parsed(log[0])
        return process_time() - began

    parsing = min(seconds_of_parsing() for _ in range(3))
    judging = min(cost(read(log[0]))[1] for _ in range(3))
    assert judging <= parsing


def peak_mb(tmp_path: Path, size_mb: int) -> float:
    """Peak resident memory of a process that reads and judges a log and keeps nothing, in million bytes."""
    path = tmp_path / f"{size_mb}.jsonl"
    _, messages = chatlog.write(path, size_mb)
    ran = subprocess.run([sys.executable, "-c", PEAK, str(path)], capture_output=True, text=True, check=True)
    path.unlink()
    read_messages, peak = map(int, ran.stdout.split())
    assert read_messages == messages
    return peak / 1000 if sys.platform == "linux" else peak / 1e6


@pytest.mark.nightly
def test_memory_at_500_mb_is_flat_against_50_mb(tmp_path: Path) -> None:
    small, large = peak_mb(tmp_path, 50), peak_mb(tmp_path, 500)

    print(f"peak {small:.1f} MB at 50 MB, {large:.1f} MB at 500 MB")  # noqa: T201
    assert large < 1.1 * small
