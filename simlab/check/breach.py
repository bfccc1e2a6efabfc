"""One breach of a truth rule."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Breach:
    """The message at fault (``None``: nothing in the record stands for it), the other one concerned, the evidence."""

    index: int | None
    message: str
    partner: int | None = None
