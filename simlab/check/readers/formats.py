"""The formats that can be read: how each is recognised, and by what it is read."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from simlab.check.readers import (
    anthropic,
    atif,
    bedrock,
    case,
    claude_code,
    cline,
    codex,
    gemini,
    gemini_cli,
    goose,
    inspect_ai,
    langchain,
    openai,
    opencode,
    otel,
    pydantic_ai,
    vercel,
)
from simlab.check.readers.saved import Document, SavedConversation, each_document
from simlab.check.readers.source import Source
from simlab.core.errors import SimlabError


@dataclass(frozen=True, kw_only=True, slots=True)
class Format:
    """A saved-conversation format: its name, one line about it, its signature and its reader."""

    name: str
    about: str
    looks_like: Callable[[Any], bool]
    read: Callable[[Source], Iterator[SavedConversation]]

    def is_spread(self, source: Source) -> bool:
        """Whether each line of the file is one message, so that the file is one conversation."""
        samples = source.samples()
        return source.kind == "lines" and not any(map(self.looks_like, samples)) and self.looks_like(samples)


def _whole(name: str, about: str, looks_like: Callable[[Any], bool], read: Callable[[Source], Any]) -> Format:
    return Format(name=name, about=about, looks_like=looks_like, read=read)


def _each(name: str, about: str, looks_like: Callable[[Any], bool], document: Document) -> Format:
    return Format(name=name, about=about, looks_like=looks_like, read=partial(each_document, document=document))


TABLE = (
    _each(case.FORMAT, "simlab's own case: dialect, messages, ground truth", case.looks_like, case.read),
    _whole(claude_code.FORMAT, "Claude Code session log (JSON Lines)", claude_code.looks_like, claude_code.read),
    _whole(codex.FORMAT, "Codex rollout (JSON Lines)", codex.looks_like, codex.read),
    _whole(otel.FORMAT, "OpenTelemetry GenAI spans or events, OTLP or console", otel.looks_like, otel.read),
    _whole(langchain.LANGSMITH, "LangSmith run, list or batch of runs", langchain.looks_like_run, langchain.read_runs),
    _whole(inspect_ai.FORMAT, "inspect_ai log, .json or .eval", inspect_ai.looks_like, inspect_ai.read),
    _each(atif.FORMAT, "ATIF trajectory (Harbor)", atif.looks_like, atif.read),
    _whole(gemini_cli.FORMAT, "Gemini CLI session, .json or .jsonl", gemini_cli.looks_like, gemini_cli.read),
    _whole(goose.FORMAT, "goose session export or JSON Lines", goose.looks_like, goose.read),
    _each(opencode.FORMAT, "opencode export", opencode.looks_like, opencode.read),
    _each(pydantic_ai.FORMAT, "pydantic-ai all_messages_json", pydantic_ai.looks_like, pydantic_ai.read),
    _each(langchain.LANGGRAPH, "LangGraph state or messages", langchain.looks_like_state, langchain.read_state),
    _each(vercel.FORMAT, "Vercel AI SDK UI messages", vercel.looks_like, vercel.read),
    _each(cline.FORMAT, "Cline api_conversation_history.json", cline.looks_like, cline.read),
    _each(gemini.FORMAT, "Gemini generateContent body or contents", gemini.looks_like, gemini.read),
    _each(openai.RESPONSES, "OpenAI Responses body or items", openai.looks_like_responses, openai.read_responses),
    _each(bedrock.FORMAT, "AWS Bedrock Converse body or array", bedrock.looks_like, bedrock.read),
    _each(anthropic.FORMAT, "Anthropic Messages body or array", anthropic.looks_like, anthropic.read),
    _each(
        openai.CHAT, "OpenAI Chat Completions body, array, fine-tuning lines", openai.looks_like_chat, openai.read_chat
    ),
)
"""In the order in which they are tried: a format that another would also recognise comes before it."""

BY_NAME = {fmt.name: fmt for fmt in TABLE}

FORMATS: dict[str, str] = {fmt.name: fmt.about for fmt in TABLE}
"""Every format's name and one line about it."""


def recognised(source: Source) -> Format:
    """Return the format of a file: of any of its values, else of its lines taken as one list of messages."""
    if source.kind == "zip":
        return BY_NAME[inspect_ai.FORMAT]
    samples = source.samples()
    for fmt in TABLE:
        if any(map(fmt.looks_like, samples)):
            return fmt
    for fmt in TABLE:
        if fmt.is_spread(source):
            return fmt
    raise SimlabError(f"{source.path}: no known conversation format; known: {', '.join(FORMATS)}")
