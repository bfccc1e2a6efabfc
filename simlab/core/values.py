"""One decorator for the values that travel: immutable to the type checker, cheap at run time.

A frozen dataclass pays about three times for its construction, and a run makes hundreds of these. The type checker
refuses assignment to a field all the same, and slots refuse a field that does not exist.
"""

from dataclasses import dataclass
from typing import Any, TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(kw_only_default=True, frozen_default=True, eq_default=True)
def value(cls: type[T]) -> type[T]:
    """Make a keyword-only, slotted, hashable value class."""
    made: Any = dataclass(slots=True, kw_only=True, unsafe_hash=True)(cls)
    return made  # type: ignore[no-any-return]
