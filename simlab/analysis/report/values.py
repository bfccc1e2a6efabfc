"""What a report holds. All text is plain; the page escapes it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from simlab.analysis.style import Look


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A chart: ``svg`` is drawn in the light theme; ``alt`` says in words what it shows, with its main numbers.

    ``wide`` pictures keep their size and scroll inside their own frame on a narrow screen.
    """

    title: str
    svg: str
    alt: str
    caption: str
    wide: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A cell of a table: what is shown, and the number to sort by (None: sort by the text).

    ``tone`` is better, worse, equivalent, undecided or empty.
    """

    text: str
    number: float | None = None
    tone: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """A table. ``chosen_by`` names a column by whose values the rows can be chosen; ``filters`` adds a text filter.

    A ``tall`` table scrolls in a frame of its own.
    """

    ident: str
    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    chosen_by: str = ""
    filters: bool = False
    tall: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Worst:
    """The worst run of an arm: which, why it is that one, the commands that show it again, and its timeline."""

    arm: str
    replication: int
    why: str
    commands: Sequence[str]
    picture: Picture | None
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paragraph:
    """A sentence or more, with a head that says what it is about."""

    head: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Everything about one scenario."""

    name: str
    title: str
    description: str
    arms: Mapping[str, Look]
    baseline: str
    replications: int
    facts: Grid
    verdicts: Sequence[Paragraph]
    overview: Grid
    details: Grid
    pictures: Sequence[Picture]
    worst: Sequence[Worst]
    assumptions: Grid
    changes: Sequence[Paragraph]


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """One page."""

    title: str
    question: str
    summary: Sequence[str]
    parts: Sequence[Part]
    strategies: Grid
    violations: Grid
    violations_told: str
    checklist: Grid
    command: str
    made_with: Sequence[Paragraph] = field(default_factory=tuple)
