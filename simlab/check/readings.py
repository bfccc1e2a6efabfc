"""What the text of a placeholder claims, read beside the log: the words that people's tools use."""

import re
from dataclasses import dataclass
from typing import Final

from simlab.check.neutral import Entry, text_of
from simlab.check.record import Record
from simlab.core.messages import PlaceholderState

_NEVER_RAN: Final = re.compile(
    r"\bnot (been )?(executed|run|started|performed|applied)\b|\bnever (ran|run|started|executed)\b"
    r"|\b(did|was|has) not (run|start|execute|been (run|started|executed))\b|\bbefore (it )?(start|began|ran)",
    re.I,
)
_RAN: Final = re.compile(
    r"\bwhile (it was )?running\b|\bafter \d+(\.\d+)? ?(s|ms|seconds?|minutes?)\b|\bpartly run", re.I
)
_CANCELLED: Final = re.compile(r"\b(cancel|abort|interrupt|killed)", re.I)
_FINISHED: Final = re.compile(r"\b(finish|complet|done|succe)|\bunknown\b|\bmay have\b|\bstill running\b", re.I)


@dataclass(frozen=True, kw_only=True, slots=True)
class Claim:
    """What a placeholder says. ``acknowledged``: nothing in the log speaks against a cancel that took hold."""

    state: PlaceholderState
    acknowledged: bool = False


def claimed_state(record: Record, entry: Entry) -> Claim | None:
    """Return what a placeholder claims of its call (``None``: nothing that a log could contradict)."""
    text, key = entry.text, entry.key
    if _NEVER_RAN.search(text):
        return Claim(state=PlaceholderState.NOT_STARTED)
    says_ran = _RAN.search(text) is not None
    says_cancelled = _CANCELLED.search(text) is not None and not _FINISHED.search(text)
    if not (says_ran or says_cancelled):
        return None
    took_effect = any(record.about(key, "effect"))
    state = PlaceholderState.CANCELLED_AFTER if took_effect else PlaceholderState.CANCELLED_BEFORE
    never_ran = says_ran and is_denied(record, key) and not record.started(key)
    return Claim(
        state=state, acknowledged=not never_ran and not (says_cancelled and _finished_otherwise(record, entry))
    )


def is_denied(record: Record, key: str) -> bool:
    """Whether the log says that a call was not executed."""
    return any(record.about(key, "not_executed"))


def _finished_otherwise(record: Record, entry: Entry) -> bool:
    outcome = record.outcome(entry.key)
    if outcome is None or outcome.text("status") != "ok":
        return False
    return entry.text.strip() != text_of(outcome.fields.get("output"))


def same_text(recorded: str, output: str) -> bool:
    """Whether a recorded result is what a tool returned, perhaps shortened or wrapped."""
    recorded = recorded.strip()
    return recorded == output or (bool(output) and output in recorded) or (bool(recorded) and recorded in output)
