"""Explain a pasted provider error: which rule, whose dialect, which place, why it usually happens, what to do."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from simlab.check.causes import CAUSES, OTHER_TEXTS
from simlab.dialects.registry import RULES

_PLACES: Final = (
    re.compile(r"(?:messages|input|contents)\.?\[(\d+)\]"),
    re.compile(r"(?:messages|input|contents)\.(\d+)"),
    re.compile(r"\bmessages?\[(\d+)\]"),
)
_IDS: Final = re.compile(
    r"\b(?:call_|toolu_|srvtoolu_|tooluse_|fc_|rs_|msg_|ctc_|chatcmpl-tool-|functions\.)[A-Za-z0-9_.:-]+"
)
_SHORTEST: Final = 12
_LONGEST: Final = 20_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Explanation:
    """What a provider error means; ``index`` and ``ids`` as the text names them, ``also`` rules with the same text."""

    rule: str
    dialect: str
    index: int | None
    ids: list[str]
    also: list[str]
    causes: list[str]
    fix: str
    provider_error: str


@dataclass(frozen=True, kw_only=True, slots=True)
class _Pattern:
    rule: str
    dialect: str
    regex: re.Pattern[str]
    weight: int
    error: str
    fix: str


def explain(text: str) -> list[Explanation]:
    """Return what the text may mean, the best match first; empty when it is no known error."""
    pasted = _normal(text[:_LONGEST])
    found = [pattern for pattern in _patterns() if pattern.regex.search(pasted)]
    best = max((pattern.weight for pattern in found), default=0)
    explanations: list[Explanation] = []
    for pattern in sorted(found, key=lambda one: -one.weight):
        if pattern.weight == best and not any(one.dialect == pattern.dialect for one in explanations):
            also = [one.rule for one in found if one.error == pattern.error and one.rule != pattern.rule]
            explanations.append(_explanation(pattern, pasted, list(dict.fromkeys(also))))
    return explanations


def _explanation(pattern: _Pattern, pasted: str, also: list[str]) -> Explanation:
    place = next((found for regex in _PLACES if (found := regex.search(pasted))), None)
    return Explanation(
        rule=pattern.rule,
        dialect=pattern.dialect,
        index=int(place.group(1)[:9]) if place else None,
        ids=list(dict.fromkeys(name.rstrip(".:") for name in _IDS.findall(pasted))),
        also=also,
        causes=list(CAUSES.get(pattern.rule, ())),
        fix=pattern.fix,
        provider_error=pattern.error,
    )


@lru_cache(maxsize=1)
def _patterns() -> tuple[_Pattern, ...]:
    return tuple(_all_patterns())


def _all_patterns() -> Iterator[_Pattern]:
    for dialect, rules in RULES.items():
        for name, rule in rules.items():
            if rule.error is not None and name not in ("open_tail",):
                yield from _pattern(name.partition(":")[0], dialect, rule.error, rule.repair)
    for dialect, rule_name, error in OTHER_TEXTS:
        repair = next(rules[rule_name].repair for rules in RULES.values() if rule_name in rules)
        yield from _pattern(rule_name, dialect, error, repair)


def _pattern(name: str, dialect: str, error: str, repair: str) -> Iterator[_Pattern]:
    """Turn a text with placeholders into a search: what stands in their place may be anything short."""
    literals = [_normal(part).strip(" .'\"") for part in re.split(r"\{[a-z]+\}", error)]
    kept = [part for part in literals if len(part) > 2]
    weight = sum(map(len, kept))
    if weight >= _SHORTEST:
        regex = re.compile(r".{0,200}?".join(map(re.escape, kept)), re.I)
        yield _Pattern(rule=name, dialect=dialect, regex=regex, weight=weight, error=error, fix=repair)


def _normal(text: str) -> str:
    """Level what terminals, JSON and chat windows do to an error text."""
    levelled = text.replace("\\n", " ").replace('\\"', '"').replace("\\'", "'").replace("`", "")
    levelled = re.sub("[\u2018\u2019\u201b]", "'", levelled)
    levelled = re.sub("[\u201c\u201d]", '"', levelled)
    return re.sub(r"\s+", " ", levelled)
