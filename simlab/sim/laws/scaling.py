"""The same shape at another size."""

from dataclasses import fields, replace
from typing import Any, Final

from simlab.sim.laws.basic import require_positive
from simlab.sim.laws.parsing import Law

_SIZES: Final = frozenset(
    {"value", "scale", "low", "high", "median", "median_1", "median_2", "minimum", "threshold", "cap"}
)


def scaled(law: Law, factor: float) -> Law:
    """Return the law of `factor` times the value, its cap too. Raises LawError unless the factor is above 0."""
    require_positive(factor=factor)
    changes: dict[str, Any] = {}
    for one in fields(law):
        if one.name in _SIZES:
            changes[one.name] = getattr(law, one.name) * factor
        elif one.name == "values":
            changes["values"] = tuple(value * factor for value in getattr(law, "values"))  # noqa: B009
        elif one.name == "body":
            changes["body"] = scaled(getattr(law, "body"), factor)  # noqa: B009
    return replace(law, **changes)
