"""Closed forms for an agent that works in cycles: what a message waits that may enter only at a cycle's end.

A cycle is a model call and then a tool call, C = L + T, L and T independent. A message that arrives at a time of its
own waits for the rest of the cycle, on average E[C^2] / (2 E[C]): long cycles catch more messages. Only means and
second moments enter, and those of sums and mixtures follow from their parts.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import sqrt

from simlab.sim import calibration
from simlab.sim.laws import Law, Lognormal


@dataclass(frozen=True, kw_only=True, slots=True)
class Moments:
    """Mean and mean square of a quantity, in milliseconds."""

    mean: float
    second: float

    @property
    def residual(self) -> float:
        """Return the mean time left when looked at from a random instant, in milliseconds."""
        return self.second / (2 * self.mean)

    @property
    def deviation(self) -> float:
        """Return the standard deviation."""
        return sqrt(max(0.0, self.second - self.mean**2))

    def plus(self, other: "Moments") -> "Moments":
        """Return the moments of the sum of two independent quantities."""
        return Moments(mean=self.mean + other.mean, second=self.second + 2 * self.mean * other.mean + other.second)

    def times(self, other: "Moments") -> "Moments":
        """Return the moments of the product of two independent quantities."""
        return Moments(mean=self.mean * other.mean, second=self.second * other.second)

    def scaled(self, factor: float) -> "Moments":
        """Return the moments of `factor` times the quantity."""
        return Moments(mean=self.mean * factor, second=self.second * factor**2)


def moments(law: Law) -> Moments:
    """Return the moments of a law, its cap honoured."""
    return Moments(mean=law.mean(), second=law.moment(2))


def capped_mixture(mixture: Iterable[tuple[float, Law]], cap_ms: float) -> Moments:
    """Return the moments of a mixture of laws (share, law), each cut at a time-out; shares need not sum to 1."""
    parts = [(share, moments(replace(law, cap=min(law.cap, cap_ms)))) for share, law in mixture]
    total = sum(share for share, _ in parts)
    return Moments(
        mean=sum(share * part.mean for share, part in parts) / total,
        second=sum(share * part.second for share, part in parts) / total,
    )


def step_latency() -> Moments:
    """Return the moments of a whole model call under the base laws: first token, input over its rates, output."""
    first = moments(calibration.parameter("llm.ttft_base").law())
    uncached = moments(calibration.parameter("llm.append_tokens_step").law())
    cached = moments(calibration.parameter("llm.prefix_tokens_step").law())
    output = moments(calibration.parameter("llm.output_tokens_step").law())
    decode = calibration.parameter("llm.decode_tok_s").law()
    if not isinstance(decode, Lognormal):
        raise TypeError("the reciprocal of the decode rate has a closed form for a lognormal law only")
    per_token = moments(Lognormal(median=1000 / decode.median, sigma=decode.sigma))
    return (
        first.plus(uncached.scaled(1000 / calibration.parameter("llm.prefill_uncached_tok_s").value()))
        .plus(cached.scaled(1000 / calibration.parameter("llm.prefill_cached_tok_s").value()))
        .plus(output.times(per_token))
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class CycleWait:
    """What a message meets that arrives at a random instant of a working agent's cycles, in milliseconds and shares."""

    model: Moments
    tool: Moments

    @property
    def share_in_tool(self) -> float:
        """Return the chance of arriving while the tool runs."""
        return self.tool.mean / (self.tool.mean + self.model.mean)

    @property
    def mean_wait_ms(self) -> float:
        """Return the mean wait to the end of the cycle."""
        return self.model.plus(self.tool).residual
