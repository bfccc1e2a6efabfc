from tests.dialects.judged import errors
from tests.dialects.planted import call, calls, says, tool, user


def test_ids_used_again_and_empty_text_are_refused() -> None:
    again = [user(), calls(call()), tool(), calls(call()), tool(content="")]

    assert errors("openai_chat", *again) == []
    assert errors("compatible", *again) == [("reused_call_id", 3), ("empty_text", 4)]


def test_empty_text_beside_calls_is_taken() -> None:
    assert errors("compatible", user(), calls(call(), content=""), tool(), says()) == []


def test_the_words_of_compatible_endpoints_are_quoted() -> None:
    from simlab.dialects.registry import check

    found = check("compatible", [user(), calls(call()), user()])

    assert "insufficient tool messages following tool_calls message" in str(found[0].provider_error)
