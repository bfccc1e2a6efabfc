"""Every rule of every dialect in words: for the terminal, and as the page ``docs/dialects.md``."""

import importlib
from collections.abc import Iterator, Mapping
from typing import Final

from simlab.check.causes import CAUSES, OTHER_TEXTS
from simlab.check.truth import JUDGED_BY, REPAIRS
from simlab.check.truth import RULES as TRUTH
from simlab.dialects.registry import RULES
from simlab.dialects.rules import Rule

_HEAD: Final = """\
# What each provider accepts

Every rule of every dialect that `simlab check` knows, with the text with which the provider refuses a request that
breaks it (`…` stands for a value) and what to do about it. Search for the error you got, or let
`simlab explain "<the error>"` do it. This page is generated: `simlab dialects --markdown`.

An **error** makes a request be refused. A **warning** is accepted here and refused elsewhere, or refused by some models
only. **info** is worth knowing. A rule without a text is one that no provider states: in mode `strict` its errors are
ours.
"""
_STRICT: Final = """\
## Strict mode: what really happened

No provider looks at these. They need the ground truth beside the messages: `events` of a [case](check.md) (inbox,
executions, cancels, deliveries) or an earlier snapshot (`baseline`). A case is told again as the trace of a run, and
the [invariants](../simlab/invariants/catalogue.py) that every simulated run is checked against judge it; where the
catalogue has no such statement the rule is one of its own. A run of simlab's can be judged so too:
`simlab run ... --dialect anthropic -o request.json`, then `simlab check request.json --mode strict`.
"""


def rules_text() -> str:
    """Return every rule for a terminal."""
    lines = [f"{dialect}\n{_place(dialect)}\n{_listed(rules)}" for dialect, rules in RULES.items()]
    strict = "\n".join(f"  {name:<28} {_statement(name)}" for name in TRUTH)
    return "\n".join([*lines, f"strict\n  What really happened.\n{strict}\n"])


def _listed(rules: Mapping[str, Rule]) -> str:
    return "".join(f"  {name:<28} {rule.severity:<8} {rule.error or '-'}\n" for name, rule in rules.items())


def _place(dialect: str) -> str:
    return f"  {_about(dialect)}"


def rules_page() -> str:
    """Return the page."""
    return "\n".join([_HEAD, *(_section(dialect, rules) for dialect, rules in RULES.items()), *_strict(), *_causes()])


def _section(dialect: str, rules: Mapping[str, Rule]) -> str:
    rows = [
        f"| `{name.partition(':')[0]}` | {rule.severity} | {_cell(rule.error)} | {_plain(rule.repair)} |"
        for name, rule in rules.items()
    ]
    head = ["| rule | severity | refused with | repair |", "|---|---|---|---|"]
    return "\n".join([f"## {dialect}", "", _about(dialect), "", *head, *rows, ""])


def _about(dialect: str) -> str:
    """Return the first line of the dialect's own description."""
    about = importlib.import_module(f"simlab.dialects.{dialect}").__doc__ or ""
    return about.partition("\n\n")[0].replace("\n", " ").replace("``", "`")


def _cell(error: str | None) -> str:
    if error is None:
        return ""
    text = "".join(_shortened(error))
    fence = "``" if "`" in text else "`"
    return f"{fence}{' ' if fence == '``' else ''}{text}{' ' if fence == '``' else ''}{fence}".replace("|", "\\|")


def _shortened(error: str) -> Iterator[str]:
    """Yield a provider's text with an ellipsis for each value."""
    depth = 0
    for char in error:
        if char == "{":
            depth += 1
            yield "…"
        elif char == "}":
            depth -= 1
        elif depth == 0:
            yield char


def _plain(text: str) -> str:
    return text.replace("|", "\\|").replace("tool_calls", "`tool_calls`")


def _strict() -> Iterator[str]:
    yield _STRICT
    yield "| rule | statement | judged by | repair |"
    yield "|---|---|---|---|"
    for name in TRUTH:
        judges = ", ".join(f"`{each}`" for each in JUDGED_BY.get(name, ())) or "a rule of its own"
        yield f"| `{name}` | {_statement(name)} | {judges} | {_plain(REPAIRS[name])} |"
    yield ""


def _statement(name: str) -> str:
    return (TRUTH[name].__doc__ or "").partition("\n")[0].replace("``", "`")


def _causes() -> Iterator[str]:
    yield "## Usual causes\n"
    yield "| rule | usually because |"
    yield "|---|---|"
    for name, causes in CAUSES.items():
        yield f"| `{name}` | {' '.join(causes)} |"
    yield "\n## Other texts for the same rules\n"
    yield "Older wordings, other spellings, and what frameworks say before the request is sent.\n"
    yield "| said by | rule | text |"
    yield "|---|---|---|"
    for said_by, name, text in OTHER_TEXTS:
        yield f"| {said_by} | `{name}` | {_cell(text)} |"
    yield ""
