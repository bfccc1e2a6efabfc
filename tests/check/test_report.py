import json
from dataclasses import replace

from simlab.check.report import as_objects, as_sarif, as_text, printable, texts
from simlab.check.verdict import Verdict, judge
from tests.check.made import conversation
from tests.dialects.planted import call, calls, says, tool, user

BROKEN = conversation("openai_chat", [user(), calls(call("a\u2028b")), user("Stop.")])
FINE = conversation("openai_chat", [user(), says()])


def verdicts() -> list[Verdict]:
    return [
        judge(BROKEN, file="log.jsonl"),
        judge(FINE, file="log.jsonl"),
        judge(FINE, target="mistral", file="log.jsonl"),
    ]


def test_the_text_names_file_verdict_place_provider_and_repair() -> None:
    text = as_text(verdicts()[0])

    assert text.splitlines()[0] == "log.jsonl: 1 error for openai_chat (request, 3 messages)"
    assert "error: dangling_tool_call at messages[1].tool_calls[0]" in text
    assert "provider: An assistant message with 'tool_calls' must be followed" in text
    assert "repair: Close the call" in text


def test_a_well_formed_conversation_is_one_line() -> None:
    assert as_text(verdicts()[1]) == "log.jsonl: well formed for openai_chat (request, 2 messages)"


def test_of_a_file_with_many_conversations_only_the_broken_ones_are_told_and_all_are_counted() -> None:
    many = [judge(FINE, file="log.jsonl"), judge(BROKEN, file="log.jsonl"), judge(FINE, file="log.jsonl")]

    told = list(texts([*many, judge(FINE, file="other.json")]))

    assert [text.splitlines()[0] for text in told] == [
        "log.jsonl: 1 error for openai_chat (request, 3 messages)",
        "log.jsonl: 3 conversations for openai_chat, 1 with errors",
        "other.json: well formed for openai_chat (request, 2 messages)",
    ]


def test_a_finding_says_where_its_message_stands_in_the_file() -> None:
    verdict = replace(judge(BROKEN), places=["line 1", "line 4", "line 9"])

    assert "at messages[1].tool_calls[0] (line 4): call" in as_text(verdict)


def test_there_is_one_object_a_file_and_target_with_the_documented_keys() -> None:
    objects = as_objects(verdicts())

    assert [(one["file"], one["target"], one["valid"]) for one in objects] == [
        ("log.jsonl", "openai_chat", False),
        ("log.jsonl", "mistral", False),
    ]
    assert list(objects[0]) == ["file", "format", "target", "mode", "valid", "findings"]
    keys = ["rule", "severity", "index", "path", "partner", "message", "provider_error", "repair"]
    assert list(objects[1]["findings"][0]) == keys


def test_findings_of_several_conversations_in_a_file_name_theirs() -> None:
    (chat, _) = as_objects(verdicts())

    assert [one["conversation"] for one in chat["findings"]] == ["0"]


def test_sarif_has_the_required_parts() -> None:
    log = as_sarif(verdicts(), "1.2.3")

    (run,) = log["runs"]
    assert log["version"] == "2.1.0"
    assert run["tool"]["driver"]["version"] == "1.2.3"
    rules = [one["id"] for one in run["tool"]["driver"]["rules"]]
    assert {one["ruleId"] for one in run["results"]} == set(rules)
    assert {one["level"] for one in run["results"]} <= {"error", "warning", "note"}
    (location,) = run["results"][0]["locations"]
    assert location["physicalLocation"]["artifactLocation"]["uri"] == "log.jsonl"
    assert location["logicalLocations"][0]["fullyQualifiedName"] == "openai_chat:messages[1].tool_calls[0]"


def test_reports_can_be_written_whatever_the_log_holds() -> None:
    odd = conversation("openai_chat", [user(), calls(call("\ud800\x1b[2J")), tool("\ud800"), {"role": "\udfff"}])
    verdict = judge(odd, file="\ud800.json")

    for text in (as_text(verdict), json.dumps(as_objects([verdict])), json.dumps(as_sarif([verdict], "1"))):
        assert "\x1b" not in text
        text.encode("utf-8")


def test_text_is_kept_on_one_line() -> None:
    assert printable("a\nb\u2028c\x07") == "a b c "
