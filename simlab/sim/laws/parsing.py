"""Laws as they stand in TOML files.

A bare number is a constant. Anything else is a table that names its law and, at the end of each key, the unit:
``{law = "lognormal", median_s = 5.7, sigma = 1.1, cap_s = 600}``.
"""

import csv
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import gamma, isfinite
from pathlib import Path
from typing import Any, Final, Literal, get_args

from simlab.core.errors import SimlabError
from simlab.sim.laws.basic import (
    Capped,
    Constant,
    Exponential,
    Gamma,
    LawError,
    Lognormal,
    Pareto,
    Uniform,
    Weibull,
)
from simlab.sim.laws.composed import Body, Discrete, Empirical, ParetoTail, ZeroInflated
from simlab.sim.laws.mixtures import StallMixture, TwoLognormals

Law = (
    Constant
    | Exponential
    | Uniform
    | Lognormal
    | TwoLognormals
    | Gamma
    | Weibull
    | Pareto
    | ParetoTail
    | Empirical
    | StallMixture
    | Discrete
    | ZeroInflated
)

Unit = Literal["ms", "s", "tokens", "plain"]
"""The unit of a bare number. Tables may use _ms and _s whichever of the two it is; times come out in milliseconds."""

_SUFFIXES: Final[Mapping[Unit, Mapping[str, float]]] = {
    "ms": {"_ms": 1.0, "_s": 1000.0},
    "s": {"_s": 1000.0, "_ms": 1.0},
    "tokens": {"_tokens": 1.0},
    "plain": {"": 1.0},
}

_Arguments = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Form:
    """How a law is written: keys with a unit, plain keys, keys that hold no number; which of them may be left out."""

    build: Callable[[_Arguments], Law]
    scaled: tuple[str, ...] = ()
    plain: tuple[str, ...] = ()
    other: tuple[str, ...] = ()
    optional: frozenset[str] = frozenset()


def parse_law(value: object, where: str, unit: Unit, *, base: Path | None = None) -> Law:
    """Read a law from a TOML value.

    `where` names file and key for messages ("scenario.toml: tools.shell.time"), `unit` is that of a bare number, `base`
    the folder to which the file of an empirical law is relative. Raises SimlabError.
    """
    if _is_number(value):
        return Constant(value=_number(value, where) * next(iter(_SUFFIXES[unit].values())))
    if not isinstance(value, Mapping):
        raise SimlabError(f"{where}: must be a number or a table with a law, not {value!r}")
    name = value.get("law")
    form = _FORMS.get(name) if isinstance(name, str) else None
    if form is None:
        raise SimlabError(f"{where}.law: no law {name!r}; known: {', '.join(_FORMS)}")
    arguments = _read(value, form, where, unit, base)
    try:
        return form.build(arguments)
    except SimlabError as error:
        raise SimlabError(f"{where}: {error}") from None


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _number(value: object, where: str) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise SimlabError(f"{where}: must be a number, not {value!r}")
    if not isfinite(value) or value < 0:
        raise SimlabError(f"{where}: must be a finite number from 0 up, not {value}")
    return float(value)


def _read(table: Mapping[str, object], form: _Form, where: str, unit: Unit, base: Path | None) -> dict[str, Any]:
    """Return the arguments of the law by field name, in internal units."""
    suffixes = _SUFFIXES[unit]
    known = {field + suffix: (field, factor) for field in (*form.scaled, "cap") for suffix, factor in suffixes.items()}
    known.update({field: (field, 1.0) for field in form.plain})
    arguments: dict[str, Any] = {}
    for key, value in table.items():
        if key == "law":
            continue
        if key in form.other:
            arguments[key] = _READERS[key](value, f"{where}.{key}", unit, base)
            continue
        if key not in known:
            allowed = ", ".join([*known, *form.other])
            raise SimlabError(f"{where}.{key}: unknown key for the law {table['law']!r}; allowed: {allowed}")
        field, factor = known[key]
        if field in arguments:
            raise SimlabError(f"{where}.{key}: {field} is given twice, in two units")
        arguments[field] = _scaled(value, f"{where}.{key}", factor, is_list=field in _LISTS)
    _require_all(arguments, form, where, suffixes)
    return arguments


def _scaled(value: object, where: str, factor: float, *, is_list: bool) -> float | tuple[float, ...]:
    if not is_list:
        return _number(value, where) * factor
    if not isinstance(value, list | tuple):
        raise SimlabError(f"{where}: must be a list of numbers, not {value!r}")
    return tuple(_number(item, f"{where}[{index}]") * factor for index, item in enumerate(value))


def _require_all(arguments: _Arguments, form: _Form, where: str, suffixes: Mapping[str, float]) -> None:
    for field in (*form.scaled, *form.plain, *form.other):
        if field not in arguments and field not in form.optional:
            ends = list(suffixes) if field in form.scaled else [""]
            raise SimlabError(f"{where}: missing {' or '.join(field + end for end in ends)}")


def _read_body(value: object, where: str, unit: Unit, base: Path | None) -> Body:
    body = parse_law(value, where, unit, base=base)
    if not isinstance(body, Exponential | Lognormal | TwoLognormals | Gamma | Weibull):
        raise SimlabError(f"{where}.law: must be exponential, lognormal, two-lognormal, gamma or weibull")
    return body


