"""For every rule of every dialect a conversation that breaks it, and nothing worse."""

from dataclasses import dataclass, field
from typing import Any

from simlab.dialects.findings import Mode

Messages = list[Any]


@dataclass(frozen=True, kw_only=True)
class Planted:
    """A breach: the rule with its variant, where it is reported, and under which flags and mode."""

    dialect: str
    rule: str
    messages: Messages
    at: int | None
    request: dict[str, Any] = field(default_factory=dict)
    mode: Mode = "request"
    also: set[str] = field(default_factory=set)

    @property
    def name(self) -> str:
        return f"{self.dialect}-{self.rule}-{self.mode}"


def user(text: str = "Go.") -> dict[str, Any]:
    return {"role": "user", "content": text}


def says(text: Any = "Done.") -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def call(name: str = "c1", arguments: Any = "{}", tool: str = "look") -> dict[str, Any]:
    return {"id": name, "type": "function", "function": {"name": tool, "arguments": arguments}}


def calls(*made: Any, content: Any = None) -> dict[str, Any]:
    return {"role": "assistant", "content": content, "tool_calls": list(made)}


def tool(name: Any = "c1", content: Any = "seen") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": name, "content": content}


def _chat(rule: str, at: int | None, *messages: Any, **more: Any) -> list[Planted]:
    planted = Planted(dialect="openai_chat", rule=rule, at=at, messages=list(messages), **more)
    return [planted, Planted(dialect="compatible", rule=rule, at=at, messages=list(messages), **more)]


LONG = "c" * 41

CHAT: list[Planted] = [
    *_chat("dangling_tool_call", 1, user(), calls(call()), user()),
    *_chat("open_tail", 1, user(), calls(call()), mode="recording"),
    *_chat("interleaved_message", 2, user(), calls(call()), user("Wait."), tool()),
    *_chat("orphan_tool_result", 2, user(), says(), tool()),
    *_chat("orphan_tool_result:other_id", 3, user(), calls(call()), tool(), tool("c2")),
    *_chat("duplicate_tool_result", 3, user(), calls(call()), tool(), tool()),
    *_chat("duplicate_call_id", 1, user(), calls(call(), call()), tool(), tool()),
    *_chat("reused_call_id", 3, user(), calls(call()), tool(), calls(call()), tool()),
    *_chat("missing_call_id", 2, user(), calls(call()), tool("")),
    *_chat("bad_id_format", 1, user(), calls(call(LONG)), tool(LONG)),
    *_chat("null_content", 1, user(), says(None), user()),
    *_chat("empty_messages", None),
    *_chat("empty_tool_calls", 1, user(), {**says(), "tool_calls": []}),
    *_chat("arguments_not_text", 1, user(), calls(call(arguments={})), tool()),
    *_chat("unknown_role", 1, user(), {"role": "robot", "content": "Beep."}),
    *_chat("malformed_message", 1, user(), 7),
    *_chat("result_as_user_text", 2, user(), calls(call()), user("Tool output: a.md"), also={"dangling_tool_call"}),
    *_chat("partial_arguments", 1, user(), calls(call(arguments='{"a": "b')), tool(), mode="strict"),
    Planted(dialect="compatible", rule="empty_text", at=0, messages=[user("")]),
]

RESPONSES: list[Planted] = []


def _responses(rule: str, at: int | None, *items: Any, **more: Any) -> None:
    RESPONSES.append(Planted(dialect="openai_responses", rule=rule, at=at, messages=list(items), **more))


def item(role: str = "user", kind: str = "input_text", text: str = "Go.") -> dict[str, Any]:
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


def function_call(name: str = "c1", **more: Any) -> dict[str, Any]:
    return {"type": "function_call", "call_id": name, "name": "look", "arguments": "{}", **more}


def output(name: str = "c1", kind: str = "function_call_output") -> dict[str, Any]:
    return {"type": kind, "call_id": name, "output": "seen"}


_responses("dangling_tool_call", 1, item(), function_call(), item())
_responses("open_tail", 1, item(), function_call(), mode="recording")
_responses("interleaved_message", 2, item(), function_call(), item(), output(), mode="strict")
_responses("orphan_tool_result", 1, item(), output())
_responses("duplicate_tool_result", 3, item(), function_call(), output(), output())
_responses("duplicate_call_id", 2, item(), function_call(), function_call(), output())
_responses("reused_call_id", 3, item(), function_call(), output(), function_call(), output())
_responses("missing_call_id", 1, item(), {"type": "function_call_output", "output": "seen"})
_responses("bad_id_format", 1, item(), function_call("c" * 65), output("c" * 65))
_responses("reasoning_without_item", 1, item(), {"type": "reasoning", "id": "rs_1", "summary": []}, item())
_responses("duplicate_item_id", 2, item(), function_call(id="fc_1"), function_call(id="fc_1"), output())
_responses("content_type", 1, item(), item("assistant", "input_text"))
_responses("null_content", 0, {"type": "message", "role": "user"})
_responses("empty_messages", None)
_responses("partial_arguments", 1, item(), function_call(arguments='{"a"'), output(), mode="strict")
_responses("unknown_role", 0, {**item(), "role": "robot"})
_responses("malformed_message", 0, "text")

