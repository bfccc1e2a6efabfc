"""One decorator for the values that travel: immutable to the type checker, cheap at run time.

A frozen dataclass pays about three times for its construction, and a run makes hundreds of these. The type checker
refuses assignment to a field all the same, and slots refuse a field that does not exist. Write the fields' names when
you make one; only the inner loop leaves them out, where there are few and their order is plain: a class that is called
with keywords costs twice as much.
"""

from dataclasses import dataclass
from typing import Any, TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True, eq_default=True)
def value(cls: type[T]) -> type[T]:
    """Make a slotted, hashable value class."""
    made: Any = dataclass(slots=True, unsafe_hash=True)(cls)
    return made  # type: ignore[no-any-return]
