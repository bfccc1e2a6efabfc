"""Why each rule is usually broken, and error texts that stand in no dialect's catalogue.

Sources: public issue reports of agent frameworks and clients; the texts are quoted as people paste them.
"""

from collections.abc import Mapping
from typing import Final

_INTERRUPTED = "The user interrupted, or a new message was sent, while a tool was still running."
_CANCELLED = "A cancel ended some of several parallel calls and wrote no result for them."
_RESUMED = "A session was restored after a crash and went on with a new prompt."
_TRIMMED = "Trimming or compaction cut between the call and its result."
_KEYED = "Results were kept in a map by tool name, or by an id that repeats, and some were overwritten."
_INSERTED = "A note, a system message or a queued message was put between the call and its result."

CAUSES: Final[Mapping[str, tuple[str, ...]]] = {
    "dangling_tool_call": (_INTERRUPTED, _CANCELLED, _RESUMED, _INSERTED, _KEYED),
    "interleaved_message": (_INSERTED, "A queued user message was flushed before the results came."),
    "content_before_result": ("An interruption note was put in front of the result in the same message.",),
    "split_results": ("Each result was sent as a message of its own.",),
    "orphan_tool_result": (
        _TRIMMED,
        "The result was saved, but the assistant message with the call never was (rejected, aborted, lost).",
        "The result got a fresh id.",
    ),
    "duplicate_tool_result": (
        "An abort placeholder and the late real result were both kept.",
        "An error handler and the normal handler both wrote a result.",
    ),
    "duplicate_call_id": (
        "The model or server gave one id to several calls.",
        "A retry or resume saved the same call again.",
    ),
    "reused_call_id": ("The server hands out one constant id for all calls.",),
    "missing_call_id": ("An error path built the result without the id of its call.", "The server sent no ids."),
    "bad_id_format": ("The history was made with another provider, whose ids look different.",),
    "null_content": ("An unfinished call was stripped and left an assistant message with nothing in it.",),
    "empty_text_block": (
        "The model was interrupted before its first token, and the empty message was stored.",
        "A tool that prints nothing gave an empty text.",
    ),
    "whitespace_text_block": ("A partial message of whitespace only was stored.",),
    "empty_user_content": ("An empty prompt was sent, or all blocks of the message were filtered out.",),
    "empty_content": ("A message lost all its blocks in a filter, or was stored before it had any.",),
    "content_after_tool_use": ("An abort and a retry were merged into one assistant message.",),
    "trailing_whitespace_prefill": ("A partial assistant message was kept after an interruption, cut behind a space.",),
    "prefill_unsupported": ("A partial assistant message was left at the end after an interruption.",),
    "thinking_tail": ("The model was interrupted while it was thinking.",),
    "missing_thinking": ("The client does not store thinking blocks and sends the tool loop without them.",),
    "thinking_modified": ("A client trimmed, re-ordered or re-encoded thinking blocks.",),
    "thinking_prefix_changed": (
        "Earlier messages, the system prompt or tools were edited after the thinking was made.",
    ),
    "unsigned_thinking": ("The model was interrupted while it was thinking; a cut thought has no signature.",),
    "first_message_role": (_TRIMMED, "A greeting was stored as the first message."),
    "system_placement": ("A system note was put into the messages where this model takes none.",),
    "role_alternation": ("A message that arrived while the agent was busy was sent as a message of its own.",),
    "unexpected_role_order": ("A user message was sent right behind a tool result (allowed elsewhere).",),
    "last_message_role": ("The agent loop called the model again although the assistant had spoken last.",),
    "result_count_mismatch": (_KEYED, _CANCELLED),
    "call_turn_position": (_TRIMMED, "Two model turns were stored one behind the other."),
    "missing_thought_signature": (
        "An adapter read the signature from the wrong level and dropped it.",
        "A parallel turn was rewritten as several steps.",
    ),
    "reasoning_without_item": ("The item behind the reasoning was dropped (interrupted or filtered).",),
    "item_without_reasoning": ("An item was replayed by id without the reasoning it came with.",),
    "duplicate_item_id": ("Two parts of a client each stored the same item; or input was added to a stored response.",),
    "tools_required": ("A summary or title request was sent with the history but without the tools.",),
    "empty_messages": ("Trimming left nothing, or the history was never loaded.",),
    "malformed_message": ("Framework objects were sent without converting them.",),
    "partial_arguments": ("The stream was cut inside the arguments, and the call was stored all the same.",),
    "mixed_content": ("User text was merged into the message that holds the results.",),
}

OTHER_TEXTS: Final[tuple[tuple[str, str, str], ...]] = (
    ("compatible", "dangling_tool_call", "(insufficient tool messages following tool_calls message)"),
    ("anthropic", "role_alternation", 'messages: roles must alternate between "user" and "assistant"'),
    (
        "anthropic",
        "empty_user_content",
        "all messages must have non-empty content except for the optional final assistant message",
    ),
    (
        "anthropic",
        "content_before_result",
        "tool_result block(s) at the beginning of this message.",
    ),
    (
        "gemini",
        "missing_thought_signature",
        "Unable to submit request because function call {name} is missing a thought_signature",
    ),
    ("gemini", "missing_thought_signature", "Corrupted thought signature"),
    ("gemini", "missing_thought_signature", "Invalid thought signature"),
    ("mistral", "last_message_role", "Expected last role User or Tool (or Assistant with prefix"),
    ("openai_chat", "bad_id_format", "string too long. Expected a string with maximum length 40"),
    (
        "langgraph",
        "dangling_tool_call",
        "Found AIMessages with tool_calls that do not have a corresponding ToolMessage",
    ),
    ("langgraph", "dangling_tool_call", "INVALID_CHAT_HISTORY"),
    (
        "pydantic_ai",
        "dangling_tool_call",
        "Cannot provide a new user prompt when the message history contains unprocessed tool calls",
    ),
    ("vercel_ai_sdk", "dangling_tool_call", "AI_MissingToolResultsError"),
    ("vercel_ai_sdk", "dangling_tool_call", "Tool result is missing for tool call"),
)
"""(dialect or framework, rule, text)."""
