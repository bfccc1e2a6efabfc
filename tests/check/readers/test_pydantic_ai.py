from pathlib import Path
from typing import Any

from simlab.check.readers import counts

from . import judge
from .files import document, only, roles

Part = dict[str, Any]


def request(*parts: Part, **more: Any) -> Part:
    return {"kind": "request", "parts": list(parts), **more}


def response(*parts: Part) -> Part:
    return {"kind": "response", "parts": list(parts)}


def part(kind: str, content: Any = None, **more: Any) -> Part:
    return {"part_kind": kind, "content": content, **more}


def called(call_id: str, args: Any = None) -> Part:
    return {"part_kind": "tool-call", "tool_name": "f", "args": args, "tool_call_id": call_id}


PROMPT = request(part("user-prompt", "hi"))


def test_a_retry_prompt_is_a_result_only_with_a_tool_name(tmp_path: Path) -> None:
    conversation = only(
        document(
            tmp_path,
            [
                PROMPT,
                response(called("a"), called("b")),
                request(
                    part("retry-prompt", [{"msg": "bad"}], tool_name="f", tool_call_id="a"),
                    part("tool-return", None, tool_name="f", tool_call_id="b", outcome="denied"),
                ),
                response(part("text", "done")),
                request(part("retry-prompt", "again", tool_name=None, tool_call_id="x")),
            ],
        )
    )

    assert roles(conversation) == "u a2 t t a u"
    assert judge.rules(conversation) == set()


def test_arguments_of_every_shape_are_text(tmp_path: Path) -> None:
    conversation = only(document(tmp_path, [PROMPT, response(called("a", '{"n"'), called("b", {"n": 1}), called("c"))]))

    functions = [call["function"]["arguments"] for call in conversation.messages[1]["tool_calls"]]
    assert functions == ['{"n"', '{"n": 1}', "{}"]


def test_an_id_that_the_provider_gave_twice_pairs_with_the_nearest_call(tmp_path: Path) -> None:
    back = request(part("tool-return", "ok", tool_name="f", tool_call_id="a"))

    assert (
        judge.rules(only(document(tmp_path, [PROMPT, response(called("a")), back, response(called("a")), back])))
        == set()
    )


def test_provider_side_tools_and_unknown_parts_are_skipped(tmp_path: Path) -> None:
    builtin = part("builtin-tool-call", tool_call_id="x"), part("builtin-tool-return", 1, tool_call_id="x")
    conversation = only(document(tmp_path, [PROMPT, response(*builtin, part("compaction"), part("text", "ok"))]))

    assert (counts(conversation).calls, counts(conversation).results) == (0, 0)
    assert conversation.messages[1] == {"role": "assistant", "content": "ok"}


def test_an_interrupted_request_without_parts_is_a_unit_but_no_message(tmp_path: Path) -> None:
    conversation = only(document(tmp_path, [PROMPT, response(called("a")), request(state="interrupted")]))

    assert counts(conversation).messages == 3
    assert judge.rules(conversation) == {"open_tail"}


def test_a_prompt_of_several_parts_keeps_them(tmp_path: Path) -> None:
    content = ["look", {"kind": "image-url", "url": "http://x"}, {"kind": "binary", "media_type": "audio/wav"}]
    conversation = only(document(tmp_path, [request(part("user-prompt", content))]))

    assert conversation.messages[0]["content"] == [
        {"type": "text", "text": "look"},
        {"type": "image_url", "image_url": {"url": "http://x"}},
        {"type": "text", "text": "[binary]"},
    ]
