"""Time checking beside plain ``json.loads`` of the same lines in the same process (processor time, best of three).

python -m tests.dialects.measure LOG.jsonl    (Chat Completions bodies, one a line)
"""

import json
import sys
from pathlib import Path
from time import process_time

from simlab.dialects.registry import check


def measure(path: Path) -> tuple[float, float, float, int]:
    """Return million bytes, seconds of reading, seconds of checking, and messages; a few lines are held at a time."""
    reading = checking = 0.0
    messages = 0
    with path.open("rb") as file:
        while lines := file.readlines(4_000_000):
            start = process_time()
            bodies = [json.loads(line) for line in lines]
            middle = process_time()
            for body in bodies:
                check("openai_chat", body["messages"], request=body, mode="recording")
            checking += process_time() - middle
            reading += middle - start
            messages += sum(len(body["messages"]) for body in bodies)
    return path.stat().st_size / 1e6, reading, checking, messages


def main(path: Path) -> None:
    size, reading, checking, messages = min((measure(path) for _ in range(3)), key=lambda run: run[1] + run[2])
    print(f"| plain `json.loads` | {size / reading:.0f} | {messages / reading:,.0f} |")  # noqa: T201
    print(f"| `check` of what was read | {size / checking:.0f} | {messages / checking:,.0f} |")  # noqa: T201
    print(f"checking costs {checking / reading:.2f} of reading ({size:.1f} MB)")  # noqa: T201


if __name__ == "__main__":
    main(Path(sys.argv[1]))
