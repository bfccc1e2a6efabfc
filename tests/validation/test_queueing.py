"""The agent as a queue against closed forms: Q1-Q4, V11, oracles I, IV and V of docs/validation.md, on average.

The waits themselves are checked one by one in ``test_pathwise``; here the averages that follow from them, all forms
together at 1 % (Bonferroni). Light-tailed laws, load 0.4, ratio estimates over regeneration cycles.
"""

from datetime import UTC, datetime
from pathlib import Path
from secrets import randbits

import pytest

from tests.validation.forms import Sample, critical_z, cycles, measure, second_moment

RESULTS = Path(__file__).parents[2] / "results"
QUICK_SEED = 1_906
QUICK_REPLICATIONS = 3
NIGHTLY_REPLICATIONS = 60


def off(samples: list[Sample]) -> list[str]:
    limit = critical_z(len(samples))
    return [f"{each.name} ({each.law}): z = {each.z:.2f}" for each in samples if abs(each.z) > limit]


def table(samples: list[Sample], seed: int) -> str:
    limit = critical_z(len(samples))
    lines = [
        "# Closed forms against the simulator",
        "",
        f"Seed {seed} (fresh), {datetime.now(UTC):%Y-%m-%d}, {NIGHTLY_REPLICATIONS} replications. Made by",
        "`.venv/bin/python -m pytest -m nightly tests/validation -k closed_forms`. Service: mean 20 s, load 0.4.",
        "",
        f"{len(samples)} forms together at 1 % (Bonferroni): each must stay within {limit:.2f} standard errors.",
        "Off: " + (", ".join(off(samples)) or "none") + ".",
        "",
        "| form | law | closed form | simulated | standard error | z | cycles |",
        "|--|--|--:|--:|--:|--:|--:|",
    ]
    lines += [
        f"| {each.name} | {each.law} | {each.closed:.6g} | {each.estimate:.6g} | {each.standard_error:.2g} "
        f"| {each.z:+.2f} | {len(each.pairs):,} |"
        for each in samples
    ]
    return "\n".join(lines) + "\n"


def test_the_averages_agree_with_the_closed_forms() -> None:
    assert off(measure(QUICK_SEED, replications=QUICK_REPLICATIONS)) == []


@pytest.mark.nightly
def test_the_closed_forms_hold_for_a_fresh_seed_in_long_runs() -> None:
    seed = randbits(32)
    samples = measure(seed, replications=NIGHTLY_REPLICATIONS)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "validation.md").write_text(table(samples, seed), encoding="utf-8")
    assert off(samples) == []


def test_a_wrong_closed_form_is_refused() -> None:
    """The waits of constant calls are half of those of exponential ones; one form must not pass for the other."""
    found = cycles("queue", "constant", QUICK_SEED, QUICK_REPLICATIONS)
    pairs = [
        (float(sum(each.begun_ms - each.arrived_ms for each in cycle.served)), float(len(cycle.served)))
        for cycle in found
    ]
    load_free = second_moment("exponential") / (2 * 20_000)
    wrong = Sample(
        name="Q2 with the second moment of another law", law="constant", closed=0.37 * load_free, pairs=pairs
    )
    assert abs(wrong.z) > critical_z(39)
