"""The verdicts of a comparison in words and tables, and what would turn them."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from simlab.analysis.compare import Row
from simlab.analysis.report.values import Cell, Grid, Paragraph
from simlab.analysis.stats.values import printed

_MOST_NAMED: Final = 4
_NEAR: Final = (0.01, 0.1)
"""Adjusted p values between these are near the line of 0.05: a little more or less data may turn the verdict."""


def is_mean(row: Row) -> bool:
    """Whether a row is a mean: the statistic that the overview shows."""
    return row.statistic.endswith("mean")


def short(value: float, horizon: float = math.inf) -> str:
    """Write a number with three digits, large ones in full; infinite ones and those at the horizon as such."""
    if math.isnan(value):
        return "-"
    if math.isinf(value) or value >= horizon:
        return printed(value, 3, horizon)
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def difference(row: Row, unit: str = "") -> str:
    """Write a difference with its interval and unit."""
    if not math.isfinite(row.paired.estimate):
        return "no value"
    sign = "+" if row.paired.estimate >= 0 else ""
    told = f"{sign}{short(row.paired.estimate)} {unit}".rstrip()
    return f"{told} [{short(row.paired.low)}, {short(row.paired.high)}]"


def verdicts(rows: Sequence[Row], arms: Sequence[str], baseline: str) -> list[Paragraph]:
    """Say for each arm in which means it is better and worse than the baseline, the largest changes first."""
    return [
        Paragraph(head=arm, text=_verdict([row for row in rows if row.strategy == arm and is_mean(row)], baseline))
        for arm in arms
        if arm != baseline
    ]


def _verdict(rows: Sequence[Row], baseline: str) -> str:
    counts = Counter(row.told for row in rows)
    parts = []
    for outcome in ("better", "worse"):
        found = sorted((row for row in rows if row.verdict.outcome.value == outcome), key=lambda row: -_size(row))
        told = "; ".join(f"{row.metric} {difference(row, row.unit)}" for row in found[:_MOST_NAMED])
        more = f"; and {len(found) - _MOST_NAMED} more" if len(found) > _MOST_NAMED else ""
        parts.append(f"{outcome.capitalize()} in {len(found)}" + (f": {told}{more}." if found else "."))
    parts.append(
        f"Of {len(rows)} means against {baseline}, {counts['equivalent']} are equivalent within the declared margin, "
        f"{counts['the same']} the same in every run and {counts['undecided']} undecided."
    )
    return " ".join(parts)


def _size(row: Row) -> float:
    relative = abs(row.relative)
    return relative if math.isfinite(relative) else 0.0


def overview(rows: Sequence[Row], arms: Sequence[str], baseline: str, ident: str) -> Grid:
    """Return the table of means: a row for each metric, a column for each arm."""
    others = [arm for arm in arms if arm != baseline]
    found = {(row.metric, row.strategy): row for row in rows if is_mean(row)}
    metrics = list(dict.fromkeys(row.metric for row in rows if is_mean(row)))
    lines = []
    for metric in metrics:
        some = next(row for (name, _), row in found.items() if name == metric)
        value = f"{short(some.baseline_value, some.horizon)} {some.unit}"
        line = [Cell(text=metric), Cell(text=value, number=some.baseline_value)]
        lines.append([*line, *(_cell(found.get((metric, arm))) for arm in others)])
    return Grid(
        ident=ident,
        caption=(
            f"Means of {baseline}, and paired differences from them with 95 % intervals. Verdicts are adjusted over "
            "the whole table of statistics (Holm), intervals are not."
        ),
        head=["metric", baseline, *others],
        rows=lines,
        filters=True,
    )


def _cell(row: Row | None) -> Cell:
    if row is None:
        return Cell(text="-", number=math.nan)
    if row.never_differed:
        return Cell(text=row.told, number=0.0)
    return Cell(text=f"{row.told} {difference(row)}", number=row.paired.estimate, tone=row.told)


def details(rows: Sequence[Row], ident: str) -> Grid:
    """Return every row of the comparison."""
    head = ["metric", "statistic", "strategy", "value", "baseline", "difference", "share"]
    head += ["wins", "losses", "verdict"]
    lines = [
        [
            Cell(text=row.metric),
            Cell(text=row.statistic),
            Cell(text=row.strategy),
            Cell(text=short(row.value, row.horizon), number=row.value),
            Cell(text=short(row.baseline_value, row.horizon), number=row.baseline_value),
            Cell(text=difference(row, row.unit), number=row.paired.estimate),
            Cell(text=f"{row.relative:+.1%}" if math.isfinite(row.relative) else "-", number=row.relative),
            Cell(text=f"{row.wins}", number=row.wins),
            Cell(text=f"{row.losses}", number=row.losses),
            Cell(text=row.told, tone="" if row.never_differed else row.told),
        ]
        for row in rows
    ]
    caption = (
        "Statistics per run, and per event with replications as clusters. Wins and losses count replications; they are "
        "not tests. A value beyond the horizon is printed as such."
    )
    return Grid(ident=ident, caption=caption, head=head, rows=lines, chosen_by="verdict", filters=True, tall=True)


# --- what would change it ---------------------------------------------------------------------------------------------


def changes(
    rows: Sequence[Row], *, replications: int, variants: Mapping[str, Sequence[Row]], baseline: str
) -> list[Paragraph]:
    """Say what would turn the verdicts: more runs, other tool times, repeated work drawn anew; or that nobody tried.

    ``variants`` maps the name of a changed world to its rows.
    """
    found = [_more_runs(rows, replications), _near_the_line(rows), *_flips(rows, variants)]
    if not any(name.startswith("cap=") for name in variants):
        found.append(_untried("The tail of the tool times", "--tool-cap 120,600,1800"))
    if "resample" not in variants:
        found.append(_untried("Work that is done again, drawn anew", "--resample"))
    if not any(name.startswith("hazards=") for name in variants):
        found.append(_untried("Faults of the model", "--hazards default"))
    return found


def _untried(head: str, option: str) -> Paragraph:
    return Paragraph(head=head, text=f"Not tried here: simlab compare with {option} shows whether a verdict turns.")


def _more_runs(rows: Sequence[Row], replications: int) -> Paragraph:
    undecided = [row for row in rows if is_mean(row) and row.told == "undecided"]
    known = sorted(
        (row for row in undecided if row.verdict.more_runs is not None), key=lambda row: row.verdict.more_runs or 0
    )
    text = f"{len(undecided)} means are undecided after {replications:,} replications."
    if known:
        told = "; ".join(f"{row.strategy}, {row.metric}: {row.verdict.more_runs:,}" for row in known[:_MOST_NAMED])
        text += (
            " If the present differences are the true ones, so many further replications would decide them with 80 % "
            f"chance: {told}."
        )
    if len(undecided) > len(known):
        text += f" For {len(undecided) - len(known)} no number can be named."
    return Paragraph(head="More replications", text=text)


def _near_the_line(rows: Sequence[Row]) -> Paragraph:
    near = [row for row in rows if is_mean(row) and _NEAR[0] < row.verdict.p_difference < _NEAR[1]]
    told = "; ".join(
        f"{row.strategy}, {row.metric} ({row.verdict.outcome.value}, adjusted p {row.verdict.p_difference:.2g})"
        for row in near[:_MOST_NAMED]
    )
    more = f"; and {len(near) - _MOST_NAMED} more" if len(near) > _MOST_NAMED else ""
    return Paragraph(head="Verdicts near the line", text=f"{told}{more}." if near else "None between 0.01 and 0.1.")


def _flips(rows: Sequence[Row], variants: Mapping[str, Sequence[Row]]) -> list[Paragraph]:
    opposite = {"better": "worse", "worse": "better"}
    listed = []
    for name, others in variants.items():
        theirs = {(row.strategy, row.metric, row.statistic): row.verdict.outcome.value for row in others}
        decided = [row for row in rows if row.verdict.outcome.value in opposite]
        there = [(row, theirs.get((row.strategy, row.metric, row.statistic))) for row in decided]
        turned = [row for row, other in there if other == opposite[row.verdict.outcome.value]]
        lost = sum(other in {"undecided", "equivalent"} for _, other in there)
        told = "; ".join(f"{row.strategy}, {row.metric}, {row.statistic}" for row in turned[:_MOST_NAMED])
        text = f"Of {len(decided)} decided statistics, {len(turned)} turn around and are therefore undetermined"
        text += f": {told}. " if turned else ". "
        text += f"{lost} are undecided or equivalent there."
        listed.append(Paragraph(head=_variant(name), text=text))
    return listed


def _variant(name: str) -> str:
    kind, _, value = name.partition("=")
    if kind == "cap":
        return f"Tools time out after {value}"
    if kind == "hazards":
        return f"Faults of the model: {value}"
    return "Work that is done again, drawn anew" if kind == "resample" else name
