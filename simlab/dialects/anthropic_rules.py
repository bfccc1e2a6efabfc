"""The catalogue of Anthropic Messages: each rule with the provider's text and a line of repair."""

from collections.abc import Mapping
from typing import Final

from simlab.dialects import texts
from simlab.dialects.rules import Rule

_DANGLING = (
    "messages.{index}: `tool_use` ids were found without `tool_result` blocks immediately after: {id}. Each `tool_use` "
    "block must have a corresponding `tool_result` block in the next message."
)

RULES: Final[Mapping[str, Rule]] = {
    "dangling_tool_call": Rule(error=_DANGLING, repair=texts.CLOSE),
    "dangling_tool_call:server": Rule(
        error="messages.{index}: server tool use with id {id} was found without a corresponding tool result block",
        repair="Put the result back into the same assistant message, or drop the server call.",
    ),
    "open_tail": Rule(error=_DANGLING, repair=texts.WAIT, severity="info"),
    "interleaved_message": Rule(error=_DANGLING, repair=texts.MOVE_BEHIND),
    "content_before_result": Rule(
        error="messages.{index}: Did not find tool_result block(s) at the beginning of this message. Messages "
        "following tool_use blocks must begin with a matching number of tool_result blocks.",
        repair="Put the tool_result blocks first and the text behind them.",
    ),
    "split_results": Rule(
        error=None,
        repair="Put all results of a turn into one user message: compatible endpoints refuse several.",
        severity="warning",
    ),
    "orphan_tool_result": Rule(
        error="messages.{index}{block}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each "
        "`tool_result` block must have a corresponding `tool_use` block in the previous message.",
        repair=texts.DROP_ORPHAN,
    ),
    "duplicate_tool_result": Rule(
        error="messages.{index}{block}: each tool_use must have a single result. Found multiple `tool_result` blocks "
        "with id: {id}",
        repair=texts.ONE_RESULT,
    ),
    "duplicate_call_id": Rule(error="messages.{index}{block}: `tool_use` ids must be unique", repair=texts.OWN_IDS),
    "missing_call_id": Rule(error="messages.{index}{block}.{field}: Field required", repair=texts.OWN_IDS),
    "bad_id_format": Rule(
        error="messages.{index}{block}.{field}: String should match pattern '^[a-zA-Z0-9_-]+$'",
        repair="Rewrite the id with letters, digits, _ and - only, in the call and in its result.",
    ),
    "content_after_tool_use": Rule(
        error=_DANGLING,
        repair="Put text and thinking in front of the tool_use blocks, or into the next assistant message.",
    ),
    "orphan_server_tool_result": Rule(
        error="messages.{index}{block}: unexpected `tool_use_id` found in `{kind}` blocks: {id}. Each `{kind}` block "
        "must have a corresponding `server_tool_use` block before it.",
        repair="Put the server call back in front of it in the same assistant message, or drop the result.",
    ),
    "first_message_role": Rule(
        error='messages: first message must use the "user" role',
        repair="Put a user message in front, or drop the leading assistant message.",
    ),
    "empty_text_block": Rule(error="messages: text content blocks must be non-empty", repair=texts.NO_EMPTY),
    "whitespace_text_block": Rule(
        error="messages: text content blocks must contain non-whitespace text", repair=texts.NO_EMPTY
    ),
    "empty_user_content": Rule(
        error="messages.{index}: user messages must have non-empty content", repair=texts.NO_EMPTY
    ),
    "trailing_whitespace_prefill": Rule(
        error="messages: final assistant content cannot end with trailing whitespace",
        repair="Strip the whitespace at the end of the last message.",
    ),
    "prefill_unsupported": Rule(
        error="This model does not support assistant message prefill. The conversation must end with a user message.",
        repair="Let a user message end the conversation.",
    ),
    "thinking_tail": Rule(
        error="The final block in an assistant message cannot be `thinking`.",
        repair="Drop the thinking block that ends the conversation.",
    ),
    "missing_thinking": Rule(
        error="Expected `thinking` or `redacted_thinking`, but found `{kind}`. When `thinking` is enabled, a final "
        "`assistant` message must start with a thinking block (preceding the lastmost set of `tool_use` and "
        "`tool_result` blocks).",
        repair="Store the thinking blocks of the running tool loop and send them back, or switch thinking off for it.",
        severity="warning",
    ),
    "thinking_modified": Rule(
        error="messages.{index}{block}: `thinking` or `redacted_thinking` blocks in the latest assistant message "
        "cannot be modified.",
        repair="Send the blocks of the latest assistant message back byte for byte.",
    ),
    "thinking_prefix_changed": Rule(
        error="Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the "
        'block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".',
        repair="Drop the thinking blocks that were made before the earlier messages changed.",
    ),
    "unsigned_thinking": Rule(
        error="messages.{index}{block}: Invalid `signature` in `thinking` block",
        repair="Drop the thinking block: a thought that was cut off has no signature and cannot be sent back.",
    ),
    "tools_required": Rule(
        error="Requests which include `tool_use` or `tool_result` blocks must define tools",
        repair="Send the tool definitions with every request whose history uses tools.",
    ),
    "system_placement": Rule(
        error="messages.{index}: role 'system' must precede an 'assistant' message or end the array",
        repair="Move the system message behind the results and the user's messages.",
    ),
    "system_placement:unsupported": Rule(
        error="messages.{index}: role 'system' is not supported on this model",
        repair="Use the top-level system parameter, or say it in a user message.",
    ),
    "system_placement:first": Rule(
        error="messages.0: use the top-level 'system' parameter for the initial system prompt",
        repair="Move it into the top-level system parameter.",
    ),
    "misplaced_block": Rule(
        error="messages.{index}: `{kind}` blocks can only be in `{role}` messages",
        repair="Move the block into a message of the right role.",
    ),
    "partial_arguments": Rule(
        error="messages.{index}{block}.tool_use.input: Input should be a valid dictionary", repair=texts.WHOLE_ARGUMENTS
    ),
    "empty_messages": Rule(error="messages: at least one message is required", repair="Send at least one message."),
    "unknown_role": Rule(
        error='messages.{index}: Unexpected role {role}. Allowed roles are "user" or "assistant".',
        repair="Use user or assistant; system text goes into the top-level parameter.",
    ),
    "malformed_message": Rule(error="messages.{index}{block}: Input should be a valid dictionary", repair=texts.OBJECT),
}
