"""Tables of a comparison, ready to print: a head and rows of text."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Final

from simlab.analysis.charts.single import arm
from simlab.analysis.outcome import Outcome

NEVER: Final = "never"
NOTHING: Final = "-"


@dataclass(frozen=True, slots=True, kw_only=True)
class TextTable:
    """A table of text. ``title`` says what it shows, with units."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]

    def markdown(self) -> str:
        """Write it as Markdown."""
        lines = [self.head, ["---"] + ["---:"] * (len(self.head) - 1), *self.rows]
        return f"{self.title}\n\n" + "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def _seconds(value_ms: float | None) -> str:
    return NOTHING if value_ms is None else f"{value_ms / 1000:,.1f}"


def _after(value_ms: float | None, count: int, still_open: int) -> str:
    """Write a mean waiting time; say so where something was never answered."""
    if not count:
        return NOTHING
    return _seconds(value_ms) if not still_open else f"{still_open} {NEVER}"


_DETAIL: Final[Mapping[str, Callable[[Outcome], str]]] = {
    "acted on after, s": lambda each: _after(each.acted_ms, each.others, each.others_open),
    "first answer after, s": lambda each: _after(each.first_answer_ms, each.others, each.others_open),
    "request done after, s": lambda each: _after(each.request_ms, each.requests, each.requests_open),
    "main calls": lambda each: str(each.main_calls),
    "side calls": lambda each: str(each.side_calls),
    "calls discarded": lambda each: str(each.main_calls_discarded),
    "tool s thrown away": lambda each: _seconds(each.tool_thrown_away_ms),
    "late mistakes": lambda each: str(each.late_mistakes),
    "decision points": lambda each: str(each.decision_points),
}


def detail(scenario: str, outcomes: Iterable[Outcome]) -> TextTable:
    """Return one scenario's table, a row for each strategy."""
    rows = [[arm(each), *(read(each) for read in _DETAIL.values())] for each in outcomes if each.scenario == scenario]
    return TextTable(title=scenario, head=["strategy", *_DETAIL], rows=rows)


def matrix(outcomes: Sequence[Outcome]) -> TextTable:
    """Return the time until a later event was acted on, a row for each scenario and a column for each strategy."""
    arms = list(dict.fromkeys(map(arm, outcomes)))
    scenarios = list(dict.fromkeys(each.scenario for each in outcomes))
    found = {(each.scenario, arm(each)): _DETAIL["acted on after, s"](each) for each in outcomes}
    rows = [[name.rpartition("/")[2], *(found[name, each] for each in arms)] for name in scenarios]
    return TextTable(title="Seconds until a later event was acted on", head=["scenario", *arms], rows=rows)


def totals(outcomes: Sequence[Outcome]) -> TextTable:
    """Return sums over the scenarios, a row for each strategy; times are means over all events."""
    arms = list(dict.fromkeys(map(arm, outcomes)))
    count = len({each.scenario for each in outcomes})
    head = ["strategy", "acted on after, s", "first answer after, s", "request done after, s", *_SUMMED]
    rows = [[name, *_total([each for each in outcomes if arm(each) == name])] for name in arms]
    return TextTable(title=f"Means over events and sums over {count} scenarios", head=head, rows=rows)


_SUMMED: Final[Mapping[str, Callable[[Outcome], float]]] = {
    "never answered": lambda each: each.others_open + each.requests_open,
    "main calls": lambda each: each.main_calls,
    "side calls": lambda each: each.side_calls,
    "tool s thrown away": lambda each: each.tool_thrown_away_ms / 1000,
    "late mistakes": lambda each: each.late_mistakes,
    "decision points": lambda each: each.decision_points,
}


def _total(outcomes: Sequence[Outcome]) -> list[str]:
    return [
        _seconds(_pooled((each.acted_ms, each.others - each.others_open) for each in outcomes)),
        _seconds(_pooled((each.first_answer_ms, each.others - each.others_open) for each in outcomes)),
        _seconds(_pooled((each.request_ms, each.requests - each.requests_open) for each in outcomes)),
        *(_number(sum(read(each) for each in outcomes)) for read in _SUMMED.values()),
    ]


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,.1f}"


def _pooled(means: Iterable[tuple[float | None, int]]) -> float | None:
    """Return the mean over all events from the means of runs and the number of events behind each."""
    known = [(mean, count) for mean, count in means if mean is not None]
    size = sum(count for _, count in known)
    return sum(mean * count for mean, count in known) / size if size else None


def csv_text(outcomes: Iterable[Outcome]) -> str:
    """Write every figure of every run as CSV, one line a run; a figure that does not exist is left empty."""
    names = [field.name for field in fields(Outcome)]
    lines = [",".join(names)]
    lines += [",".join(_cell(getattr(each, name)) for name in names) for each in outcomes]
    return "\n".join(lines) + "\n"


def _cell(value: object) -> str:
    text = "" if value is None else str(value)
    return '"' + text.replace('"', '""') + '"' if any(sign in text for sign in ',"\n') else text
