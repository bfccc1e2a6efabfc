"""Hazards: the chance of every fault of the model, per opportunity. Calibrated in three presets, or constants."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Final

from simlab.core.errors import SimlabError
from simlab.sim.calibration import Level, parameter
from simlab.sim.faults import confuse, derail, false_success, forget, misread
from simlab.sim.faults.fabricate import Fabrication, fabrication
from simlab.sim.faults.neglect import Neglect, neglect
from simlab.sim.faults.repeat import Repeat, repeat


@dataclass(frozen=True, slots=True, kw_only=True)
class Hazards:
    """Chances from 0 to 1; a number is a constant hazard for every opportunity of that fault.

    ``act`` is the chance that an invention leads to a call with an effect, where one would follow; ``recover`` that the
    model puts things right when the true result arrives. Raises SimlabError for a number outside [0, 1].
    """

    fabricate: Fabrication | float = 0.0
    act: float = 1.0
    recover: float = 0.0
    neglect: Neglect | float = 0.0
    forget: float = 0.0
    repeat: Repeat | float = 0.0
    derail: float = 0.0
    confuse: float = 0.0
    misread: float = 0.0
    false_success: float = 0.0

    def __post_init__(self) -> None:
        """Check the constants."""
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, Fabrication | Neglect | Repeat):
                continue
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
                raise SimlabError(f"hazards: {field.name}: a chance from 0 to 1 is expected, not {value!r}")
            object.__setattr__(self, field.name, float(value))


_MILD: Final[Mapping[Level, Level]] = MappingProxyType({"low": "high", "base": "base", "high": "low"})
"""Recovery is the one chance that helps: a mild world has much of it."""


def calibrated(level: Level) -> Hazards:
    """Return the hazards of the calibration at a level."""
    return Hazards(
        fabricate=fabrication(level),
        act=parameter("fab.act_given_fab").value(level),
        recover=parameter("fab.recover").value(_MILD[level]),
        neglect=neglect(level),
        forget=parameter(forget.PARAMETER).value(level),
        repeat=repeat(level),
        derail=parameter(derail.PARAMETER).value(level),
        confuse=parameter(confuse.PARAMETER).value(level),
        misread=parameter(misread.PARAMETER).value(level),
        false_success=parameter(false_success.PARAMETER).value(level),
    )


_LEVELS: Final[Mapping[str, Level]] = MappingProxyType({"conservative": "low", "default": "base", "stress": "high"})

PRESETS: Final = ("none", *_LEVELS)


def preset(name: str) -> Hazards | None:
    """Return the hazards of a preset; None for ``none``: the model makes no mistakes. Raises SimlabError for others."""
    if name == "none":
        return None
    if name not in _LEVELS:
        raise SimlabError(f"hazards: no preset {name!r}; known: {', '.join(PRESETS)}")
    return calibrated(_LEVELS[name])
