"""What the dialects share: a rule's fixed texts, and the report into which one check writes its findings."""

from collections.abc import Mapping
from dataclasses import dataclass

from simlab.dialects.findings import Finding, Mode, Severity

_SHOWN = 60


@dataclass(frozen=True, kw_only=True, slots=True)
class Rule:
    """One row of a dialect's catalogue.

    ``error`` is the provider's own text with ``{placeholders}`` (``None``: no provider objects), ``repair`` one line.
    """

    error: str | None
    repair: str
    severity: Severity = "error"


class _Values(dict[str, object]):
    def __missing__(self, key: str) -> str:
        return "..."


def fill(template: str, values: Mapping[str, object]) -> str:
    """Put what is known into a provider's text; what is not known stays an ellipsis."""
    return template.format_map(_Values(values))


def show(value: object) -> str:
    """Name a value from a file in one printable, bounded piece of text."""
    if isinstance(value, str):
        return repr(value if len(value) <= _SHOWN else value[:_SHOWN] + "...")
    return kind_of(value)


def plain(value: object) -> str:
    """Name an id in a provider's text, which brings its own quotes; of a key without id, the function's name."""
    last = value[-1] if isinstance(value, tuple) and value else value
    return show(last)[1:-1] if isinstance(last, str) else show(last)


def kind_of(value: object) -> str:
    """Name the JSON type of a value."""
    if value is None:
        return "null"
    names = (
        (bool, "a boolean"),
        (str, "a string"),
        ((int, float), "a number"),
        (list, "an array"),
        (dict, "an object"),
    )
    for kind, name in names:
        if isinstance(value, kind):
            return name
    return f"a {type(value).__name__}"


class Report:
    """The findings of one check, in the words of one dialect.

    ``root`` is the name of the list in provider paths (``messages``, ``input``, ``contents``).
    """

    __slots__ = ("findings", "mode", "root", "rules")

    def __init__(self, rules: Mapping[str, Rule], mode: Mode, root: str = "messages") -> None:
        self.rules = rules
        self.mode = mode
        self.root = root
        self.findings: list[Finding] = []

    def add(
        self,
        rule: str,
        index: int | None,
        message: str,
        *,
        block: str = "",
        partner: int | None = None,
        severity: Severity | None = None,
        values: Mapping[str, object] | None = None,
        variant: str = "",
    ) -> None:
        """Record a breach.

        ``block`` is the path inside the message (``.content[1]``), ``values`` fill the provider's text, ``variant``
        picks another wording of the same rule where the provider has one (``rule:variant`` in its table).
        """
        row = self.rules.get(f"{rule}:{variant}") or self.rules[rule]
        known = {"index": index, "partner": partner, "block": block, **(values or {})}
        self.findings.append(
            Finding(
                rule=rule,
                severity=severity or row.severity,
                index=index,
                path=None if index is None else f"{self.root}[{index}]{block}",
                partner=partner,
                message=message,
                provider_error=None if row.error is None else fill(row.error, known),
                repair=row.repair,
            )
        )

    def sorted(self) -> list[Finding]:
        """Return the findings in the order of the messages."""
        return sorted(self.findings, key=lambda found: -1 if found.index is None else found.index)