ANTHROPIC: list[Planted] = []


def _anthropic(rule: str, at: int | None, *messages: Any, **more: Any) -> None:
    ANTHROPIC.append(Planted(dialect="anthropic", rule=rule, at=at, messages=list(messages), **more))


def use(name: str = "t1", **more: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": name, "name": "look", "input": {}, **more}


def result(name: str = "t1", content: Any = "seen") -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": name, "content": content}


def text(words: str = "So.") -> dict[str, Any]:
    return {"type": "text", "text": words}


def by_user(*blocks: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def by_model(*blocks: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


THINKING = {"type": "thinking", "thinking": "Hm.", "signature": "sig"}
BODY = {"model": "m", "max_tokens": 9}

_anthropic("dangling_tool_call", 1, user(), by_model(use()), user())
_anthropic(
    "dangling_tool_call:server",
    1,
    user(),
    by_model({"type": "server_tool_use", "id": "s1", "name": "web_search"}),
    user(),
)
_anthropic("open_tail", 1, user(), by_model(use()), mode="recording")
_anthropic("interleaved_message", 2, user(), by_model(use()), user("Wait."), by_user(result()))
_anthropic("interleaved_message", 2, user(), by_model(use()), says("Meanwhile."), by_user(result()))
_anthropic("content_before_result", 2, user(), by_model(use()), by_user(text(), result()))
_anthropic("split_results", 3, user(), by_model(use(), use("t2")), by_user(result()), by_user(result("t2")))
_anthropic("orphan_tool_result", 2, user(), says(), by_user(result()))
_anthropic("duplicate_tool_result", 2, user(), by_model(use()), by_user(result(), result()))
_anthropic("duplicate_call_id", 3, user(), by_model(use()), by_user(result()), by_model(use()), by_user(result()))
_anthropic("missing_call_id", 2, user(), by_model(use()), by_user({"type": "tool_result"}))
_anthropic("bad_id_format", 1, user(), by_model(use("t.1")), by_user(result("t.1")))
_anthropic("content_after_tool_use", 1, user(), by_model(use(), text()), by_user(result()))
_anthropic(
    "orphan_server_tool_result", 1, user(), by_model({"type": "web_search_tool_result", "tool_use_id": "s1"}), user()
)
_anthropic("first_message_role", 0, says(), user())
_anthropic("empty_text_block", 1, user(), by_model(text("")), user())
_anthropic("empty_text_block", 2, user(), by_model(use()), by_user(result(content=[text("")])))
_anthropic("whitespace_text_block", 1, user(), by_model(text(" \n")), user())
_anthropic("empty_user_content", 0, user(""))
_anthropic("trailing_whitespace_prefill", 1, user(), says("Let me "))
_anthropic("prefill_unsupported", 1, user(), says(), request={"prefill_supported": False})
_anthropic("thinking_tail", 1, user(), by_model(THINKING))
_anthropic("missing_thinking", 1, user(), by_model(use()), by_user(result()), request={"thinking": {"type": "enabled"}})
_anthropic("unsigned_thinking", 1, user(), by_model({"type": "thinking", "thinking": "Hm."}), user())
_anthropic("tools_required", None, user(), by_model(use()), by_user(result()), request=BODY)
_anthropic("system_placement:unsupported", 1, user(), {"role": "system", "content": "Be kind."}, says())
_anthropic(
    "system_placement",
    1,
    user(),
    {"role": "system", "content": "Be kind."},
    user(),
    request={"mid_system_supported": True},
)
_anthropic(
    "system_placement:first",
    0,
    {"role": "system", "content": "Be kind."},
    user(),
    request={"mid_system_supported": True},
)
_anthropic("misplaced_block", 1, user(), by_model(result()), user())
_anthropic("partial_arguments", 1, user(), by_model(use(input="{")), by_user(result()))
_anthropic("empty_messages", None)
_anthropic("unknown_role", 1, user(), {"role": "tool", "content": "seen"})
_anthropic("malformed_message", 1, user(), None)

BEDROCK: list[Planted] = []


def _bedrock(rule: str, at: int | None, *messages: Any, **more: Any) -> None:
    BEDROCK.append(Planted(dialect="bedrock", rule=rule, at=at, messages=list(messages), **more))


def bedrock_use(name: Any = "t1", **more: Any) -> dict[str, Any]:
    return {"toolUse": {"toolUseId": name, "name": "look", "input": {}, **more}}


def bedrock_result(name: Any = "t1", content: Any = None, **more: Any) -> dict[str, Any]:
    return {"toolResult": {"toolUseId": name, "content": content or [{"text": "seen"}], **more}}


B_USER = by_user({"text": "Go."})
B_SAYS = by_model({"text": "Done."})

_bedrock("dangling_tool_call", 1, B_USER, by_model(bedrock_use()), B_USER)
_bedrock("open_tail", 1, B_USER, by_model(bedrock_use()), mode="recording")
_bedrock("interleaved_message", 2, B_USER, by_model(bedrock_use()), B_USER, by_user(bedrock_result()))
_bedrock(
    "split_results",
    3,
    B_USER,
    by_model(bedrock_use(), bedrock_use("t2")),
    by_user(bedrock_result()),
    by_user(bedrock_result("t2")),
)
_bedrock("orphan_tool_result", 2, B_USER, B_SAYS, by_user(bedrock_result()))
_bedrock("duplicate_tool_result", 2, B_USER, by_model(bedrock_use()), by_user(bedrock_result(), bedrock_result()))
_bedrock(
    "duplicate_call_id", 1, B_USER, by_model(bedrock_use(), bedrock_use()), by_user(bedrock_result(), bedrock_result())
)
_bedrock(
    "reused_call_id",
    3,
    B_USER,
    by_model(bedrock_use()),
    by_user(bedrock_result()),
    by_model(bedrock_use()),
    by_user(bedrock_result()),
)
_bedrock(
    "missing_call_id", 1, B_USER, by_model({"toolUse": {"name": "look", "input": {}}}), also={"dangling_tool_call"}
)
_bedrock("bad_id_format", 1, B_USER, by_model(bedrock_use("t 1")), by_user(bedrock_result("t 1")))
_bedrock("role_alternation", 1, B_USER, B_USER)
_bedrock("role_alternation:first", 0, B_SAYS, B_USER)
_bedrock("empty_content", 1, B_USER, by_model(), B_USER)
_bedrock(
    "empty_content:result",
    2,
    B_USER,
    by_model(bedrock_use()),
    by_user({"toolResult": {"toolUseId": "t1", "content": [], "status": "error"}}),
)
_bedrock("empty_text_block", 1, B_USER, by_model({"text": " "}), B_USER)
_bedrock("tool_result_json", 2, B_USER, by_model(bedrock_use()), by_user(bedrock_result(content=[{"json": [1]}])))
_bedrock("mixed_content", 2, B_USER, by_model(bedrock_use()), by_user(bedrock_result(), {"text": "And?"}))
_bedrock("tools_required", None, B_USER, by_model(bedrock_use()), by_user(bedrock_result()), request={"modelId": "m"})
_bedrock("misplaced_block", 1, B_USER, by_model(bedrock_result()), B_USER)
_bedrock("partial_arguments", 1, B_USER, by_model(bedrock_use(input="{")), by_user(bedrock_result()))
_bedrock("empty_messages", None)
_bedrock("unknown_role", 0, {"role": "system", "content": [{"text": "Be kind."}]})
_bedrock("malformed_message", 0, {"role": "user", "content": "text"})

GEMINI: list[Planted] = []


def _gemini(rule: str, at: int | None, *contents: Any, **more: Any) -> None:
    GEMINI.append(Planted(dialect="gemini", rule=rule, at=at, messages=list(contents), **more))


def turn(role: str, *parts: Any) -> dict[str, Any]:
    return {"role": role, "parts": list(parts)}


def g_call(name: str = "look", **more: Any) -> dict[str, Any]:
    return {"functionCall": {"name": name, "args": {}, **more}}


def g_response(name: str = "look", **more: Any) -> dict[str, Any]:
    return {"functionResponse": {"name": name, "response": {"output": "seen"}, **more}}


G_USER = turn("user", {"text": "Go."})
G_SAYS = turn("model", {"text": "Done."})

_gemini("dangling_tool_call", 1, G_USER, turn("model", g_call()), G_USER)
_gemini("open_tail", 1, G_USER, turn("model", g_call()), mode="recording")
_gemini("interleaved_message", 2, G_USER, turn("model", g_call()), G_USER, turn("user", g_response()))
_gemini("result_count_mismatch", 2, G_USER, turn("model", g_call(), g_call()), turn("user", g_response()))
_gemini("orphan_tool_result", 2, G_USER, G_SAYS, turn("user", g_response()))
_gemini(
    "duplicate_tool_result",
    2,
    G_USER,
    turn("model", g_call(id="a"), g_call(id="b")),
    turn("user", g_response(id="a"), g_response(id="a")),
    also={"dangling_tool_call"},
)
_gemini(
    "duplicate_call_id",
    1,
    G_USER,
    turn("model", g_call(id="a"), g_call(id="a")),
    turn("user", g_response(id="a"), g_response(id="a")),
)
_gemini(
    "reused_call_id",
    3,
    G_USER,
    turn("model", g_call(id="a")),
    turn("user", g_response(id="a")),
    turn("model", g_call(id="a")),
    turn("user", g_response(id="a")),
)
_gemini("call_turn_position", 2, G_USER, G_SAYS, turn("model", g_call()), turn("user", g_response()))
_gemini(
    "missing_thought_signature",
    1,
    G_USER,
    turn("model", g_call(thoughtSignature="inside")),
    turn("user", g_response()),
    request={"model": "gemini-3-pro"},
)
_gemini("name_mismatch", 2, G_USER, turn("model", g_call()), turn("user", g_response("other")))
_gemini("empty_content", 1, G_USER, turn("model"), G_USER)
_gemini("partial_arguments", 1, G_USER, turn("model", g_call(args="{")), turn("user", g_response()))
_gemini("misplaced_block", 1, G_USER, turn("model", g_response()), G_USER)
_gemini("empty_messages", None)
_gemini("unknown_role", 0, turn("assistant", {"text": "Hi."}))
_gemini("malformed_message", 0, {"role": "user", "parts": "text"})

MISTRAL: list[Planted] = []
ID, OTHER = "Ab1Cd2Ef3", "Gh4Ij5Kl6"


def _mistral(rule: str, at: int | None, *messages: Any, **more: Any) -> None:
    MISTRAL.append(Planted(dialect="mistral", rule=rule, at=at, messages=list(messages), **more))


_mistral("dangling_tool_call", 1, user(), calls(call(ID)), user())
_mistral("open_tail", 1, user(), calls(call(ID)), mode="recording")
_mistral("interleaved_message", 2, user(), calls(call(ID)), says(), tool(ID))
_mistral("orphan_tool_result", 2, user(), says(), tool(ID))
_mistral("duplicate_tool_result", 3, user(), calls(call(ID)), tool(ID), tool(ID))
_mistral("duplicate_call_id", 1, user(), calls(call(ID), call(ID)), tool(ID), tool(ID))
_mistral("reused_call_id", 3, user(), calls(call(ID)), tool(ID), calls(call(ID)), tool(ID))
_mistral("missing_call_id", 2, user(), calls(call(ID)), {"role": "tool", "content": "seen"})
_mistral("bad_id_format", 1, user(), calls(call("call_1")), tool("call_1"))
_mistral("unexpected_role_order", 3, user(), calls(call(ID)), tool(ID), user())
_mistral("last_message_role", 1, user(), says())
_mistral("prefix_not_last", 1, user(), {**says(), "prefix": True}, user())
_mistral("first_message_role", 0, says())
_mistral("first_call_uncounted", 0, calls(call(ID)), tool(ID), says(), user())
_mistral("content_and_calls", 1, user(), calls(call(ID), content="So."), tool(ID), request={"tokenizer_version": "v3"})
_mistral("empty_content", 1, user(), says(""), user())
_mistral("bad_tool_name", 1, user(), calls(call(ID, tool="look up")), tool(ID))
_mistral("null_content", 0, {"role": "user", "content": None})
_mistral("partial_arguments", 1, user(), calls(call(ID, arguments="{")), tool(ID), mode="strict")
_mistral("empty_messages", None)
_mistral("unknown_role", 0, {"role": "developer", "content": "Be kind."}, also={"last_message_role"})
_mistral("malformed_message", 1, user(), [])

PLANTED = CHAT + RESPONSES + ANTHROPIC + BEDROCK + GEMINI + MISTRAL

NEED_A_BASELINE = {
    ("openai_responses", "item_without_reasoning"),
    ("anthropic", "thinking_modified"),
    ("anthropic", "thinking_prefix_changed"),
}
"""Rules that no single conversation can break: they compare it with an earlier record."""
