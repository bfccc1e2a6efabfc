"""What a dialect says about one place of a conversation."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

Severity: TypeAlias = Literal["error", "warning", "info"]
Mode: TypeAlias = Literal["recording", "request", "strict"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """One breach of one rule.

    ``index`` is the message at fault (``None``: the conversation as a whole), ``path`` the block inside it as the
    providers write paths (``messages[3].content[1]``), ``partner`` the index of the other half of the pair, and
    ``provider_error`` the text with which the provider refuses it (``None``: no provider objects).
    """

    rule: str
    severity: Severity
    index: int | None
    path: str | None
    partner: int | None
    message: str
    provider_error: str | None
    repair: str
