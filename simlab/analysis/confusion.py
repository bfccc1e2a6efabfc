"""What a router said against what was true: counts, and rates with Wilson's intervals."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from simlab.analysis.stats.intervals import wilson
from simlab.analysis.stats.values import Interval
from simlab.core.errors import SimlabError
from simlab.core.events import Handling

Pair = tuple[Handling, Handling]
Shares = Mapping[Handling, Mapping[Handling, float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Confusion:
    """Counts of (true handling, what was said)."""

    counts: Mapping[Pair, int]

    @property
    def total(self) -> int:
        """How many messages."""
        return sum(self.counts.values())

    def count(self, true: Handling, said: Handling | None = None) -> int:
        """Return how many messages of a true handling there are, or how many of them were said to be ``said``."""
        if said is not None:
            return self.counts.get((true, said), 0)
        return sum(self.count(true, each) for each in Handling)

    def share(self, true: Handling, said: Handling) -> Interval:
        """Return the share of the messages of a true handling that were said to be ``said``, with its interval."""
        return wilson(self.count(true, said), self.count(true))

    @property
    def accuracy(self) -> Interval:
        """The share that was right."""
        return wilson(sum(self.count(each, each) for each in Handling), self.total)

    @property
    def urgent_recall(self) -> Interval:
        """The share of the urgent messages that were seen as such."""
        return self.share(Handling.CANCEL, Handling.CANCEL)

    @property
    def false_alarms(self) -> Interval:
        """The share of the other messages that were taken for urgent."""
        others = [each for each in Handling if each is not Handling.CANCEL]
        wrong = sum(self.count(each, Handling.CANCEL) for each in others)
        return wilson(wrong, sum(self.count(each) for each in others))

    def errors(self) -> dict[Handling, float]:
        """Return the error rate of each true handling."""
        return {true: 1 - self.count(true, true) / self.count(true) for true in Handling}

    def scaled(self, factor: float) -> Shares:
        """Return a matrix with the same kinds of errors, ``factor`` times as many (at most all).

        The right answer comes first in each row, so that under common random numbers a better matrix errs on a subset
        of the events on which a worse one errs. An error rate of 0 stays 0.
        """
        return {true: self._row(true, factor) for true in Handling}

    def _row(self, true: Handling, factor: float) -> dict[Handling, float]:
        wrong = {said: self.count(true, said) for said in Handling if said is not true}
        errors = sum(wrong.values())
        rate = min(1.0, factor * errors / self.count(true))
        return {true: 1 - rate, **{said: rate * number / errors if errors else 0.0 for said, number in wrong.items()}}

    def accuracy_at(self, factor: float) -> float:
        """Return the accuracy of the scaled matrix on this mix of messages."""
        right = sum(self.count(true) * row[true] for true, row in self.scaled(factor).items())
        return right / self.total


def confusion(pairs: Iterable[Pair]) -> Confusion:
    """Count. Raises SimlabError unless every handling occurs among the true ones."""
    found = Confusion(counts=Counter(pairs))
    missing = [each.value for each in Handling if not found.count(each)]
    if missing:
        raise SimlabError(f"no message whose true handling is {' or '.join(missing)}; each of the three must occur")
    return found
