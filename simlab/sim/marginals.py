"""Do the laws reproduce the published figures? Simulated marginals of step latency, tokens, tool times and waits.

`compare` takes observed values, from the laws alone (`drawn_values`) or from any simulation, and sets each published
figure beside its simulated one: quantiles, means, shares of the values and of their sum in a range.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log

from simlab.core.errors import SimlabError
from simlab.sim import calibration
from simlab.sim.laws import Law
from simlab.sim.streams import Draws


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One published figure beside its simulated one."""

    quantity: str
    figure: str
    unit: str
    low: float
    high: float
    simulated: float
    source: str

    @property
    def ratio(self) -> float:
        """Return simulated over published; 1 inside a published range."""
        return self.simulated / min(max(self.simulated, self.low), self.high)


def compare(values: Mapping[str, Sequence[float]]) -> list[Row]:
    """Return a row for every target whose quantity is in `values` (quantity -> values in its unit), worst ratio first.

    Raises SimlabError for a quantity without target or without values.
    """
    targets = calibration.targets()
    known = {target.quantity for target in targets}
    for quantity, sample in values.items():
        if quantity not in known:
            raise SimlabError(f"marginals: no published figures for {quantity!r}; known: {', '.join(sorted(known))}")
        if len(sample) == 0:
            raise SimlabError(f"marginals: no values for {quantity!r}")
    ordered = {quantity: sorted(sample) for quantity, sample in values.items()}
    rows = [
        Row(
            quantity=target.quantity,
            figure=target.figure,
            unit=target.unit if target.figure.startswith(("p", "mean")) else "share",
            low=target.low,
            high=target.high,
            simulated=figure_of(ordered[target.quantity], target.figure),
            source=target.source.key,
        )
        for target in targets
        if target.quantity in ordered
    ]
    return sorted(rows, key=lambda row: -distance(row.ratio))


def distance(ratio: float) -> float:
    """Return how far a ratio is from 1, too small and too large alike."""
    return abs(log(ratio)) if ratio > 0 else float("inf")


def figure_of(ordered: Sequence[float], figure: str) -> float:
    """Return a figure of ascending values: "p90", "mean", "share of values 1-10", "share of sum > 60".

    The lower end of a range belongs to it, the upper one does not. Raises SimlabError for other words.
    """
    match figure.split():
        case ["mean"]:
            return sum(ordered) / len(ordered)
        case ["share", "of", "values" | "sum" as of, *words]:
            first, last = _places(ordered, words, figure)
            if of == "values":
                return (last - first) / len(ordered)
            return sum(ordered[first:last]) / sum(ordered)
        case [word] if word.startswith("p") and word[1:].isdecimal():
            return ordered[min(int(len(ordered) * float(f"0.{word[1:]}")), len(ordered) - 1)]
        case _:
            raise SimlabError(
                f"marginals: no figure {figure!r}; known: p50, mean, share of values < 1, share of sum > 60"
            )


def _places(ordered: Sequence[float], words: list[str], figure: str) -> tuple[int, int]:
    match words:
        case ["<", edge]:
            return 0, bisect_left(ordered, float(edge))
        case [">", edge]:
            return bisect_right(ordered, float(edge)), len(ordered)
        case [edges] if "-" in edges:
            low, high = edges.split("-")
            return bisect_left(ordered, float(low)), bisect_left(ordered, float(high))
        case _:
            raise SimlabError(f"marginals: no range in {figure!r}; known: < 1, 1-10, > 60")


def drawn_values(draws: Draws, count: int) -> dict[str, list[float]]:
    """Draw `count` values of every quantity straight from the base laws, in the units of the targets.

    Stratified: the uniform numbers of a quantity lie one in each of `count` equal parts, in shuffled order, so that
    what is left of the difference is the laws' and not chance.
    """
    mixture = list(calibration.tool_mixture().values())
    tools = [_of_mixture(mixture, u, inside) for u, inside in zip(*_strata(draws, count, "kind", "tool"), strict=True)]
    wait = calibration.parameter("ev.user_think").law()
    tokens = calibration.parameter("llm.output_tokens_step").law()
    steps = calibration.parameter("wl.steps_per_request").law()
    whole_steps = [float(round(steps.quantile(u))) for (u,) in zip(*_strata(draws, count, "steps"), strict=True)]
    return {
        "step latency": step_latencies_s(draws, count),
        "output tokens": [tokens.quantile(u) for (u,) in zip(*_strata(draws, count, "tokens"), strict=True)],
        "tool time": [value / 1000 for value in tools],
        "steps of a request": whole_steps,
        "human wait": [wait.quantile(u) / 1000 for (u,) in zip(*_strata(draws, count, "wait"), strict=True)],
    }


def step_latencies_s(draws: Draws, count: int) -> list[float]:
    """Return times of whole model calls: first token + input over its rates + output over the decode rate."""
    laws = [
        calibration.parameter(name).law()
        for name in (
            "llm.ttft_base",
            "llm.append_tokens_step",
            "llm.prefix_tokens_step",
            "llm.output_tokens_step",
            "llm.decode_tok_s",
        )
    ]
    uncached = calibration.parameter("llm.prefill_uncached_tok_s").value()
    cached = calibration.parameter("llm.prefill_cached_tok_s").value()
    purposes = ("first token", "append", "prefix", "output", "decode")
    latencies = []
    for us in zip(*_strata(draws, count, *purposes), strict=True):
        first, append, prefix, output, rate = (law.quantile(u) for law, u in zip(laws, us, strict=True))
        latencies.append(first / 1000 + append / uncached + prefix / cached + output / rate)
    return latencies


def _of_mixture(mixture: Sequence[tuple[float, Law]], u: float, inside: float) -> float:
    """Choose a kind by `u`, its value by `inside`; the kinds' shares need not sum to 1."""
    left = u * sum(share for share, _ in mixture)
    for share, law in mixture:
        if left <= share:
            return law.quantile(inside)
        left -= share
    return mixture[-1][1].quantile(inside)


def _strata(draws: Draws, count: int, *purposes: str) -> list[list[float]]:
    """Return for each purpose `count` numbers, one in each of `count` equal parts, in an order of its own."""
    columns = []
    for purpose in purposes:
        order = sorted(range(count), key=draws.uniforms("marginals", purpose, "order", count=count).__getitem__)
        place = draws.uniforms("marginals", purpose, "place", count=count)
        columns.append([(index + u) / count for index, u in zip(order, place, strict=True)])
    return columns
