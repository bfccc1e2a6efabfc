"""Write a Chat Completions log of any size: seeded, one conversation a line, parallel tool calls as real agents make.

Shape: a system prompt and tools, then turns of user text, assistant messages with one to four calls, their results
in shuffled order (a long tail of sizes, as listings and file reads have), and an answer. The same size and seed give
the same bytes.

    python -m tests.benchmarks.chatlog 500 out/chatlog.jsonl
"""

import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

WORDS = ("tide", "quay", "ferry", "wind", "rope", "mast", "harbour", "berth", "buoy", "chart", "crew", "deck", "gale")
TOOLS = ("read_file", "search", "run", "list_dir", "fetch")


def body(dice: random.Random, number: int) -> dict[str, Any]:
    """One well-formed request body."""
    messages: list[dict[str, Any]] = [{"role": "system", "content": prose(dice, 120)}]
    for turn in range(dice.randint(1, 6)):
        messages.append({"role": "user", "content": prose(dice, dice.randint(4, 60))})
        for step in range(dice.randint(0, 5)):
            messages.extend(round_of_tools(dice, f"{number}_{turn}_{step}"))
        messages.append({"role": "assistant", "content": prose(dice, dice.randint(10, 150))})
    return {"model": "sample-chat", "temperature": 0.2, "tools": [tool(name) for name in TOOLS], "messages": messages}


def round_of_tools(dice: random.Random, name: str) -> Iterator[dict[str, Any]]:
    """An assistant message with calls, and their results in the order in which they happened to end."""
    ids = [f"call_{name}_{index}" for index in range(dice.choice((1, 1, 1, 2, 2, 3, 4)))]
    yield {"role": "assistant", "content": None, "tool_calls": [call(dice, call_id) for call_id in ids]}
    dice.shuffle(ids)
    for call_id in ids:
        size = min(int(dice.lognormvariate(3.5, 1.2)) + 1, 4000)
        yield {"role": "tool", "tool_call_id": call_id, "content": prose(dice, size)}


def call(dice: random.Random, call_id: str) -> dict[str, Any]:
    """One tool call."""
    arguments = json.dumps(
        {"path": f"src/{dice.choice(WORDS)}/{dice.choice(WORDS)}.py", "lines": [1, dice.randint(2, 400)]}
    )
    return {"id": call_id, "type": "function", "function": {"name": dice.choice(TOOLS), "arguments": arguments}}


def tool(name: str) -> dict[str, Any]:
    """One tool definition."""
    parameters = {"type": "object", "properties": {"path": {"type": "string"}, "lines": {"type": "array"}}}
    return {"type": "function", "function": {"name": name, "description": f"Do {name}.", "parameters": parameters}}


def prose(dice: random.Random, words: int) -> str:
    """Some text, with the quotes, line ends and accents that make parsers work."""
    pieces = dice.choices(WORDS, k=words)
    pieces[dice.randrange(words)] = dice.choice(('"quoted"', "a\nnew line", "café", "C:\\dir", "tab\tbed"))
    return " ".join(pieces)


def write(path: Path, size_mb: float, seed: int = 7) -> tuple[int, int]:
    """Write at least ``size_mb`` million bytes; return the number of lines and of messages."""
    dice = random.Random(seed)
    limit = int(size_mb * 1_000_000)
    size = lines = messages = 0
    with path.open("wb") as file:
        while size < limit:
            item = body(dice, lines)
            size += file.write(json.dumps(item, ensure_ascii=False).encode() + b"\n")
            lines += 1
            messages += len(item["messages"])
    return lines, messages


if __name__ == "__main__":
    write(Path(sys.argv[2]), float(sys.argv[1]))