def _read_path(value: object, where: str, unit: Unit, base: Path | None) -> Path:
    if not isinstance(value, str):
        raise SimlabError(f"{where}: must be the path of a CSV file, not {value!r}")
    return (base or Path()) / value


def _read_column_name(value: object, where: str, unit: Unit, base: Path | None) -> tuple[str, float]:
    """Return the column's name and the factor that its ending says."""
    if not isinstance(value, str):
        raise SimlabError(f"{where}: must be the name of a column, not {value!r}")
    for suffix, factor in _SUFFIXES[unit].items():
        if value.endswith(suffix):
            return value, factor
    ends = " or ".join(_SUFFIXES[unit])
    raise SimlabError(f"{where}: the name of the column must end with its unit, {ends}; it is {value!r}")


_LISTS: Final = frozenset({"values", "weights"})
_READERS: Final[Mapping[str, Callable[[object, str, Unit, Path | None], object]]] = {
    "body": _read_body,
    "file": _read_path,
    "column": _read_column_name,
}


def read_column(path: Path, column: str) -> tuple[float, ...]:
    """Return the numbers in one column of a CSV file with a header line; empty cells are left out.

    Raises SimlabError where the file, the column or a number is missing.
    """
    try:
        with path.open(newline="", encoding="utf-8") as stream:
            rows = csv.DictReader(stream)
            if column not in (rows.fieldnames or ()):
                known = ", ".join(rows.fieldnames or ())
                raise SimlabError(f"{path}: no column {column!r}; there are: {known}")
            cells = [(rows.line_num, row[column]) for row in rows]
    except (OSError, UnicodeDecodeError) as error:
        raise SimlabError(f"{path}: cannot be read as a CSV file: {error}") from None
    return tuple(_cell(cell, f"{path}:{line}: {column}") for line, cell in cells if cell)


def _cell(text: str, where: str) -> float:
    try:
        return _number(float(text), where)
    except ValueError:
        raise SimlabError(f"{where}: must be a number, not {text!r}") from None


def _exponential(given: _Arguments) -> Law:
    return Exponential(**{"scale" if field == "mean" else field: value for field, value in given.items()})


def _gamma(given: _Arguments) -> Law:
    return Gamma(**_scale_from_mean(given, lambda shape: shape))


def _weibull(given: _Arguments) -> Law:
    return Weibull(**_scale_from_mean(given, lambda shape: gamma(1 + 1 / shape)))


def _scale_from_mean(given: _Arguments, mean_of_scale_one: Callable[[float], float]) -> dict[str, float]:
    """Accept the mean (before a cap) instead of the scale."""
    if ("mean" in given) == ("scale" in given):
        raise LawError("give either the scale or the mean")
    if given["shape"] <= 0:
        raise LawError(f"shape must be a finite number above 0, not {given['shape']}")
    rest = {field: value for field, value in given.items() if field != "mean"}
    if "mean" in given:
        rest["scale"] = given["mean"] / mean_of_scale_one(given["shape"])
    return rest


def _empirical(given: _Arguments) -> Law:
    if "values" in given and not {"file", "column"} & given.keys():
        return Empirical(**given)
    if "values" in given or not {"file", "column"} <= given.keys():
        raise LawError("give either values or file and column")
    column, factor = given["column"]
    values = tuple(value * factor for value in read_column(given["file"], column))
    rest = {field: value for field, value in given.items() if field not in ("file", "column")}
    return Empirical(values=values, **rest)


def _direct(law: type[Capped]) -> Callable[[_Arguments], Any]:
    return lambda given: law(**given)


_STALL: Final = ("stall_factor", "stall_alpha", "stall_limit")

_FORMS: Final[Mapping[str, _Form]] = {
    "constant": _Form(build=_direct(Constant), scaled=("value",)),
    "exponential": _Form(build=_exponential, scaled=("mean",)),
    "uniform": _Form(build=_direct(Uniform), scaled=("low", "high")),
    "lognormal": _Form(build=_direct(Lognormal), scaled=("median",), plain=("sigma",)),
    "two-lognormal": _Form(
        build=_direct(TwoLognormals), scaled=("median_1", "median_2"), plain=("weight", "sigma_1", "sigma_2")
    ),
    "gamma": _Form(build=_gamma, scaled=("mean", "scale"), plain=("shape",), optional=frozenset({"mean", "scale"})),
    "weibull": _Form(build=_weibull, scaled=("mean", "scale"), plain=("shape",), optional=frozenset({"mean", "scale"})),
    "pareto": _Form(build=_direct(Pareto), scaled=("minimum",), plain=("alpha",)),
    "pareto-tail": _Form(build=_direct(ParetoTail), scaled=("threshold",), plain=("alpha",), other=("body",)),
    "empirical": _Form(
        build=_empirical,
        scaled=("values",),
        other=("file", "column"),
        optional=frozenset({"values", "file", "column"}),
    ),
    "stall": _Form(
        build=_direct(StallMixture),
        scaled=("median",),
        plain=("sigma", "stall_probability", *_STALL),
        optional=frozenset(_STALL),
    ),
    "discrete": _Form(build=_direct(Discrete), scaled=("values",), plain=("weights",)),
    "zero-inflated": _Form(build=_direct(ZeroInflated), plain=("zero_probability",), other=("body",)),
}

LAW_NAMES: Final = tuple(_FORMS)
UNITS: Final = get_args(Unit)
