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
_NO_IDS: Final = frozenset({"call_id", "call_ids", "call_id.", "msg_id"})
_SHORTEST: Final = 12
_ENOUGH: Final = 40
_SHARE: Final = 0.5
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
    """A known text as the pieces that stand between its placeholders and sentence ends."""

    rule: str
    dialect: str
    pieces: tuple[str, ...]
    error: str
    fix: str

    def score(self, pasted: str) -> int:
        """Return how many characters of the known text stand in the pasted one, 0 when too few to tell."""
        length = sum(map(len, self.pieces))
        found, place = 0, 0
        for piece in self.pieces:
            at = pasted.find(piece, place)
            if at >= 0:
                found, place = found + len(piece), at + len(piece)
        return found if found >= _SHORTEST and (found >= _ENOUGH or found >= length * _SHARE) else 0


def explain(text: str) -> list[Explanation]:
    """Return what the text may mean, one meaning a dialect; empty when it is no known error."""
    pasted = _normal(text[:_LONGEST])
    scored = [(pattern.score(pasted), pattern) for pattern in _patterns()]
    best = max((score for score, _ in scored), default=0)
    found = [pattern for score, pattern in scored if score == best and score]
    firsts = {pattern.dialect: pattern for pattern in reversed(found)}
    return [
        _explanation(
            pattern, text[:_LONGEST], [one.rule for one in found if one.dialect == dialect and one.rule != pattern.rule]
        )
        for dialect, pattern in reversed(firsts.items())
    ]


def _explanation(pattern: _Pattern, pasted: str, also: list[str]) -> Explanation:
    place = next((found for regex in _PLACES if (found := regex.search(_normal(pasted)))), None)
    return Explanation(
        rule=pattern.rule,
        dialect=pattern.dialect,
        index=int(place.group(1)[:9]) if place else None,
        ids=list(dict.fromkeys(name.rstrip(".:") for name in _IDS.findall(pasted) if name not in _NO_IDS)),
        also=list(dict.fromkeys(also)),
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
    parts = (_normal(part).strip(" .:'") for part in re.split(r"\{[a-z]+\}|(?<=[.:]) ", error))
    pieces = tuple(part for part in parts if len(part) > 2)
    if sum(map(len, pieces)) >= _SHORTEST:
        yield _Pattern(rule=name, dialect=dialect, pieces=pieces, error=error, fix=repair)


def _normal(text: str) -> str:
    """Level what terminals, JSON and chat windows do to an error text."""
    levelled = text.replace("\\n", " ").replace('\\"', '"').replace("\\'", "'").replace("`", "")
    levelled = re.sub("[\u2018\u2019\u201b]", "'", levelled)
    levelled = re.sub('[\u201c\u201d"]', "'", levelled)
    return re.sub(r"\s+", " ", levelled).lower()
