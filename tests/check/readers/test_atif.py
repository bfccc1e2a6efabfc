from pathlib import Path
from typing import Any

from simlab.check.readers import read

from . import judge
from .files import document, lines, only, roles


def trajectory(*steps: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"schema_version": "ATIF-v1.7", "agent": {"name": "x"}, "steps": list(steps), **more}


def acts(*calls: str, results: tuple[str | None, ...] = ()) -> dict[str, Any]:
    return {
        "source": "agent",
        "message": [{"type": "text", "text": "so"}],
        "tool_calls": [{"tool_call_id": name, "function_name": "f", "arguments": {}} for name in calls],
        "observation": {"results": [{"source_call_id": name, "content": "x"} for name in results]},
    }


def test_a_result_must_name_a_call_of_its_own_step(tmp_path: Path) -> None:
    conversation = only(document(tmp_path, trajectory(acts("a"), acts("b", results=("a", "b", None)))))

    assert roles(conversation) == "a1 a1 t t"
    assert conversation.places[2] == "steps[1].observation.results[0]"


def test_trajectories_of_sub_agents_are_conversations_of_their_own(tmp_path: Path) -> None:
    inner = trajectory(acts("c"), trajectory_id="sub")
    path = document(
        tmp_path, trajectory(acts("a", results=("a",)), trajectory_id="main", subagent_trajectories=[inner])
    )

    assert [(item.id, sorted(judge.rules(item))) for item in read(path)] == [("main", []), ("sub", ["open_tail"])]


def test_trajectories_on_lines_are_read_one_by_one(tmp_path: Path) -> None:
    assert [item.id for item in read(lines(tmp_path, trajectory(acts()), trajectory(acts())))] == ["line 1", "line 2"]
