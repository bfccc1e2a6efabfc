"""Claude Code session logs: a tree of records, one content block each, appended as the session goes.

The live conversation is the chain from the last record to the root. Parallel results sit beside that chain, on
sibling branches, so every result of a call on the chain is added. The records of one model message are one message,
and neighbouring results are one user message, as the client sends them.
Source: format notes and samples of daaain/claude-code-log, simonw/claude-code-transcripts and
uw-syfi/TraceLab; anthropics/claude-code issues 31330 and 37779 for the side branches, 31328 for lost records.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from simlab.check.readers.anthropic import with_joined_results
from simlab.check.readers.claude_queue import Queue
from simlab.check.readers.faults import Faults, note
from simlab.check.readers.saved import SavedConversation, each_object
from simlab.check.readers.source import Source
from simlab.check.readers.values import instant_ms, joined_text, object_of, objects_of, text_or_none, word
from simlab.core.errors import SimlabError
from simlab.dialects.findings import Finding

FORMAT = "claude_code"

_TREE_TYPES = {"user", "assistant", "system", "attachment", "progress"}
_LOOSE_TYPES = {
    "summary",
    "mode",
    "permission-mode",
    "file-history-snapshot",
    "ai-title",
    "custom-title",
    "last-prompt",
    "queue-operation",
    "cost-state",
    "agent-name",
    "pr-link",
}
_INTERRUPTED = "[Request interrupted by user"


class Node(NamedTuple):
    """What is needed of one tree record."""

    line: int
    uuid: str
    parent: str | None
    kind: str
    content: Any
    message_id: str | None
    hidden: bool
    branch: str | None
    at_ms: float


def looks_like(value: Any) -> bool:
    """Whether a value is a record of a session log."""
    if not isinstance(value, dict):
        return False
    if "uuid" in value and "parentUuid" in value and word(value, "type") in _TREE_TYPES:
        return True
    return word(value, "type") in _LOOSE_TYPES and ("sessionId" in value or "leafUuid" in value or "snapshot" in value)


def read(source: Source) -> Iterator[SavedConversation]:
    """Yield the live branch of the session, then every side chain of sub-agents."""
    faults = Faults()
    queue = Queue()
    nodes = _nodes(source, faults, queue)
    if not nodes:
        raise SimlabError(f"{source.path}: holds no user or assistant record of a Claude Code session")
    notes = faults.notes(end=True)
    for branch, members in _branches(nodes).items():
        yield _conversation(branch, members, notes, queue if branch is None else Queue())
        notes = []


def _nodes(source: Source, faults: Faults, queue: Queue) -> list[Node]:
    nodes: dict[str, Node] = {}
    for line, record in each_object(source, faults):
        uuid = record.get("uuid")
        if isinstance(uuid, str) and uuid not in nodes and word(record, "type") in _TREE_TYPES:
            nodes[uuid] = _node(record, line)
        elif record.get("type") == "queue-operation":
            queue.take(record)
    return list(nodes.values())


def _node(record: dict[str, Any], line: int) -> Node:
    message = object_of(record.get("message"))
    kind = record["type"]
    content = message.get("content")
    if kind == "attachment":
        kind, content = _attachment(object_of(record.get("attachment")))
    parent = record.get("parentUuid") or record.get("logicalParentUuid")
    return Node(
        line=line,
        uuid=record["uuid"],
        parent=text_or_none(parent),
        kind=kind,
        content=content,
        message_id=text_or_none(message.get("id")),
        hidden=bool(record.get("isMeta")),
        branch=(text_or_none(record.get("agentId")) or "") if record.get("isSidechain") else None,
        at_ms=instant_ms(record.get("timestamp")),
    )


def _attachment(attachment: dict[str, Any]) -> tuple[str, Any]:
    """A message that a person typed while the model was working is an attachment, not a user record."""
    prompt = attachment.get("prompt")
    human = object_of(attachment.get("origin")).get("kind", "human") in ("human", None)
    queued = attachment.get("type") == "queued_command" and human
    if queued and prompt and not joined_text(prompt).startswith("<task-notification>"):
        return "user", prompt
    return "attachment", None


def _branches(nodes: list[Node]) -> dict[str | None, list[Node]]:
    """Main records under ``None``, side chains by agent, those of older versions by their root."""
    roots: dict[str, str] = {}
    found: dict[str | None, list[Node]] = {}
    for node in nodes:
        roots[node.uuid] = roots.get(node.parent or "", node.uuid)
        key = roots[node.uuid] if node.branch == "" else node.branch
        found.setdefault(key, []).append(node)
    return dict(sorted(found.items(), key=lambda item: item[0] is not None))


def _conversation(branch: str | None, nodes: list[Node], notes: list[Finding], queue: Queue) -> SavedConversation:
    chain, problems = _live_chain(nodes)
    live = [node for node in _with_side_branches(nodes, chain) if _is_message(node)]
    records, lines = _messages(live)
    messages, places = with_joined_results(records, lines)
    started_ms = nodes[0].at_ms
    return SavedConversation(
        format=FORMAT,
        dialect="anthropic",
        messages=messages,
        request={},
        events=_interrupts(live, started_ms) + queue.ground_truth(_said(live), _said(nodes), started_ms),
        baseline=None,
        notes=notes + problems,
        id=branch,
        units=len(records),
        places=places,
    )


def _interrupts(live: list[Node], started_ms: float) -> list[dict[str, Any]]:
    return [
        {"t": node.at_ms - started_ms, "kind": "interrupt"}
        for node in live
        if node.kind == "user" and joined_text(node.content).startswith(_INTERRUPTED)
    ]


def _said(nodes: list[Node]) -> set[str]:
    return {joined_text(node.content).strip() for node in nodes if node.kind == "user"}


def _live_chain(nodes: list[Node]) -> tuple[set[str], list[Finding]]:
    """Walk from the last record to the root; where a parent was never written, go on with the record before."""
    by_uuid = {node.uuid: node for node in nodes}
    order = {node.uuid: index for index, node in enumerate(nodes)}
    chain: set[str] = set()
    problems: list[Finding] = []
    node: Node | None = nodes[-1]
    while node is not None:
        chain.add(node.uuid)
        parent = by_uuid.get(node.parent or "")
        if parent is None and node.parent is not None:
            parent = nodes[order[node.uuid] - 1] if order[node.uuid] else None
            if parent is not None and not any(found.rule == "missing_parent" for found in problems):
                problems.append(_missing_parent(node))
        if parent is not None and parent.uuid in chain:
            problems.append(_cyclic(node))
            break
        node = parent
    return chain, problems


def _missing_parent(node: Node) -> Finding:
    text = f"line {node.line} hangs under a record that the file does not hold; read on with the record before it"
    return note("missing_parent", "info", text, "Nothing to do: the record was never written or is in another file.")


def _cyclic(node: Node) -> Finding:
    text = f"line {node.line} hangs under one of its own descendants; the walk to the root ends there"
    return note("cyclic_parents", "warning", text, "Correct parentUuid of the line.")


def _with_side_branches(nodes: list[Node], chain: set[str]) -> list[Node]:
    """The chain, the other records of its model messages, and the results of their calls, in file order."""
    model_messages = {node.message_id for node in nodes if node.uuid in chain and node.message_id}
    live = {node.uuid for node in nodes if node.uuid in chain or node.message_id in model_messages}
    called = {call for node in nodes if node.uuid in live for call in _ids(node, "tool_use", "id")}
    answered = {call for node in nodes if node.uuid in live for call in _ids(node, "tool_result", "tool_use_id")}
    missing = called - answered
    return [
        node
        for node in nodes
        if node.uuid in live or any(call in missing for call in _ids(node, "tool_result", "tool_use_id"))
    ]


def _ids(node: Node, kind: str, key: str) -> list[str]:
    wanted = "assistant" if kind == "tool_use" else "user"
    if node.kind != wanted:
        return []
    blocks = objects_of(node.content)
    return [block[key] for block in blocks if block.get("type") == kind and isinstance(block.get(key), str)]


def _is_message(node: Node) -> bool:
    if node.kind == "assistant":
        return node.content is not None
    return node.kind == "user" and node.content is not None and (not node.hidden or _holds_result(node))


def _holds_result(node: Node) -> bool:
    return any(block.get("type") == "tool_result" for block in objects_of(node.content))


def _messages(live: list[Node]) -> tuple[list[dict[str, Any]], list[str]]:
    messages: list[dict[str, Any]] = []
    places: list[str] = []
    at: dict[str, int] = {}
    for node in live:
        if node.kind == "assistant" and node.message_id in at:
            messages[at[node.message_id]]["content"].extend(_blocks(node.content))
            continue
        if node.kind == "assistant" and node.message_id is not None:
            at[node.message_id] = len(messages)
        content = _blocks(node.content) if node.kind == "assistant" else node.content
        messages.append({"role": node.kind, "content": content})
        places.append(f"line {node.line}")
    return messages, places


def _blocks(content: Any) -> list[Any]:
    if isinstance(content, list):
        return list(content)
    return [{"type": "text", "text": content}]
